// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import StrataAuthentication
import StrataCore
import StrataEncoding
import StrataMiddleware
import Testing

/// Sessions with a server that sets cookies by code of its own.
@Suite(.timeLimit(.minutes(2)))
struct CookieSessionTests {
    private struct Cookies: Decodable, Equatable {
        let cookies: [String: String]
    }

    @Test(arguments: TestedTransport.allCases)
    func aSessionIsBegunAndEndedOnRedirects(over transport: TestedTransport) async throws {
        try await transport.run([RetryMiddleware(), CookieMiddleware()]) { try await Self.session($0) }
    }

    /// The same server that the echo server is made after, when it is there.
    @Test(.httpbin, arguments: TestedTransport.allCases)
    func theSameWithHTTPBin(over tested: TestedTransport) async throws {
        let url = try #require(HTTPBin.url.flatMap { URL(string: $0) })
        try await tested.run { transport in
            let client = NetworkClient(
                configuration: NetworkConfiguration(
                    baseURL: url, transport: transport, middleware: [RetryMiddleware(), CookieMiddleware()]))
            try await Self.session(client)
        }
    }

    private static func session(_ client: NetworkClient) async throws {
        func cookies(_ path: String) async throws -> [String: String] {
            try await client.run(NetworkRequest<VoidRequest, Cookies>(path: path, method: .get)).value.cookies
        }
        expectEqual(try await cookies("cookies/set?sid=abc&theme=dark"), ["sid": "abc", "theme": "dark"])
        expectEqual(try await cookies("cookies"), ["sid": "abc", "theme": "dark"])
        expectEqual(try await cookies("cookies/set/sid/other"), ["sid": "other", "theme": "dark"])
        expectEqual(try await cookies("cookies/delete?sid"), ["theme": "dark"])
    }

    /// The server names the last nonce in a cookie, and how often one may be used: a client without cookies is challenged
    /// for ever.
    @Test(arguments: TestedTransport.allCases, ["MD5", "SHA-256"])
    func aDigestWithItsNonceInASessionIsAccepted(over transport: TestedTransport, algorithm: String) async throws {
        let digest = DigestAuthMiddleware(username: "Mufasa", password: "Circle of Life")
        let jar = CookieJar()
        try await transport.run([digest, CookieMiddleware(jar)]) { client in
            let path = "digest-auth/auth/Mufasa/Circle of Life/\(algorithm)"
            for _ in 0..<3 { expectEqual(try await client.status(.get, "\(path)?require-cookie=1"), 200) }
            #expect(jar.cookies.contains { $0.name == "fake" && $0.value == "fake_value" })
            // A nonce is good for two requests; the third is told so, and answers the new challenge.
            for _ in 0..<4 { expectEqual(try await client.status(.get, "\(path)/2?require-cookie=1"), 200) }
        }
        try await transport.run([digest]) { client in
            let path = "digest-auth/auth/Mufasa/Circle of Life/\(algorithm)?require-cookie=1"
            expectEqual(try await client.status(.get, path), 401)
        }
    }
}
