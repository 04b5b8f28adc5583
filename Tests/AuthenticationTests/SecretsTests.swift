// SPDX-License-Identifier: Apache-2.0

import Foundation
import MiddlewareSupport
import StrataAuthentication
import StrataTesting
import TestSupport
import Testing

struct SecretsTests {
    @Test func whatHoldsASecretDoesNotShowIt() throws {
        let endpoint = OAuthTokenEndpoint(
            url: try #require(URL(string: "https://app:\(Secret.password)@id.example/token")), clientID: "app",
            clientSecret: Secret.clientSecret, client: makeClient(ScriptedTransport()))
        let holders: [Any] = [
            endpoint, OAuthGrant.refreshToken(Secret.refreshToken), OAuthGrant.authorizationCode(Secret.token),
            OAuthGrant.deviceCode(Secret.token), OAuthGrant(type: "urn:x", parameters: ["ticket": Secret.token]),
            DigestAuthMiddleware(username: "me", password: Secret.password),
        ]
        for holder in holders {
            var dumped = ""
            dump(holder, to: &dumped)
            Leaks.check("\(holder) \(String(reflecting: holder)) \(dumped)", "\(type(of: holder))")
        }
    }

    @Test func whatIsThrownHidesItFromDumpsToo() async throws {
        let words = #"{"error":"invalid_grant","error_description":"\#(Secret.token)"}"#
        let endpoint = OAuthTokenEndpoint(
            url: try #require(URL(string: "https://id.example/token")), clientID: "app",
            client: makeClient(ScriptedTransport(.json(words, status: 400))))
        var dumped = ""
        do { _ = try await endpoint.credential(for: .clientCredentials()) } catch { dump(error, to: &dumped) }
        #expect(dumped.contains("invalid_grant"))
        Leaks.check(dumped, "a dump")
    }
}
