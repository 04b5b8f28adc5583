// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

struct ClientPagesTests {
    private typealias Numbers = NetworkRequest<VoidRequest, [Int]>

    private func page(_ numbers: String, next link: String?) -> ScriptedReply {
        var fields = HTTPFields()
        if let link, let name = HTTPField.Name("Link") { fields[name] = "<\(link)>; rel=\"next\"" }
        return .json("[\(numbers)]", fields: fields)
    }

    private func client(_ transport: ScriptedTransport) -> NetworkClient {
        var configuration = NetworkConfiguration(baseURL: "https://ada:pw@h/v1", transport: transport)
        configuration.defaultFields = [.authorization: "Bearer t", .acceptLanguage: "eo"]
        return NetworkClient(configuration: configuration)
    }

    private let first = Numbers(
        path: "posts", method: .get, queryItems: [URLQueryItem(name: "page", value: "1")],
        additionalHeaders: ["X-Plan": "free", "Cookie": "a=b", "X-Auth-Token": "t"])

    private func numbers(_ pages: Pages<NetworkResponse<[Int]>>) async throws -> [Int] {
        var numbers: [Int] = []
        for try await page in pages { numbers += page.value }
        return numbers
    }

    @Test func linksAreFollowedToTheLastPage() async throws {
        let transport = ScriptedTransport(
            page("1", next: "?page=2"), page("2", next: "/v2/posts?page=3"),
            page("3", next: "https://h/v1/posts?page=4"),
            page("4", next: nil))
        let pages = client(transport).pages(of: first)
        #expect(try await numbers(pages) == [1, 2, 3, 4])
        #expect(
            transport.requests.map(\.url) == [
                "https://h/v1/posts?page=1", "https://h/v1/posts?page=2", "https://h/v2/posts?page=3",
                "https://h/v1/posts?page=4",
            ])
        #expect(transport.requests.allSatisfy { $0["Authorization"] == "Bearer t" && $0["Cookie"] == "a=b" })
    }

    /// RFC 8288 §3.2.
    @Test(arguments: [("?page=1", true), ("", true), ("/v1/other", false), ("#part", false), ("?page=1#part", false)])
    func linksOfAnotherContextAreNotFollowed(anchor: String, isFollowed: Bool) async throws {
        let link = try #require(HTTPField.Name("Link"))
        let transport = ScriptedTransport(
            .json("[1]", fields: [link: "<?page=2>; rel=next; anchor=\"\(anchor)\""]), page("2", next: nil))
        #expect(try await numbers(client(transport).pages(of: first)) == (isFollowed ? [1, 2] : [1]))
    }

    @Test func secretsStayBehindAtAnotherOrigin() async throws {
        let transport = ScriptedTransport(
            page("1", next: "https://other.example/a"), page("2", next: "/b"), page("3", next: nil))
        #expect(try await numbers(client(transport).pages(of: first)) == [1, 2, 3])
        for request in transport.requests[1...] {
            #expect(request["Authorization"] == nil && request["Cookie"] == nil && request["X-Auth-Token"] == nil)
            #expect(request["X-Plan"] == "free" && request["Accept-Language"] == "eo")
        }
    }

    /// A client without a base URL takes the origin of a call's first request for its own: a link does not choose that.
    @Test func secretsStayBehindWithoutABaseURL() async throws {
        let transport = ScriptedTransport(page("1", next: "https://other.example/a"), page("2", next: nil))
        var configuration = NetworkConfiguration(baseURL: nil, transport: transport)
        configuration.defaultFields = [.authorization: "Bearer t", .acceptLanguage: "eo"]
        let pages = NetworkClient(configuration: configuration).pages(
            of: Numbers(path: "https://h/posts", method: .get))
        #expect(try await numbers(pages) == [1, 2])
        #expect(transport.requests.map { $0["Authorization"] } == ["Bearer t", nil])
        #expect(transport.requests.allSatisfy { $0["Accept-Language"] == "eo" })
    }

    @Test(arguments: [
        ("http://h/v1/posts?page=2", "from https to http"), ("?page=1", "in a circle"),
        ("ftp://h/a", "neither http nor https"),
        ("https://eve@h/a", "cannot be used"),
    ])
    func aLinkThatMustNotBeFollowedIsAnError(_ link: String, _ reason: String) async throws {
        let transport = ScriptedTransport(page("1", next: link))
        var seen: [Int] = []
        let error = await #expect(throws: NetworkClientError.self) {
            for try await page in client(transport).pages(of: first) { seen += page.value }
        }
        #expect(seen == [1])
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func aClosureMakesTheNextRequest() async throws {
        let transport = ScriptedTransport(page("1", next: nil), page("2", next: nil), page("", next: nil))
        let pages = client(transport).pages(of: first) { page in
            page.value.last.map { Numbers(path: "posts?after=\($0)", method: .get) }
        }
        #expect(try await numbers(pages) == [1, 2])
        #expect(transport.requests.map(\.query) == ["page=1", "after=1", "after=2"])
    }

    @Test func everyLoopBeginsAnewAndAMissingPageIsAnError() async throws {
        let transport = ScriptedTransport { request in
            request.number == 3
                ? .status(404) : page("\(request.number)", next: request.number % 2 == 0 ? "?page=2" : nil)
        }
        let pages = client(transport).pages(of: first)
        #expect(try await numbers(pages) == [0, 1])
        await #expect { try await numbers(pages) } throws: {
            ($0 as? NetworkClientError)?.code == .unacceptableStatus
        }
    }

    @Test func functionsHavePagesToo() async throws {
        let transport = ScriptedTransport(page("1", next: "?page=2"), page("2", next: nil))
        let client = client(transport)
        let pages = Pages {
            try await client.get("posts", returning: NetworkResponse<[Int]>.self)
        } next: {
            try await client.get(RequestPath(raw: $0.absoluteString), returning: NetworkResponse<[Int]>.self)
        }
        #expect(try await numbers(pages) == [1, 2])
        #expect(transport.requests.map(\.url) == ["https://h/v1/posts", "https://h/v1/posts?page=2"])
    }
}
