// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

private let authTable = "auth/auth-table.json"

/// What the table says in words is claimed by tests of the middleware, which are named.
@Suite(.vectors(authTable))
struct AuthenticationVectorTests {
    private struct Challenge: Decodable {
        struct Expected: Decodable, Equatable {
            let scheme: String
            let params: [String: String]?
            let token68: String?
        }

        let id: String
        let header_values: [String]
        let expected: [Expected]
        let level: String?
    }

    private struct Basic: Decodable {
        let id: String
        let user: String
        let password: String
        let expected: String?
        let charset: String?
        let must_refuse: Bool?
    }

    private struct Rule: Decodable {
        let id: String
    }

    @Test func challengesAreParsed() async throws {
        for vector in try Vectors.cases(authTable, "challenges", of: Challenge.self) {
            var fields = HTTPFields()
            for value in vector.header_values { fields.append(HTTPField(name: .wwwAuthenticate, value: value)) }
            let parsed = fields.challenges.map {
                Challenge.Expected(scheme: $0.scheme.lowercased(), params: $0.parameters, token68: $0.token68)
            }
            let expected = vector.expected.map {
                Challenge.Expected(
                    scheme: $0.scheme.lowercased(),
                    params: Dictionary(($0.params ?? [:]).map { ($0.key.lowercased(), $0.value) }) { first, _ in first
                    },
                    token68: $0.token68)
            }
            await Vectors.judge(vector.id, vector.level) { #expect(parsed == expected, "\(vector.id)") }
        }
    }

    @Test func basicCredentialsAreEncoded() async throws {
        // Other charsets than UTF-8 cannot be chosen.
        let vectors = try Vectors.cases(authTable, "basic", of: Basic.self)
        for vector in vectors where ["UTF-8", "US-ASCII"].contains(vector.charset?.uppercased() ?? "UTF-8") {
            let transport = ScriptedTransport()
            let client = makeClient(
                transport, BasicAuthMiddleware(username: vector.user, password: vector.password))
            if vector.must_refuse == true {
                await #expect(throws: NetworkClientError.self, "\(vector.id)") { _ = try await client.call() }
                #expect(transport.requests.isEmpty, "\(vector.id)")
            } else if let expected = vector.expected {
                _ = try await client.call()
                #expect(transport.requests.first?["authorization"] == expected, "\(vector.id)")
            }
        }
    }

    @Test func bearerRulesAreClaimed() throws {
        let claims = [
            "single-flight": "aThousandRefusalsMakeOneRenewal",
            "refresh-fails": "aFailedRenewalIsOneAttemptAndOneErrorForAll",
            "second-401-after-refresh": "handsUpTheSecondRefusal",
            "cancel-one-waiter": "cancellingTheCallThatBeganTheRenewalCancelsNobodyElse",
            "proactive-expiry": "renewsAheadOfTheExpiry",
            "not-to-other-host": "keepsTheTokenFromOtherOrigins",
            "never-logged": "writesFieldsWithoutSecrets",
        ]
        try check(
            claims, for: Vectors.cases(authTable, "bearer", of: Rule.self).map(\.id), in: authTable,
            by: "MiddlewareTests")
    }
}
