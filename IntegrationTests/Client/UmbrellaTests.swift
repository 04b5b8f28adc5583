// SPDX-License-Identifier: Apache-2.0

import Foundation
import Strata
import StrataTesting
import Testing

/// What one import gives: a client on the platform's transport.
struct UmbrellaTests {
    private struct User: Decodable {
        var name: String
    }

    private static let script = RawScript.forever(
        .readRequest, .respond(fields: ["Content-Type: application/json"], body: #"{"name": "a"}"#))

    @Test func aBaseURLMakesAClient() async throws {
        try await RawServer.withServer(script: Self.script) { server in
            let client = NetworkClient(
                baseURL: URL(string: server.url), middleware: [UserAgentMiddleware("umbrella/1.0")])
            let request = NetworkRequest<VoidRequest, User>(path: "users/1", method: .get)
            #expect(try await client.run(request).value.name == "a")
            let seen = try #require(server.log.requests.first)
            #expect(seen.target == "/users/1")
            #expect(seen.values(of: "user-agent") == ["umbrella/1.0"])
        }
    }

    @Test func aClientNeedsNoBaseURL() async throws {
        try await RawServer.withServer(script: Self.script) { server in
            let request = NetworkRequest<VoidRequest, User>(path: server.url + "/users/1", method: .get)
            let user = try await NetworkClient().run(request).value
            #expect(user.name == "a")
        }
    }

    @Test func aClientTakesAnotherTransport() async throws {
        let client = NetworkClient(transport: ScriptedTransport(.json(#"{"name": "b"}"#)))
        let request = NetworkRequest<VoidRequest, User>(path: "https://api.example.com/users/1", method: .get)
        #expect(try await client.run(request).value.name == "b")
    }

    @Test func whoMakesATransportShutsDownThatOneAlone() async throws {
        try await RawServer.withServer(script: Self.script) { server in
            let own = PlatformTransport.make()
            await own.shutdown()
            await #expect { try await own.text(.get, server.url) } throws: { $0.stage == .transportShutDown }
            let answer = try await PlatformTransport.shared.text(.get, server.url)
            #expect(answer == #"{"name": "a"}"#)
        }
    }
}
