// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAuthentication
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import Synchronization
import Testing

/// Authentication against a server that checks it by code of its own.
@Suite(.timeLimit(.minutes(2)))
struct AuthenticationTests {
    @Test(arguments: TestedTransport.allCases)
    func basicIsAccepted(over transport: TestedTransport) async throws {
        try await transport.run([BasicAuthMiddleware(username: "Jäsøn", password: "a:b c")]) { client in
            expectEqual(try await client.status(.get, "basic-auth/Jäsøn/a:b c"), 200)
            expectEqual(try await client.status(.get, "basic-auth/Jason/a:b c"), 401)
        }
    }

    @Test(arguments: TestedTransport.allCases, ["MD5", "SHA-256"])
    func digestIsAccepted(over transport: TestedTransport, algorithm: String) async throws {
        try await transport.run([DigestAuthMiddleware(username: "Mufasa", password: "Circle of Life")]) { client in
            for qop in ["auth", "auth-int", "none"] {
                let path = "digest-auth/\(qop)/Mufasa/Circle of Life/\(algorithm)?x=1"
                for _ in 0..<3 { #expect(try await client.status(.get, path) == 200, "\(qop)") }
            }
            expectEqual(try await client.status(.get, "digest-auth/auth/Mufasa/other/\(algorithm)"), 401)
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func bearerTokensAreRenewedOnce(over transport: TestedTransport) async throws {
        let renewals = Mutex(0)
        let store = CredentialStore { _ in
            renewals.withLock { $0 += 1 }
            try await Task.sleep(for: .milliseconds(50))
            return Credential(token: "fresh")
        }
        try await transport.run([BearerAuthMiddleware(store)]) { client in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await client.status(.get, "bearer") } }
                for try await status in group { #expect(status == 200) }
            }
        }
        #expect(renewals.withLock { $0 } == 1)
    }

    @Test(arguments: TestedTransport.allCases)
    func refusedBodiesAreDisposedOfBeforeTheNextAttempt(over tested: TestedTransport) async throws {
        let retry = RetryMiddleware(maxAttempts: 3, backoff: .constant(.milliseconds(5)), budget: nil)
        // The body does not come with the head: it is under way when the next attempt is decided on.
        let script: RawScript = .forever(
            .readRequest, .send("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\n"), .wait(.milliseconds(20)),
            .send("busy"))
        try await RawServer.withServer(script: script) { server in
            try await tested.run { transport in
                let client = NetworkClient(
                    configuration: NetworkConfiguration(
                        baseURL: URL(string: server.url), transport: transport, middleware: [retry]))
                let request = NetworkRequest<String, VoidResponse>(path: "busy", method: .put, body: "again") {
                    $0.acceptableStatus = .any
                }
                for _ in 0..<10 {
                    let attempts = try await client.run(request).exchange.attempts
                    #expect(attempts.map(\.status?.code) == [503, 503, 503])
                    // URLSession does not tell.
                    if tested == .curl {
                        #expect(attempts.dropFirst().allSatisfy { $0.metrics?.isConnectionReused == true })
                    }
                }
            }
        }
    }
}
