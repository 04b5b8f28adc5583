// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import MiddlewareSupport
import StrataAuthentication
import StrataCore
import StrataMiddleware
import StrataTesting
import Testing

/// Digest authentication with cookies inside of it.
struct DigestCookieTests {
    @Test func anAnswerToAChallengeHasTheCookieOfTheChallenge() async throws {
        let transport = ScriptedTransport { request in
            if request["cookie"] == "nonce=n1", request["authorization"]?.hasPrefix("Digest ") == true {
                return .status(200)
            }
            return .status(
                401, fields: [.wwwAuthenticate: #"Digest realm="r", nonce="n1", qop="auth""#, .setCookie: "nonce=n1"])
        }
        let digest = DigestAuthMiddleware(username: "me", password: Secret.password)
        let response = try await makeClient(transport, digest, CookieMiddleware()).call()
        #expect(response.head.status == 200)
    }

    @Test func theReportPutsCookiesInside() {
        func findings(_ layers: any NetworkMiddleware...) -> [String] {
            var configuration = makeClient(ScriptedTransport()).configuration
            configuration.middleware = layers
            return NetworkClient(configuration: configuration).pipelineReport.findings.map(\.fix)
        }
        let digest = DigestAuthMiddleware(username: "me", password: Secret.password)
        #expect(findings(RedirectMiddleware(), RetryMiddleware(), digest, CookieMiddleware()) == [])
        #expect(
            findings(CookieMiddleware(), digest)
                == ["Move CookieMiddleware behind DigestAuthMiddleware in the list."])
    }
}
