// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataAuthentication
import StrataCore
import StrataTesting
import TestSupport
import Testing

/// The bodies of a challenge and of a refused token request hold no call up, although no timeout is set.
struct UnaskedBodyTests {
    @Test(arguments: [#"Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth""#, "Basic realm=r"])
    func theBodyOfAChallengeIsNotWaitedFor(challenge: String) async throws {
        let clock = VirtualClock()
        let half = Duration.milliseconds(500)
        let source = HangingSource("word") { clock.advance(by: half) }
        let transport = ScriptedTransport(
            .source(status: 401, fields: [.wwwAuthenticate: challenge]) { source }, .text("second"))
        let digest = DigestAuthMiddleware(username: "u", password: "p", allowsBasic: true)
        let response = try await makeClient(transport, digest, clock: clock).call { $0.timeouts.idle = nil }
        #expect(response.head.status == 200)
        #expect(clock.now == half)
        #expect(source.isCancelled)
    }

    @Test func aRefusedTokenRequestIsNotWaitedFor() async throws {
        let clock = VirtualClock()
        let source = HangingSource { clock.advance(by: .seconds(1)) }
        let client = makeClient(ScriptedTransport(.source(status: 500) { source }), clock: clock)
        var endpoint = OAuthTokenEndpoint(
            url: try #require(URL(string: "https://a.example/token")), clientID: "app", client: client)
        endpoint.timeouts = Timeouts(connect: nil, idle: nil)
        let asking = endpoint
        await #expect(throws: OAuthError.self) { _ = try await asking.credential(for: .clientCredentials()) }
        #expect(clock.now == .seconds(1))
    }
}
