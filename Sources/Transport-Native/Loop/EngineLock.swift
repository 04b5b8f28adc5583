// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The lock of an engine: whoever has it touches the engine.
final class EngineLock: Sendable {
    private let mutex = Mutex(())
    /// Whether a thread has the lock, or is about to release it: asking the mutex costs a call into the system when it does.
    private let isTaken = Atomic(false)

    /// When another thread has the lock, that is mostly because it has been taken off the processor with it: the mutex would keep the
    /// processor from it, and look a thousand times whether it is done.
    func withLock<Result: Sendable>(_ body: () -> Result) -> Result {
        if isTaken.load(ordering: .relaxed) { sched_yield() }
        return mutex.withLock { _ in hold(body) }
    }

    /// - Returns: `nil` when another thread has the lock.
    func withLockIfAvailable<Result: Sendable>(_ body: () -> Result) -> Result? {
        if isTaken.load(ordering: .relaxed) { return nil }
        return mutex.withLockIfAvailable { _ in hold(body) }
    }

    private func hold<Result: Sendable>(_ body: () -> Result) -> Result {
        isTaken.store(true, ordering: .relaxed)
        defer { isTaken.store(false, ordering: .relaxed) }
        return body()
    }
}
