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
}
