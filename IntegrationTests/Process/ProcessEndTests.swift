// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import StrataTesting
import TestSupport
import Testing

/// A process may end at any moment, with transfers and handshakes under way: OpenSSL would free its locks in `exit`, under the
/// threads that still use them (openssl #6214).
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ProcessEndTests {
    /// How often each way is tried; `STRATA_PROCESS_ENDS` sets another count.
    private static let count =
        ProcessInfo.processInfo.environment["STRATA_PROCESS_ENDS"].flatMap { Int($0) } ?? 6

    @Test(arguments: ["curl", "urlsession"], ["exit", "main"])
    func keepsItsStatusWhateverIsUnderWay(_ transport: String, _ way: String) async throws {
        let ends = try await self.ends(transport, way, count: Self.count)
        #expect(ends == Array(repeating: way == "exit" ? .exit(7) : .exit(0), count: Self.count))
    }

    /// Swift ends the process by a trap then, with calls under way as without.
    @Test(arguments: ["curl", "urlsession"])
    func endsByAnErrorAsItWouldWithoutCalls(_ transport: String) async throws {
        let count = max(1, Self.count / 3)
        for end in try await ends(transport, "error", count: count) {
            #expect([.signal(SIGTRAP), .signal(SIGILL)].contains(end))
        }
    }

    private func ends(_ transport: String, _ way: String, count: Int) async throws -> [Subprocess.End] {
        let program = try #require(Subprocess.program("Stress"))
        let folder = try TemporaryFolder()
        return try await EchoServer.withServer(.init(tls: .init())) { server in
            let authority = try #require(server.certificateAuthority)
            try Data(authority.certificatePEM.utf8).write(to: folder["trust.pem"])
            var random = SeededGenerator(seed: 1)
            var ends: [Subprocess.End] = []
            for _ in 0..<count {
                let delay = Int.random(in: 0...50_000, using: &random)
                let arguments = [
                    program, "end", transport, way, "7", "\(delay)", "https://localhost:\(server.port)/get",
                    folder["trust.pem"].path,
                ]
                ends.append(try await Subprocess.blocking { try Subprocess.end(of: arguments, in: folder.url) })
            }
            return ends
        }
    }
}
