// SPDX-License-Identifier: Apache-2.0

import CStrataSupport
import StrataTransportSupport
import Synchronization

/// Watches from a thread of its own how long the loop stays in one call into libcurl, and ends the connection that keeps it
/// there. The thread sleeps while the loop does.
final class LoopWatch: Sendable {
    private struct State {
        var judge = FloodJudge()
        /// The open connections.
        var sockets: Set<Int32> = []
        /// Those that were ended, for the loop to see.
        var ended: Set<Int32> = []
        var thread: LoopThread?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let alarm = Alarm()
    /// Counts the calls into libcurl and those back.
    private let step = Atomic<UInt64>(0)
    private let isInBatch = Atomic(false)
    private let isAwake = Atomic(false)
    private let hasEnded = Atomic(false)

    /// Between two looks, in nanoseconds: a flood lasts four of them.
    private static let interval: UInt64 = 10_000_000
    /// The same when a connection has just been ended: another may be no better.
    private static let shortInterval: UInt64 = 2_000_000

    // MARK: - The loop's side

    func beginBatch() {
        noteStep()
        // Ordered before the question whether the thread sleeps, as the thread asks the other way round.
        isInBatch.store(true, ordering: .sequentiallyConsistent)
        if !isAwake.load(ordering: .sequentiallyConsistent) { wake() }
    }

    func endBatch() { isInBatch.store(false, ordering: .relaxed) }

    /// The loop calls libcurl, or libcurl calls back.
    func noteStep() { step.store(step.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    func opened(_ socket: Int32) { state.withLock { _ = $0.sockets.insert(socket) } }

    /// The socket is about to be closed. From now on its number may be another's.
    func closed(_ socket: Int32) {
        state.withLock { state in
            state.sockets.remove(socket)
            state.ended.remove(socket)
            state.judge.closed(socket)
        }
    }

    /// A stream was cancelled, of which more may come.
    func cancelledStream(on socket: Int32) { state.withLock { $0.judge.allow(socket) } }

    /// The connections that were ended since the last time.
    func takeEnded() -> Set<Int32> {
        guard hasEnded.exchange(false, ordering: .acquiring) else { return [] }
        return state.withLock { state in
            defer { state.ended = [] }
            return state.ended
        }
    }

    /// Ends the thread.
    func stop() {
        let thread = state.withLock { state in
            state.isStopped = true
            return state.thread.take()
        }
        alarm.ring()
        thread?.finish()
    }

    private func wake() {
        isAwake.store(true, ordering: .sequentiallyConsistent)
        let needsThread = state.withLock { $0.thread == nil && !$0.isStopped }
        if needsThread {
            // Where the system has no thread for it, the loop goes on unwatched.
            let thread = LoopThread { self.run() }
            state.withLock { $0.thread = thread }
        } else {
            alarm.ring()
        }
    }

    // MARK: - The thread

    private func run() {
        var interval = Self.interval
        while !state.withLock(\.isStopped) {
            alarm.wait(nanoseconds: interval)
            // The ring may have been that of the end.
            if state.withLock(\.isStopped) { return }
            if isInBatch.load(ordering: .sequentiallyConsistent) {
                if look() { interval = Self.shortInterval }
                continue
            }
            interval = Self.interval
            _ = state.withLock { $0.judge.isSuspicious(step: nil) }
            isAwake.store(false, ordering: .sequentiallyConsistent)
            // A batch that began meanwhile may have found the thread awake.
            if isInBatch.load(ordering: .sequentiallyConsistent),
                !isAwake.exchange(true, ordering: .sequentiallyConsistent)
            {
                continue
            }
            alarm.wait()
        }
    }

    /// One look, by the thread, or by a test.
    ///
    /// - Returns: whether a connection was ended.
    @discardableResult
    func look() -> Bool {
        let now = step.load(ordering: .relaxed)
        return state.withLock { state in
            guard state.judge.isSuspicious(step: now) else { return false }
            var taken: [Int32: UInt64] = [:]
            for socket in state.sockets {
                let count = strata_bytes_taken(socket)
                if count >= 0 { taken[socket] = UInt64(count) }
            }
            let flooding = state.judge.judge(FloodJudge.Look(step: now, taken: taken))
            for socket in flooding {
                // Told first: the loop sees the end at once. Under the lock, so that the socket is not closed meanwhile, and
                // its number another's.
                state.sockets.remove(socket)
                state.ended.insert(socket)
                hasEnded.store(true, ordering: .releasing)
                endConnection(socket)
            }
            return !flooding.isEmpty
        }
    }
}
