// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct DigestRoutesTests {
    private func authorization(
        for response: String, uri: String, user: String = "u", password: String = "p", algorithm: DigestAlgorithm
    ) throws -> String {
        let nonce = try #require(response.firstMatch(of: /nonce="([^"]+)"/)?.output.1)
        let realm = try #require(response.firstMatch(of: /realm="([^"]+)"/)?.output.1)
        let first = algorithm.hex("\(user):\(realm):\(password)")
        let second = algorithm.hex("GET:\(uri)")
        let answer = algorithm.hex("\(first):\(nonce):00000001:c:auth:\(second)")
        return """
            Digest username="\(user)", realm="\(realm)", nonce="\(nonce)", uri="\(uri)", qop=auth, nc=00000001, \
            cnonce="c", algorithm=\(algorithm.rawValue), response="\(answer)"
            """
    }

    @Test(arguments: [
        ("/digest-auth/auth/u/p", DigestAlgorithm.md5), ("/digest-auth/auth/u/p/SHA-256", .sha256),
        ("/digest-auth/any/u/p/SHA-512/never?x=1", .sha512), ("/digest-auth/auth/u/p/OTHER", .md5),
    ])
    func challengesCanBeAnswered(target: String, algorithm: DigestAlgorithm) async throws {
        let challenge = try #require(try await ask(target).headers[.wwwAuthenticate])
        #expect(challenge.contains("algorithm=\(algorithm.rawValue)"))
        let right = try authorization(for: challenge, uri: target, algorithm: algorithm)
        #expect(try await ask(target, fields: [.authorization: right]).statusCode == 200)
        let wrong = try authorization(for: challenge, uri: target, password: "x", algorithm: algorithm)
        #expect(try await ask(target, fields: [.authorization: wrong]).statusCode == 401)
    }

    @Test func noncesGoStale() async throws {
        let target = "/digest-auth/auth/u/p/MD5/1"
        let first = try await ask(target)
        #expect(first.headers[values: .setCookie].contains("stale_after=1; Path=/"))
        let challenge = try #require(first.headers[.wwwAuthenticate])
        let credentials = try authorization(for: challenge, uri: target, algorithm: .md5)
        let second = try await ask(target, fields: [.authorization: credentials, .cookie: "stale_after=1"])
        #expect(second.statusCode == 200)
        #expect(second.headers[values: .setCookie].contains("stale_after=0; Path=/"))
        let third = try await ask(target, fields: [.authorization: credentials, .cookie: "stale_after=0"])
        #expect(third.statusCode == 401)
        #expect(third.headers[.wwwAuthenticate]?.contains("stale=TRUE") == true)
    }

    @Test(arguments: [("5", "4"), ("-9223372036854775808", "-1"), ("x", "never")])
    func staleAfterIsCountedDown(left: String, next: String) async throws {
        let target = "/digest-auth/auth/u/p"
        let challenge = try #require(try await ask(target).headers[.wwwAuthenticate])
        let credentials = try authorization(for: challenge, uri: target, algorithm: .md5)
        let response = try await ask(target, fields: [.authorization: credentials, .cookie: "stale_after=\(left)"])
        #expect(response.statusCode == 200)
        #expect(response.headers[values: .setCookie].contains("stale_after=\(next); Path=/"))
    }

    @Test func cookiesCanBeRequired() async throws {
        let target = "/digest-auth/auth/u/p?require-cookie=1"
        let challenge = try #require(try await ask(target).headers[.wwwAuthenticate])
        let credentials = try authorization(for: challenge, uri: target, algorithm: .md5)
        #expect(try await ask(target, fields: [.authorization: credentials]).statusCode == 401)
        #expect(try await ask(target, fields: [.authorization: credentials, .cookie: "x=y"]).statusCode == 403)
        #expect(
            try await ask(target, fields: [.authorization: credentials, .cookie: "fake=fake_value"]).statusCode == 200)
    }
}
