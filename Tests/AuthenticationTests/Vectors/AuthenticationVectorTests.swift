// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataAuthentication
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

private let authTable = "auth/auth-table.json"

/// What the table says in words is claimed by tests of the middleware, which are named.
@Suite(.vectors(authTable))
struct AuthenticationVectorTests {
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
        let body: String?
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

    /// A proof of PKCE (RFC 7636 §4.2), or a rule in words.
    private struct OAuth: Decodable {
        let id: String
        let verifier: String?
        let expected_challenge: String?
        let method: String?

        /// `plain` is not offered: it proves nothing to who sees the request.
        var isProof: Bool { verifier != nil && expected_challenge != nil && method ?? "S256" == "S256" }
    }

    @Test func digestsAreComputed() async throws {
        // SHA-512/256 is not computed: a challenge that asks for it alone is handed up.
        let vectors = try Vectors.cases(authTable, "digest", of: Digest.self)
        for vector in vectors where vector.algorithm != "SHA-512-256" {
            var challenge = "Digest realm=\(quoted(vector.realm)), nonce=\(quoted(vector.nonce))"
            challenge += ", algorithm=\(vector.algorithm)"
            if let qop = vector.qop { challenge += ", qop=\"\(qop)\"" }
            if vector.userhash == true { challenge += ", userhash=true" }
            let transport = ScriptedTransport(.status(401, fields: [.wwwAuthenticate: challenge]), .status(200))
            let auth = DigestAuthMiddleware(username: vector.username, password: vector.password) {
                vector.cnonce ?? "unused"
            }
            let method = try #require(HTTPMethod(vector.method))
            let body = Data((vector.body ?? "").utf8)
            _ = try await makeClient(transport, auth).call(
                method, vector.uri, body: body.isEmpty ? .empty : .data(body))
            let value = try #require(transport.requests.last?["authorization"], "\(vector.id)")
            var parser = ChallengeParser(String(value.dropFirst("Digest ".count)))
            let sent = parser.parameters()
            #expect(sent["response"] == vector.expected_response, "\(vector.id)")
            #expect(sent["realm"] == vector.realm, "\(vector.id)")
            #expect(sent["uri"] == vector.uri, "\(vector.id)")
            #expect(sent["nc"] == vector.nc, "\(vector.id)")
            if let username = vector.expected_username { #expect(sent["username"] == username, "\(vector.id)") }
        }
    }

    /// RFC 9110 §5.6.4.
    private func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    /// `Authentication-Info: nextnonce="x"`
    private static func nextNonce(of header: String) -> String? {
        let parts = header.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "authentication-info" else { return nil }
        var parser = ChallengeParser(parts[1].trimmingCharacters(in: .whitespaces))
        return parser.parameters()["nextnonce"]
    }

    @Test func digestRulesAreKept() async throws {
        var words: [String] = []
        func challenge(_ algorithm: some StringProtocol) -> String {
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=\(algorithm)"
        }
        for rule in try Vectors.cases(authTable, "digest_api", of: DigestRule.self) {
            let auth = DigestAuthMiddleware(username: "me", password: Secret.password)
            // "SHA-256 if supported, …"
            let best = rule.expected.prefix { $0 != " " }
            if let algorithm = rule.algorithm, rule.expected.hasPrefix("skip") {
                let transport = ScriptedTransport(.status(401, fields: [.wwwAuthenticate: challenge(algorithm)]))
                #expect(try await makeClient(transport, auth).call().head.status == .unauthorized, "\(rule.id)")
                #expect(transport.requests.count == 1, "\(rule.id)")
            } else if let challenges = rule.challenges, challenges.contains("Digest \(best)") {
                var fields = HTTPFields()
                for text in challenges {
                    // "Digest MD5"
                    let parts = text.split(separator: " ")
                    let value = parts.count == 2 ? challenge(parts[1]) : "\(text) realm=\"r\""
                    fields.append(HTTPField(name: .wwwAuthenticate, value: value))
                }
                let transport = ScriptedTransport(.status(401, fields: fields), .status(200))
                _ = try await makeClient(transport, auth).call()
                let sent = try #require(transport.requests.last?["authorization"], "\(rule.id)")
                #expect(sent.contains("algorithm=\(best),"), "\(rule.id)")
            } else if let header = rule.header, let nonce = Self.nextNonce(of: header) {
                var fields = HTTPFields()
                try fields.addValue(
                    header.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces),
                    forName: "Authentication-Info")
                let transport = ScriptedTransport(
                    .status(401, fields: [.wwwAuthenticate: challenge("MD5")]), .status(200, fields: fields),
                    .status(200))
                let client = makeClient(transport, auth)
                for _ in 0..<2 { _ = try await client.call() }
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
        try check(claims, for: words, in: authTable, by: "AuthenticationTests")
    }

    @Test func proofsAreMade() throws {
        let vectors = try Vectors.cases(authTable, "oauth", of: OAuth.self)
        for vector in vectors where vector.isProof {
            let proof = ProofKey(verifier: try #require(vector.verifier))
            #expect(proof.challenge == vector.expected_challenge, "\(vector.id)")
        }
        Vectors.passOver(vectors.filter { !$0.isProof }.map(\.id), of: authTable)
    }
}
