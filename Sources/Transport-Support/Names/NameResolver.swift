// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Looks up the addresses of names, each name once at a time, in a bounded number of threads.
///
/// A lookup cannot be ended before the system has answered, whatever became of the request: with a thread for each, names whose
/// servers are slow would cost as many threads.
package final class NameResolver: Sendable {
    package typealias Lookup = @Sendable (_ name: String) -> Result<[String], LookupFailure>

    /// Why a name has no addresses, in the system's words.
    package struct LookupFailure: Error, Hashable {
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    /// One who waits for a name.
    package struct Ticket: Hashable, Sendable {
        let name: String
        fileprivate let number: UInt64
    }

    private struct Waiter: Sendable {
        let number: UInt64
        let done: @Sendable (Result<[String], LookupFailure>) -> Void
    }

    private struct State: Sendable {
        /// By name: those that are being looked up, and those that will be.
        var waiters: [String: [Waiter]] = [:]
        /// Names whose turn has not come, in order.
        var queue: [String] = []
        var workers = 0
        var lastNumber: UInt64 = 0
        var isStopped = false
    }

    private let state = Mutex(State())
    private let limit: Int
    private let lookup: Lookup

    /// As many names as the servers of a few of them may leave unanswered, without others having to wait.
    package static let usualLimit = 64

    /// - Parameter limit: of threads.
    package init(limit: Int = usualLimit, lookup: @escaping Lookup) {
        self.limit = limit
        self.lookup = lookup
    }

    /// How many threads look something up.
    var workerCount: Int { state.withLock { $0.workers } }

    /// - Parameter done: called once, from another thread or, when the system has no more threads, from this one; not after
    ///   ``cancel(_:)`` or ``stop()``.
    package func look(
        up name: String, _ done: @escaping @Sendable (Result<[String], LookupFailure>) -> Void
    ) -> Ticket {
        let (ticket, needsWorker) = state.withLock { state -> (Ticket, Bool) in
            state.lastNumber += 1
            let ticket = Ticket(name: name, number: state.lastNumber)
            guard !state.isStopped else { return (ticket, false) }
            let isNew = state.waiters[name] == nil
            state.waiters[name, default: []].append(Waiter(number: ticket.number, done: done))
            guard isNew else { return (ticket, false) }
            state.queue.append(name)
            guard state.workers < limit else { return (ticket, false) }
            state.workers += 1
            return (ticket, true)
        }
        if needsWorker { startWorker() }
        return ticket
    }

    /// Nobody waits any more. A lookup whose turn has not come is given up with the last who waits for it.
    package func cancel(_ ticket: Ticket) {
        state.withLock { state in
            state.waiters[ticket.name]?.removeAll { $0.number == ticket.number }
            guard state.waiters[ticket.name]?.isEmpty == true,
                let place = state.queue.firstIndex(of: ticket.name)
            else { return }
            state.queue.remove(at: place)
            state.waiters[ticket.name] = nil
        }
    }

    /// Nothing more is looked up. What is under way ends when the system answers, and its thread with it.
    package func stop() {
        state.withLock { state in
            state.isStopped = true
            (state.queue, state.waiters) = ([], [:])
        }
    }

    private func startWorker() {
        if let thread = LoopThread({ self.lookUpNames() }) { return thread.detach() }
        // Others will take the queue over; without any, nobody would.
        let isAlone = state.withLock { state in
            state.workers -= 1
            return state.workers == 0
        }
        if isAlone { failAll(LookupFailure(reason: "the system has no threads for another lookup")) }
    }

    /// A thread ends when there is nothing left to look up: making one costs little beside a lookup.
    private func lookUpNames() {
        while let name = nextName() {
            let result = lookup(name)
            let waiters = state.withLock { $0.waiters.removeValue(forKey: name) ?? [] }
            for waiter in waiters { waiter.done(result) }
        }
    }

    private func nextName() -> String? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.workers -= 1
                return nil
            }
            return state.queue.removeFirst()
        }
    }

    private func failAll(_ failure: LookupFailure) {
        let waiters = state.withLock { state in
            defer { (state.queue, state.waiters) = ([], [:]) }
            return state.waiters.values.flatMap { $0 }
        }
        for waiter in waiters { waiter.done(.failure(failure)) }
    }
}
