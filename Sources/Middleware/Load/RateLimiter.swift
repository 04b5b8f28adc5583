// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a ``RateLimitMiddleware`` knows of each member of its scope, and the requests that wait.
final class RateLimiter: Sendable {
    private struct Member: LoadEntry {
        var bucket: TokenBucket?
        var quotas = LearnedQuotas()
        var line = WaitingLine()
        /// How many have been told to wait, and are not in the line yet.
        var arriving = 0
        /// When those took their tokens whose turn has come, and who have not gone on yet, by their numbers in the line.
        var served: [UInt64: Mark] = [:]
        var underWay = 0
        /// For the next in the line. Set under the table's lock.
        var alarm: Alarm?

        var waiting: Int { line.count + arriving }
        var isIdle: Bool { underWay == 0 && waiting == 0 }
        var isUnlimited: Bool { bucket == nil && quotas.isEmpty }

        mutating func ready(_ position: Int, now: Duration) -> Duration {
            quotas.roll(to: now)
            return max(bucket?.ready(position, now: now) ?? now, quotas.ready(position, now: now))
        }

        mutating func take(now: Duration) {
            bucket?.take(now: now)
            quotas.take()
        }

        func mark(_ now: Duration) -> Mark { Mark(sent: now, period: bucket?.period ?? 0, version: quotas.version) }

        mutating func serve(_ number: UInt64, now: Duration) {
            underWay += 1
            take(now: now)
            served[number] = mark(now)
        }

        mutating func putBack(_ mark: Mark) {
            bucket?.putBack(of: mark.period)
            quotas.putBack(takenIn: mark.version)
        }
    }

    /// When a token was taken.
    fileprivate struct Mark {
        let sent: Duration
        let period: UInt64
        let version: UInt64
    }

    /// A request on its way.
    struct Pass {
        fileprivate let place: Int
        /// How many exchanges its call had had, and when it took its token; `nil` for a request that took none.
        fileprivate var taken: (earlierAttempts: Int, mark: Mark)?
    }

    enum Turn {
        case now(Pass)
        /// The request waits, by this number in the line.
        case later(place: Int, number: UInt64)
    }

    private enum Refusal: Error {
        case lineIsFull
        case wait(Duration, isBeyondDeadline: Bool)
    }

    private let scope: LoadScope
    private let maximumWait: Duration
    private let maxQueued: Int
    private let learns: Bool
    private let table: Mutex<LoadTable<Member>>

    init(rate: RequestRate?, scope: LoadScope, maximumWait: Duration, maxQueued: Int, learns: Bool) {
        self.scope = scope
        self.maximumWait = maximumWait
        self.maxQueued = maxQueued
        self.learns = learns
        table = Mutex(LoadTable(scope, new: Member(bucket: rate.map { TokenBucket($0) })))
    }

    var queued: Int { table.withLock { $0.all.reduce(0) { $0 + $1.line.count } } }
    var underWay: Int { table.withLock { $0.all.reduce(0) { $0 + $1.underWay } } }

    // MARK: Before the request

    /// - Throws: `rateLimited`.
    func enter(_ request: TransportRequest) throws -> Turn {
        let key = scope.key(of: request)
        let free = table.withLock { table -> Pass? in
            let place = table.place(of: request, key: key)
            guard table[place].isUnlimited else { return nil }
            table[place].underWay += 1
            return Pass(place: place)
        }
        if let free { return .now(free) }
        return try enterLimited(request, key)
    }

