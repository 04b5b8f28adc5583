// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets pieces of work through one by one, in the order in which they came.
package final class Turnstile: Sendable {
    private let last = Mutex<SharedResult<Void>?>(nil)

    package init() {}

    /// - Throws: what the work throws; `CancellationError` when the task is cancelled before its turn.
    package func pass<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
        let mine = SharedResult<Void>()
        let before = last.withLock { last in
            defer { last = mine }
            return last
        }
        do { try await before?.value() } catch {
            // Who comes after still waits for those before.
            Task {
                try? await before?.value()
                mine.finish(.success(()))
            }
            throw error
        }
        defer { mine.finish(.success(())) }
        return try await work()
    }
}
