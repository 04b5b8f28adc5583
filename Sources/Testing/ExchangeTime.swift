// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// How long an exchange has lasted, and may last, by its call's clock.
struct ExchangeTime: Sendable {
    private let clock: any NetworkClock
    private let start: Duration
    private let limit: (duration: Duration, kind: Timeouts.Kind)?
    private let timeouts: Timeouts

    /// The exchange begins now.
    init(_ request: TransportRequest) {
        clock = request.call?.clock ?? SystemClock()
        start = clock.now
        limit = request.timeLimit
        timeouts = request.options.timeouts
    }

    /// The error of the limit, when it has passed.
    var timeout: NetworkClientError? {
        guard let limit, clock.now - start >= limit.duration else { return nil }
        return NetworkClientError.timedOut(limit.kind, after: timeouts[limit.kind])
    }

    /// Returns at once when there is no limit.
    ///
    /// - Throws: the error of the limit when it has passed; `CancellationError`.
    func waitForTimeout() async throws {
        guard let limit else { return }
        try await clock.sleep(for: limit.duration - (clock.now - start))
        throw NetworkClientError.timedOut(limit.kind, after: timeouts[limit.kind])
    }

    /// Waits for what comes at `time`, counted from the beginning of the exchange.
    ///
    /// - Parameter heedsIdle: whether the longest silence counts.
    /// - Throws: the error of the limit, or of the longest silence, that passes before; `CancellationError`.
    func wait(until time: Duration, heedsIdle: Bool = true) async throws {
        let elapsed = clock.now - start
        let wait = time - elapsed
        if let timeout, wait <= .zero { throw timeout }
        if wait <= .zero { return }
        if let next = nextLimit(after: elapsed, heedsIdle: heedsIdle), next.wait <= wait {
            try await clock.sleep(for: next.wait)
            throw NetworkClientError.timedOut(next.kind, after: timeouts[next.kind])
        }
        try await clock.sleep(for: wait)
    }

    /// Waits for what never comes: until a limit passes, or the task is cancelled.
    ///
    /// - Parameter reason: why it does not come, for the error of the limit.
    func waitForEver(_ reason: String?) async throws {
        guard let next = nextLimit(after: clock.now - start) else {
            return try await SharedResult<Void>().value()
        }
        try await clock.sleep(for: next.wait)
        var error = NetworkClientError.timedOut(next.kind, after: timeouts[next.kind])
        if let reason { error.message += ": \(reason)" }
        throw error
    }

    /// The limit that passes first when nothing comes, and how long that takes.
    private func nextLimit(after elapsed: Duration, heedsIdle: Bool = true) -> (wait: Duration, kind: Timeouts.Kind)? {
        let whole = limit.map { (wait: max($0.duration - elapsed, .zero), kind: $0.kind) }
        guard heedsIdle, let idle = timeouts.idle, idle < whole?.wait ?? idle + .nanoseconds(1) else { return whole }
        return (max(idle, .zero), .idle)
    }

    /// A body that fails from the piece on that comes too late.
    func watching(_ source: any BodySource) -> any BodySource {
        limit == nil ? source : TimedSource(source, time: self)
    }
}