    @inline(never)
    private func enterLimited(_ request: TransportRequest, _ key: String?) throws -> Turn {
        let call = request.callOrNew
        let now = call.clock.now
        let (remaining, attempts) = (call.remaining, call.attemptCount)
        let result = table.withLock { table -> Result<Turn, Refusal> in
            let place = table.place(of: request, key: key)
            let waiting = table[place].waiting
            let wait = table[place].ready(waiting, now: now) - now
            if wait <= .zero, waiting == 0 {
                table[place].underWay += 1
                table[place].take(now: now)
                return .success(.now(Pass(place: place, taken: (attempts, table[place].mark(now)))))
            }
            if wait > maximumWait { return .failure(.wait(wait, isBeyondDeadline: false)) }
            if let remaining, wait >= remaining { return .failure(.wait(wait, isBeyondDeadline: true)) }
            if waiting >= maxQueued { return .failure(.lineIsFull) }
            table[place].arriving += 1
            return .success(.later(place: place, number: table[place].line.reserve()))
        }
        switch result {
        case .success(let turn): return turn
        case .failure(let refusal): throw error(for: refusal)
        }
    }

    private func error(for refusal: Refusal) -> NetworkClientError {
        switch refusal {
        case .lineIsFull:
            NetworkClientError(.rateLimited, "\(maxQueued) requests wait already for the rate limit")
        case .wait(let wait, isBeyondDeadline: false):
            NetworkClientError(
                .rateLimited,
                "the rate limit asks for a wait of \(wait.brief), and \(maximumWait.brief) are allowed")
        case .wait(let wait, isBeyondDeadline: true):
            NetworkClientError(
                .rateLimited, "the rate limit asks for a wait of \(wait.brief), which does not fit in the deadline")
        }
    }

    // MARK: Waiting

