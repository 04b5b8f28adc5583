// SPDX-License-Identifier: Apache-2.0

import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
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
        #expect(transport.requests[1]["authorization"]?.hasPrefix("Basic bWU6\(Leaks.encodedMark)") == true)
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

    @Test(.timeLimit(.minutes(10)))
    func waitsForItsProviderNoLongerThanTheDeadlineOfTheCall() async throws {
        let gate = Gate()
        let auth = BasicAuthMiddleware {
            await gate.pass()
            return ("me", Secret.password)
        }
        let client = makeClient(ScriptedTransport(), auth)
        await #expect {
            _ = try await client.call { $0.timeouts.deadline = .nanoseconds(1) }
        } throws: { error in
            (error as? NetworkClientError)?.timeout == .deadline
        }
        await gate.open()
        #expect(try await client.call { $0.timeouts.deadline = .seconds(3600) }.head.status == .ok)
    }

    @Test(arguments: [nil, Duration.seconds(3600)])
    func aProviderThatAsksThroughTheSameClientIsNotAskedByItself(deadline: Duration?) async throws {
        let transport = ScriptedTransport { request in
            request.path == "/password" ? .text(Secret.password) : .status(200)
        }
        let clientBox = Mutex<NetworkClient?>(nil)
        let auth = BasicAuthMiddleware {
            // There is none for a second time, which would not be the last.
            let client = try #require(clientBox.withLock { $0.take() })
            let request = NetworkRequest<VoidRequest, String>(path: "password", method: .get)
            return ("me", try await client.run(request).value)
        }
        let client = makeClient(transport, auth)
        clientBox.withLock { $0 = client }
        _ = try await client.call { $0.timeouts.deadline = deadline }
        #expect(transport.requests.map { $0["authorization"] != nil } == [false, true])
    }

    @Test func staysWithItsOrigin() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://other.example/"), .status(200))
        _ = try await makeClient(transport, BasicAuthMiddleware(username: "me", password: Secret.password)).call()
        #expect(transport.requests[1]["authorization"] == nil)
    }
}
