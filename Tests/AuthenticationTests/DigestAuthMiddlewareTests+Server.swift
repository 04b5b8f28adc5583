// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

@testable import StrataAuthentication

extension DigestAuthMiddlewareTests {
    // MARK: The server's proof

    /// A server that proves that it knows the password, or a password.
    private func proving(
        _ algorithm: String, qop: String?, password: String = Secret.password, body: String = "welcome"
    ) -> ScriptedTransport {
        ScriptedTransport { request in
            let extra = qop.map { #", qop="\#($0)""# } ?? ""
            let challenge = Self.challenge(algorithm, extra: extra)
            guard let text = request["authorization"] else {
                return .status(401, fields: [.wwwAuthenticate: challenge])
            }
            var parser = ChallengeParser(String(text.dropFirst("Digest ".count)))
            let given = parser.parameters()
            let parsed = try #require(AuthenticationChallenge.parse(challenge).first.flatMap(DigestChallenge.init))
            let answer = DigestResponse(
                challenge: parsed, username: "u", password: password, method: "GET", uri: request.target,
                clientNonce: given["cnonce"] ?? "",
                session: .init(server: given["nonce"] ?? "", client: given["cnonce"] ?? ""), count: 1,
                hash: DigestHasher.hash(_:by:))
            let proof = answer.serverResponse(bodyHash: DigestHasher.hash(Array("welcome".utf8), by: parsed.algorithm))
            return .pieces(
                [Data(body.utf8)], fields: [.authenticationInfo: #"rspauth="\#(proof.uppercased())", qop=auth"#])
        }
    }

    @Test(arguments: ["MD5", "SHA-256", "SHA-256-sess"], ["auth", "auth-int", nil])
    func aProofOfThePasswordIsChecked(algorithm: String, qop: String?) async throws {
        let middleware = DigestAuthMiddleware(username: "u", password: Secret.password)
        let right = try await makeClient(proving(algorithm, qop: qop), middleware).call()
        #expect(try await right.body.collect() == Data("welcome".utf8))
        let wrong = makeClient(
            proving(algorithm, qop: qop, password: "another"),
            DigestAuthMiddleware(username: "u", password: Secret.password))
        await #expect { _ = try await wrong.call().body.collect() } throws: { isFailure($0, .protocolViolation) }
    }

    @Test func aBodyThatTheProofDoesNotCoverFailsAtItsEnd() async throws {
        let client = makeClient(
            proving("SHA-256", qop: "auth-int", body: "changed"),
            DigestAuthMiddleware(username: "u", password: Secret.password))
        let response = try await client.call()
        await #expect { _ = try await response.body.collect() } throws: { isFailure($0, .protocolViolation) }
    }
}