    /// - Throws: `rateLimited`, when the server has made the wait too long meanwhile; `timedOut`; `transportShutDown`;
    ///   `CancellationError`.
    @inline(never)
    func wait(at place: Int, _ number: UInt64, for request: TransportRequest) async throws -> Pass {
        let call = request.callOrNew
        let started = call.clock.now
        var listening: Listening?
        defer {
            listening?.end()
            call.noteWait(.rateLimit, since: started)
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = WaitingLine.Waiter(
                    continuation: continuation, call: call, started: started,
                    deadline: request.options.timeouts.deadline)
                line(up: waiter, at: place, number)
                listening = call.onWaitsEnd { self.stepOut(place, number, $0) }
            }
        } onCancel: {
            stepOut(place, number, CancellationError())
        }
        let mark = table.withLock { $0[place].served.removeValue(forKey: number) }
        let pass = Pass(place: place, taken: mark.map { (call.attemptCount, $0) })
        do {
            // A cancel may have come when the token had been handed over.
            try Task.checkCancellation()
            try call.checkDeadline(of: request)
        } catch {
            leave(pass, request, nil)
            throw error
        }
        return pass
    }

    private func line(up waiter: WaitingLine.Waiter, at place: Int, _ number: UInt64) {
        table.withLock { table in
            table[place].arriving -= 1
            table[place].line.add(waiter, at: number)
        }
        serve(place)
        // A cancel that came before found nobody in the line.
        if Task.isCancelled { stepOut(place, number, CancellationError()) }
    }

    private func stepOut(_ place: Int, _ number: UInt64, _ error: any Error) {
        let waiter = table.withLock { table in
            let waiter = table[place].line.remove(number)
            if table[place].line.isEmpty { table[place].alarm?.cancel() }
            return waiter
        }
        waiter?.continuation.resume(throwing: error)
    }

    /// Lets those go on whose time has come, and sets the alarm for the next.
    private func serve(_ place: Int) {
        var served: [WaitingLine.Waiter] = []
        var overdue: [WaitingLine.Waiter] = []
        table.withLock { table in
            while let next = table[place].line.peek() {
                let now = next.call.clock.now
                let ready = table[place].ready(0, now: now)
                if next.isOverdue {
                    if let (_, next) = table[place].line.popFirst() { overdue.append(next) }
                } else if ready <= now {
                    guard let (number, next) = table[place].line.popFirst() else { break }
                    table[place].serve(number, now: now)
                    served.append(next)
                } else {
                    return setAlarm(of: &table[place], place, at: ready, next.call.clock)
                }
            }
            table[place].alarm?.cancel()
        }
        for waiter in served { waiter.continuation.resume() }
        for waiter in overdue { waiter.failOverdue() }
    }

    private func setAlarm(of member: inout Member, _ place: Int, at time: Duration, _ clock: any NetworkClock) {
        let alarm = member.alarm ?? Alarm()
        member.alarm = alarm
        alarm.set(at: time) {
            try await clock.sleep(for: time - clock.now)
        } ring: { [weak self] in
            self?.serve(place)
        }
    }

    // MARK: After the request

    /// - Parameter response: `nil` when there was none.
    func leave(_ pass: Pass, _ request: TransportRequest, _ response: HTTPResponse?) {
        let lesson = lesson(of: response, request)
        let unused = pass.taken.flatMap { $0.earlierAttempts == request.call?.attemptCount ? $0.mark : nil }
        let (isAwaited, isLater) = table.withLock { table in
            table[pass.place].underWay -= 1
            if let unused { table[pass.place].putBack(unused) }
            let isAwaited = (unused != nil || lesson != nil) && !table[pass.place].line.isEmpty
            let before = isAwaited ? table[pass.place].quotas : nil
            if let lesson { lesson.teach(&table[pass.place].quotas, sent: pass.taken?.mark.sent) }
            if response != nil, let sent = pass.taken?.mark.sent { table[pass.place].quotas.noteAnswer(sent: sent) }
            return (isAwaited, before.map { table[pass.place].quotas.mayDelay(more: $0) } ?? false)
        }
        if isLater { refuseThoseThatWaitTooLong(pass.place) }
        if isAwaited { serve(pass.place) }
    }

    /// - Returns: `nil` when the response says nothing of a limit, as nearly all do: that is to cost little.
    private func lesson(of response: HTTPResponse?, _ request: TransportRequest) -> Lesson? {
        guard learns, let response else { return nil }
        let status = response.status.code
        guard status == 429 || status == 503 || RateLimitFields.mayBeIn(response.headerFields) else { return nil }
        return Lesson(response, request.call?.clock ?? SystemClock())
    }

    /// What the server says has put the times off.
    private func refuseThoseThatWaitTooLong(_ place: Int) {
        var refused: [(WaitingLine.Waiter, Refusal)] = []
        table.withLock { table in
            var refusals: [Refusal] = []
            // Taken out, so that it is not copied.
            var line = table[place].line
            table[place].line = WaitingLine()
            let left = line.removeAll { waiter, position in
                let now = waiter.call.clock.now
                let ready = table[place].ready(position, now: now)
                if let end = waiter.end, ready >= end {
                    refusals.append(.wait(ready - waiter.started, isBeyondDeadline: true))
                } else if ready - waiter.started > maximumWait {
                    refusals.append(.wait(ready - waiter.started, isBeyondDeadline: false))
                } else {
                    return false
                }
                return true
            }
            table[place].line = line
            refused = Array(zip(left, refusals))
        }
        for (waiter, refusal) in refused { waiter.continuation.resume(throwing: error(for: refusal)) }
    }

    /// What a response says of the server's limits.
    private struct Lesson {
        private let quotas: [RateLimitFields.Quota]
        private let retryAfter: Duration?
        private let isRefused: Bool
        private let now: Duration

        /// - Returns: `nil` when it says nothing.
        @inline(never)
        init?(_ response: HTTPResponse, _ clock: any NetworkClock) {
            let status = response.status.code
            quotas = RateLimitFields.quotas(in: response.headerFields, now: clock.date)
            isRefused = status == 429
            retryAfter =
                isRefused || status == 503
                ? RetryAfterField.delay(in: response.headerFields, now: clock.date) : nil
            if quotas.isEmpty, retryAfter == nil { return nil }
            now = clock.now
        }

        func teach(_ known: inout LearnedQuotas, sent: Duration?) {
            known.learn(quotas, isRefused: isRefused, sent: sent, now: now)
            if let retryAfter { known.block(for: retryAfter, now: now) }
        }
    }
}
