// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import TestSupport
import Testing

@testable import StrataMiddleware

/// `auth/auth-table.json`; what it says in words is claimed by tests of the middleware, which are named.
@Suite(.vectors("auth/auth-table.json"))
struct AuthenticationVectorTests {
    private struct Table: Decodable {
        let challenges: [Challenge]
        let basic: [Basic]
        let digest: [Digest]
        let digest_api: [DigestRule]
        let bearer: [Rule]
        let oauth: [Proof]
    }

    private struct Challenge: Decodable {
        struct Expected: Decodable, Equatable {
            let scheme: String
            let params: [String: String]
            let token68: String?
        }

        let id: String
        let header_values: [String]
        let expected: [Expected]
    }

    private struct Basic: Decodable {
        let id: String
        let user: String
        let password: String
        let expected: String?
        let must_refuse: Bool?
    }

    private struct Digest: Decodable {
        let id: String
        let algorithm: String
        let username: String
        let realm: String
        let password: String
        let method: String
        let uri: String
        let nonce: String
        let nc: String?
        let cnonce: String?
        let qop: String?
        let body: String
        let expected_response: String
        let userhash: Bool?
        let expected_username: String?
    }

    private struct DigestRule: Decodable {
        let id: String
        let expected: String
        let algorithm: String?
        let challenges: [String]?
        let header: String?
    }

    private struct Rule: Decodable {
        let id: String
    }

    private struct Proof: Decodable {
        let id: String
        let verifier: String
        let expected_challenge: String
    }

    private let table: Table

    init() throws {
        table = try Vectors.load("auth/auth-table.json")
    }

    @Test func challengesAreParsed() {
        #expect(!table.challenges.isEmpty)
        for vector in table.challenges {
            var fields = HTTPFields()
            for value in vector.header_values { fields.append(HTTPField(name: .wwwAuthenticate, value: value)) }
            let parsed = fields.challenges.map {
                Challenge.Expected(scheme: $0.scheme.lowercased(), params: $0.parameters, token68: $0.token68)
            }
            let expected = vector.expected.map {
                Challenge.Expected(
                    scheme: $0.scheme.lowercased(),
                    params: Dictionary(uniqueKeysWithValues: $0.params.map { ($0.key.lowercased(), $0.value) }),
                    token68: $0.token68)
            }
            #expect(parsed == expected, "\(vector.id)")
        }
    }

    @Test func basicCredentialsAreEncoded() async throws {
        #expect(!table.basic.isEmpty)
        for vector in table.basic {
            let transport = ScriptedTransport()
            let client = makeClient(
                transport, BasicAuthMiddleware(username: vector.user, password: vector.password))
            if vector.must_refuse == true {
                await #expect(throws: NetworkClientError.self, "\(vector.id)") { _ = try await client.call() }
                #expect(transport.requests.isEmpty, "\(vector.id)")
            } else {
                _ = try await client.call()
                #expect(transport.requests[0]["authorization"] == vector.expected, "\(vector.id)")
            }
        }
    }

    @Test func digestsAreComputed() async throws {
        #expect(!table.digest.isEmpty)
        for vector in table.digest {
            var challenge = "Digest realm=\"\(vector.realm)\", nonce=\"\(vector.nonce)\", algorithm=\(vector.algorithm)"
            if let qop = vector.qop { challenge += ", qop=\"\(qop)\"" }
            if vector.userhash == true { challenge += ", userhash=true" }
            let transport = ScriptedTransport(.status(401, fields: [.wwwAuthenticate: challenge]), .status(200))
            let auth = DigestAuthMiddleware(username: vector.username, password: vector.password) {
                vector.cnonce ?? "unused"
            }
            let method = try #require(HTTPMethod(vector.method))
            _ = try await makeClient(transport, auth).call(
                method, vector.uri, body: vector.body.isEmpty ? .empty : .data(Data(vector.body.utf8)))
            let value = try #require(transport.requests.last?["authorization"], "\(vector.id)")
            var parser = ChallengeParser(String(value.dropFirst("Digest ".count)))
            let sent = parser.parameters()
            #expect(sent["response"] == vector.expected_response, "\(vector.id)")
            #expect(sent["uri"] == vector.uri, "\(vector.id)")
            #expect(sent["nc"] == vector.nc, "\(vector.id)")
            if let username = vector.expected_username { #expect(sent["username"] == username, "\(vector.id)") }
        }
    }

    @Test func digestRulesAreKept() async throws {
        var words: [String] = []
        func challenge(_ algorithm: some StringProtocol) -> String {
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=\(algorithm)"
        }
        for rule in table.digest_api {
            let auth = DigestAuthMiddleware(username: "me", password: Secret.password)
            if let algorithm = rule.algorithm {
                let transport = ScriptedTransport(.status(401, fields: [.wwwAuthenticate: challenge(algorithm)]))
                #expect(try await makeClient(transport, auth).call().head.status == .unauthorized, "\(rule.id)")
                #expect(transport.requests.count == 1, "\(rule.id)")
            } else if let challenges = rule.challenges {
                var fields = HTTPFields()
                for text in challenges {
                    // "Digest MD5"
                    let parts = text.split(separator: " ")
                    let value = parts.count == 2 ? challenge(parts[1]) : "\(text) realm=\"r\""
                    fields.append(HTTPField(name: .wwwAuthenticate, value: value))
                }
                let transport = ScriptedTransport(.status(401, fields: fields), .status(200))
                _ = try await makeClient(transport, auth).call()
                // "SHA-256 if supported, …"
                let best = rule.expected.prefix { $0 != " " }
                let sent = try #require(transport.requests.last?["authorization"], "\(rule.id)")
                #expect(sent.contains("algorithm=\(best),"), "\(rule.id)")
            } else if let header = rule.header {
                let parts = header.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                var fields = HTTPFields()
                try fields.addValue(parts[1], forName: parts[0])
                let transport = ScriptedTransport(
                    .status(401, fields: [.wwwAuthenticate: challenge("MD5")]), .status(200, fields: fields),
                    .status(200))
                let client = makeClient(transport, auth)
                for _ in 0..<2 { _ = try await client.call() }
                var parser = ChallengeParser(parts[1])
                let nonce = try #require(parser.parameters()["nextnonce"], "\(rule.id)")
                let sent = try #require(transport.requests.last?["authorization"], "\(rule.id)")
                #expect(sent.contains(" nonce=\"\(nonce)\""), "\(rule.id)")
            } else {
                words.append(rule.id)
            }
        }
        let claims = [
            "stale-false-again": "handsUpTheRefusalOfWrongCredentials",
            "missing-nonce": "handsUpWhatItCannotAnswer",
            "one-shot-body": "handsUpTheRefusalOfABodyThatIsUsedUp",
        ]
        #expect(try unclaimed(words, by: claims).isEmpty)
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
        #expect(!table.bearer.isEmpty)
        #expect(try unclaimed(table.bearer.map(\.id), by: claims).isEmpty)
    }

    @Test func proofsAreMade() {
        #expect(!table.oauth.isEmpty)
        for vector in table.oauth {
            #expect(ProofKey(verifier: vector.verifier).challenge == vector.expected_challenge, "\(vector.id)")
        }
    }
}
