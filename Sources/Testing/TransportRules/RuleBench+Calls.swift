// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension RuleBench {
    typealias Call = Task<Exchange, any Error>

    /// Begins a call, and waits until the server's log shows it.
    ///
    /// - Throws: ``RuleViolation`` when the call ends before.
    func begin(_ ask: Ask, with server: RawServer, until isSeen: @escaping @Sendable (RawLog) -> Bool) async throws
        -> Call
    {
        let (end, atEnd) = AsyncStream.makeStream(of: Void.self)
        let call = Call(executorPreference: ThreadExecutor.shared) {
            defer { atEnd.finish() }
            return try await exchange(ask, with: server)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await server.wait(until: isSeen) }
            group.addTask {
                for await _ in end {}
                try expect(isSeen(server.log), "a call ended that the server has not seen")
            }
            try await group.next()
        }
        return call
    }
}
