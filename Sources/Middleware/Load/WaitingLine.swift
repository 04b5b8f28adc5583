// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Calls that wait for their turn: first come, first served. Whoever takes one out resumes it.
struct WaitingLine {
    struct Waiter {
        let continuation: CheckedContinuation<Void, any Error>
        let call: CallContext
        /// When it began to wait, by the call's clock.
        let started: Duration
        /// The call's whole deadline, for the error.
        let deadline: Duration?

        /// When the call's deadline passes, by its clock.
        var end: Duration? { call.remaining.map { call.clock.now + $0 } }
        var isOverdue: Bool { call.remaining.map { $0 <= .zero } ?? false }

        func failOverdue() { continuation.resume(throwing: NetworkClientError.timedOut(.deadline, after: deadline)) }
    }

    private var waiters: [UInt64: Waiter] = [:]
    /// Nobody has a lower number.
    private var first: UInt64 = 0
    private var next: UInt64 = 0

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count }

    /// A place in the line, to be taken by ``add(_:at:)`` or never.
    mutating func reserve() -> UInt64 {
        defer { next += 1 }
        return next
    }

    mutating func add(_ waiter: Waiter, at number: UInt64) {
        waiters[number] = waiter
        // Others that came later may have gone on already.
        first = min(first, number)
    }

    /// Who is next, without a change.
    mutating func peek() -> Waiter? {
        if waiters.isEmpty { return nil }
        while waiters[first] == nil { first += 1 }
        return waiters[first]
    }

    mutating func popFirst() -> (number: UInt64, waiter: Waiter)? {
        guard peek() != nil else { return nil }
        return waiters.removeValue(forKey: first).map { (first, $0) }
    }

    mutating func remove(_ number: UInt64) -> Waiter? { waiters.removeValue(forKey: number) }

    /// Takes out those whom `leaves`, which gets each with its position in the line.
    mutating func removeAll(where leaves: (Waiter, Int) -> Bool) -> [Waiter] {
        var removed: [Waiter] = []
        var position = 0
        for number in waiters.keys.sorted() {
            guard let waiter = waiters[number] else { continue }
            if leaves(waiter, position) {
                waiters[number] = nil
                removed.append(waiter)
            } else {
                position += 1
            }
        }
        return removed
    }

    /// Who is to be told first that its deadline has passed.
    var mostUrgent: (end: Duration, clock: any NetworkClock)? {
        var urgent: (end: Duration, clock: any NetworkClock)?
        for waiter in waiters.values {
            if let end = waiter.end, urgent.map({ end < $0.end }) ?? true { urgent = (end, waiter.call.clock) }
        }
        return urgent
    }
}
