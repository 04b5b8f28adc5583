// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import Testing

struct RequestPathTests {
    private enum Shop: Service {
        static let baseURL = URL(string: "https://shop.example/v1?key=1")!

        static var sharedProperties: Request.Properties { PathComponents { "eu" } }
    }

    private func sent(_ request: Request) async throws -> String {
        let transport = ScriptedTransport()
        _ = try await request.send(client: client(transport))
        return transport.requests[0].url
    }

    @Test func valuesAreSegments() async throws {
        let name = "a/b?c"
        #expect(
            try await sent(Request(.get, url: "https://h/users/\(name)?q=\(name)") { QueryItems { ("page", 2) } })
                == "https://h/users/a%2Fb%3Fc?q=a%2Fb%3Fc&page=2")
        #expect(
            try await sent(Request(.get, parent: Shop.self, path: "users/\(name)?q=1") { QueryItems { ("page", 2) } })
                == "https://shop.example/v1/eu/users/a%2Fb%3Fc?key=1&q=1&page=2")
        #expect(try await sent(Request(.get, parent: Shop.self, path: "https://h/a")) == "https://h/a")
    }

    @Test func whatNamesAnotherResourceIsAnError() async {
        let transport = ScriptedTransport()
        let (empty, none) = ("", Int?.none)
        let requests = [
            Request(.delete, url: "https://h/users/\(empty)"), Request(.delete, url: "https://h/users/\(none)"),
            Request(.delete, url: "h/users"), Request(.delete, url: "https://[/a"),
            Request(.delete, parent: Shop.self, path: "users/\(empty)"),
            Request(.delete, parent: Shop.self, path: "a/\("..")"),
        ]
        for request in requests {
            let error = await #expect(throws: RequestError.self) { try await request.send(client: client(transport)) }
            #expect((error?.underlyingError as? NetworkClientError)?.code == .malformedURL, "\(request)")
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func thePathIsAPartOfTheRequest() {
        let id = 7
        let request = Request(.get, parent: Shop.self, path: "users/\(id)")
        #expect(request == Request(.get, parent: Shop.self, path: "users/7"))
        #expect(request != Request(.get, parent: Shop.self, path: "users/8"))
        #expect(request.url.absoluteString == "https://shop.example/v1/eu/users/7?key=1")
    }
}
