// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataMiddleware
import TestSupport
import Testing

/// Processes that share the file of one login, with a server that takes each refresh token once.
@Suite(.timeLimit(.minutes(5)))
struct SharedLoginTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder["login"]
    }

    private func start(_ url: String, count: Int) async throws -> Subprocess {
        let program = try #require(Subprocess.program("ChildProcess"))
        return try Subprocess.start([program, "renew", file.path, url, String(count)], in: folder.url)
    }

    private func signIn() async throws {
        let login = Credential(token: "a0", expiry: Date(timeIntervalSince1970: 0), refreshToken: "r0")
        try await FileTokenStore(file).save(json: login)
    }

    private func refreshToken() async throws -> String? {
        try await FileTokenStore(file).load(as: Credential.self)?.refreshToken
    }

    @Test func processesThatShareAFileLoseNoRefreshToken() async throws {
        try await signIn()
        let (processes, calls) = (3, 40)
        let server = RotatingServer()
        try await server.run { url in
            var children: [Subprocess] = []
            for _ in 0..<processes { children.append(try await start(url, count: calls)) }
            for child in children {
                #expect(try await Subprocess.blocking { child.waitForEnd() } == .exit(0))
            }
        }
        #expect(server.refused == [])
        #expect(server.newest == processes * calls)
        #expect(server.resources == processes * calls)
        #expect(try await refreshToken() == "r\(processes * calls)")
    }

    /// The lock of a process that is killed is given up by the system, and another goes on with what is stored.
    @Test func aProcessThatIsKilledAmidARenewalHoldsNobodyUp() async throws {
        try await signIn()
        let calls = 20
        let server = RotatingServer { number, client in
            guard number == calls / 2, let process = pid_t(client) else { return true }
            kill(process, SIGKILL)
            return false
        }
        let ends = try await server.run { url in
            var children: [Subprocess] = []
            for _ in 0..<3 { children.append(try await start(url, count: calls)) }
            var ends: [Subprocess.End] = []
            for child in children { ends.append(try await Subprocess.blocking { child.waitForEnd() }) }
            return ends
        }
        #expect(ends.count { $0 == .exit(0) } == 2 && ends.contains(.signal(SIGKILL)))
        #expect(server.refused == [])
        #expect(try await refreshToken() == "r\(server.newest)")
    }
}
