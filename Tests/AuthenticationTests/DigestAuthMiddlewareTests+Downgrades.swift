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
    // MARK: Downgrades

    static func challenge(_ algorithms: String..., extra: String = #", qop="auth""#) -> String {
        algorithms.map { #"Digest realm="r", nonce="\#($0)", algorithm=\#($0)\#(extra)"# }.joined(separator: ", ")
    }

    @Test(arguments: [
        ("SHA-256", "MD5", false), ("SHA-256", "MD5-sess", false), ("SHA-256-sess", "MD5", false),
        ("MD5", "SHA-256", true), ("SHA-256", "SHA-256", true), ("SHA-256-sess", "SHA-256", true),
    ])
    func aWeakerHashThanWasAcceptedIsNotAnswered(first: String, second: String, isAnswered: Bool) async throws {
        let transport = ScriptedTransport(
            .status(401, fields: [.wwwAuthenticate: Self.challenge(first)]), .status(200),
            .status(401, fields: [.wwwAuthenticate: Self.challenge(second)]), .status(200))
        let client = makeClient(transport, DigestAuthMiddleware(username: "u", password: Secret.password))
        #expect(try await client.call().head.status == .ok)
        #expect(try await client.call().head.status == (isAnswered ? .ok : .unauthorized))
        #expect(transport.requests.count == (isAnswered ? 4 : 3))
    }

    @Test func aHashThatWasNotAcceptedBindsNobody() async throws {
        let transport = ScriptedTransport(
            .status(401, fields: [.wwwAuthenticate: Self.challenge("SHA-256")]),
            .status(401, fields: [.wwwAuthenticate: Self.challenge("SHA-256")]),
            .status(401, fields: [.wwwAuthenticate: Self.challenge("MD5")]), .status(200))
        let client = makeClient(transport, DigestAuthMiddleware(username: "u", password: Secret.password))
        #expect(try await client.call().head.status == .unauthorized)
        #expect(try await client.call().head.status == .ok)
    }

    @Test func ofSeveralChallengesTheOneThatWasAcceptedIsStillAnswered() async throws {
        let transport = ScriptedTransport(
            .status(401, fields: [.wwwAuthenticate: Self.challenge("SHA-256")]), .status(200),
            .status(401, fields: [.wwwAuthenticate: Self.challenge("MD5", "SHA-256")]), .status(200))
        let client = makeClient(transport, DigestAuthMiddleware(username: "u", password: Secret.password))
        for _ in 0..<2 { #expect(try await client.call().head.status == .ok) }
        #expect(transport.requests[3]["authorization"]?.contains("algorithm=SHA-256") == true)
    }

    @Test func sendsThePasswordOnlyWhenAllowed() async throws {
        let transport = ScriptedTransport { request in
            request["authorization"] == nil ? .status(401, fields: [.wwwAuthenticate: "Basic"]) : .status(200)
        }
        let auth = DigestAuthMiddleware(username: "me", password: Secret.password, allowsBasic: true)
        #expect(try await makeClient(transport, auth).call().head.status == .ok)
        #expect(transport.requests[1]["authorization"]?.hasPrefix("Basic ") == true)
    }

    /// RFC 7616 §5.8: whoever is between could take away what can be answered.
    @Test(arguments: [
        #"Digest realm="r", nonce="n", algorithm=X, Basic realm="r""#,
        #"Basic realm="r", Digest realm="r", nonce="n", qop="auth-conf""#,
    ])
    func sendsNoPasswordToAServerThatKnowsDigests(_ challenges: String) async throws {
        let transport = ScriptedTransport(.status(401, fields: [.wwwAuthenticate: challenges]))
        let auth = DigestAuthMiddleware(username: "me", password: Secret.password, allowsBasic: true)
        #expect(try await makeClient(transport, auth).call().head.status == .unauthorized)
        #expect(transport.requests.map { $0["authorization"] } == [nil])
    }

    @Test func sendsNoPasswordToAServerThatAskedForADigestBefore() async throws {
        let transport = ScriptedTransport(
            .status(401, fields: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#]),
            .status(401, fields: [.wwwAuthenticate: "Basic"]))
        let auth = DigestAuthMiddleware(username: "me", password: Secret.password, allowsBasic: true)
        let client = makeClient(transport, auth)
        for _ in 0..<2 { #expect(try await client.call().head.status == .unauthorized) }
        #expect(!transport.requests.contains { $0["authorization"]?.hasPrefix("Basic ") == true })
    }

    /// Nor later, whatever kept the first challenge from being answered.
    @Test(arguments: [
        (#"Digest realm="r", nonce="n", algorithm=X"#, false),
        (#"Digest realm="r", nonce="n", qop="auth-conf""#, false),
        (#"Digest realm="r", nonce="n", qop="auth""#, true),
    ])
    func sendsNoPasswordToAServerWhoseDigestWentUnanswered(_ challenge: String, isOneShot: Bool) async throws {
        let transport = ScriptedTransport(
            .status(401, fields: [.wwwAuthenticate: challenge]), .status(401, fields: [.wwwAuthenticate: "Basic"]))
        let auth = DigestAuthMiddleware(username: "me", password: Secret.password, allowsBasic: true)
        let client = makeClient(transport, auth)
        _ = try await client.call(.post, body: isOneShot ? oneShotBody() : .empty)
        #expect(try await client.call().head.status == .unauthorized)
        #expect(!transport.requests.contains { $0["authorization"]?.hasPrefix("Basic ") == true })
    }
}
