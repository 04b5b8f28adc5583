// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataMiddleware
import StrataTesting
import Testing

struct BasicAuthMiddlewareTests {
    @Test func sendsNameAndPassword() async throws {
        let transport = ScriptedTransport()
        let auth = BasicAuthMiddleware(username: "Aladdin", password: "open sesame")
        _ = try await makeClient(transport, auth).call(fields: [.authorization: "x"])
        #expect(transport.requests[0]["authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test func asksItsProviderEachTime() async throws {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport, BasicAuthMiddleware { nil }).call(fields: [.authorization: "x"])
        _ = try await makeClient(transport, BasicAuthMiddleware { ("me", Secret.password) }).call()
        #expect(transport.requests[0]["authorization"] == "x")
        #expect(transport.requests[1]["authorization"]?.hasPrefix("Basic bWU6\(Secret.encodedMark)") == true)
    }

    @Test(arguments: [("a:b", "c"), ("a\n", "c"), ("a", "\u{7f}"), ("a", "b\0")])
    func refusesWhatTheSchemeCannotCarry(username: String, password: String) async {
        let transport = ScriptedTransport()
        await #expect {
            _ = try await makeClient(transport, BasicAuthMiddleware(username: username, password: password)).call()
        } throws: {
            isFailure($0, .invalidRequest)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func staysWithItsOrigin() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://other.example/"), .status(200))
        _ = try await makeClient(transport, BasicAuthMiddleware(username: "me", password: Secret.password)).call()
        #expect(transport.requests[1]["authorization"] == nil)
    }
}
