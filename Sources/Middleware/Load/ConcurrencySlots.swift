// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// The slots of a ``ConcurrencyLimitMiddleware``, and the calls that wait for one.
final class ConcurrencySlots: Sendable {
    private struct Slots: LoadEntry {
        /// While anybody waits, all of them.
        var taken = 0
        var line = WaitingLine()
        /// How many have been told to wait, and are not in the line yet.
        var arriving = 0

        var waiting: Int { line.count + arriving }
        var isIdle: Bool { taken == 0 && waiting == 0 }
    }

    enum Turn {
        /// The call has a slot of this place.
        case now(place: Int)
        /// The call waits, by this number in the line.
        case later(place: Int, number: UInt64)
    }

    private let limit: Int
    private let scope: LoadScope
    private let maxQueued: Int
    private let table: Mutex<LoadTable<Slots>>
    /// For the deadlines of those that wait. Set under the table's lock.
    private let alarm = Alarm()

    init(limit: Int, scope: LoadScope, maxQueued: Int) {
        self.limit = limit
        self.scope = scope
        self.maxQueued = maxQueued
        table = Mutex(LoadTable(scope, new: Slots()))
    }

    var underWay: Int { table.withLock { $0.all.reduce(0) { $0 + $1.taken } } }
    var queued: Int { table.withLock { $0.all.reduce(0) { $0 + $1.line.count } } }

    /// - Throws: `concurrencyLimited` when the line is full.
    func take(for request: TransportRequest) throws(NetworkClientError) -> Turn {
        let key = scope.key(of: request)
        let turn = table.withLock { table -> Turn? in
            let place = table.place(of: request, key: key)
            let waiting = table[place].waiting
            if table[place].taken < limit, waiting == 0 {
                table[place].taken += 1
                return .now(place: place)
            }
            if waiting >= maxQueued { return nil }
            table[place].arriving += 1
            return .later(place: place, number: table[place].line.reserve())
        }
        guard let turn else {
            throw NetworkClientError(
                .concurrencyLimited, "\(limit) exchanges are under way, and \(maxQueued) calls wait already")
        }
        return turn
    }

    /// Waits until the call has a slot.
    ///
    /// - Throws: `timedOut`; `transportShutDown`; `CancellationError`.
    @inline(never)
    func wait(at place: Int, _ number: UInt64, for request: TransportRequest) async throws {
        let call = request.callOrNew
        let started = call.clock.now
        var listening: Listening?
        defer {
            listening?.end()
            call.noteWait(.concurrencyLimit, since: started)
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = WaitingLine.Waiter(
                    continuation: continuation, call: call, started: started,
                    deadline: request.options.timeouts.deadline)
                enter(waiter, at: place, number)
                listening = call.onWaitsEnd { self.leave(place, number, $0) }
            }
        } onCancel: {
            leave(place, number, CancellationError())
        }
        do {
            // A cancel may have come when the slot had been handed over.
            try Task.checkCancellation()
            try call.checkDeadline(of: request)
        } catch {
            giveBack(place)
            throw error
        }
    }

    private func enter(_ waiter: WaitingLine.Waiter, at place: Int, _ number: UInt64) {
        let hasSlot = table.withLock { table in
            table[place].arriving -= 1
            if table[place].taken < limit {
                table[place].taken += 1
                return true
            }
            table[place].line.add(waiter, at: number)
            if let end = waiter.end { setAlarm(at: end, waiter.call.clock, unlessEarlier: true) }
            return false
        }
        if hasSlot {
            waiter.continuation.resume()
        } else if Task.isCancelled {
            // A cancel that came before found nobody in the line.
            leave(place, number, CancellationError())
        }
    }

    /// The call waits no longer. When it has its slot already, it gives it back itself.
    private func leave(_ place: Int, _ number: UInt64, _ error: any Error) {
        let waiter = table.withLock { table in
            defer { if table[place].line.isEmpty { stopAlarm(of: &table) } }
            return table[place].line.remove(number)
        }
        waiter?.continuation.resume(throwing: error)
    }

    func giveBack(_ place: Int) {
        let isAwaited = table.withLock { table in
            guard table[place].line.isEmpty else { return true }
            table[place].taken -= 1
            return false
        }
        if isAwaited { handOn(place) }
    }

    /// Hands a slot on to the next in the line, if there still is one.
    @inline(never)
    private func handOn(_ place: Int) {
        var overdue: [WaitingLine.Waiter] = []
        let next = table.withLock { table -> WaitingLine.Waiter? in
            defer { if table[place].line.isEmpty { stopAlarm(of: &table) } }
            while let (_, waiter) = table[place].line.popFirst() {
                if !waiter.isOverdue { return waiter }
                overdue.append(waiter)
            }
            table[place].taken -= 1
            return nil
        }
        next?.continuation.resume()
        for waiter in overdue { waiter.failOverdue() }
    }

    /// Gives a slot back when the body has ended, or nobody wants it any more.
    func giveBack(_ place: Int, afterBodyOf response: inout TransportResponse) {
        if response.body.isWhole { return giveBack(place) }
        response.observeBody(onPiece: { _ in }, onEnd: { _ in self.giveBack(place) })
    }

    // MARK: Deadlines

    private func setAlarm(at end: Duration, _ clock: any NetworkClock, unlessEarlier isFirst: Bool) {
        alarm.set(at: end, unlessEarlier: isFirst) {
            try await clock.waitForLimit(end - clock.now)
        } ring: { [weak self] in
            self?.failOverdue()
        }
    }

    private func stopAlarm(of table: inout LoadTable<Slots>) {
        if table.all.allSatisfy(\.line.isEmpty) { alarm.cancel() }
    }

    private func failOverdue() {
        var overdue: [WaitingLine.Waiter] = []
        table.withLock { table in
            var next: (end: Duration, clock: any NetworkClock)?
            table.changeAll { slots in
                overdue += slots.line.removeAll { waiter, _ in waiter.isOverdue }
                if let urgent = slots.line.mostUrgent, next.map({ urgent.end < $0.end }) ?? true { next = urgent }
            }
            if let next { setAlarm(at: next.end, next.clock, unlessEarlier: false) }
        }
        for waiter in overdue { waiter.failOverdue() }
    }
}
