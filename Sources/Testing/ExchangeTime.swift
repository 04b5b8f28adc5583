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

    /// A body that fails from the piece on that comes too late.
    func watching(_ source: any BodySource) -> any BodySource {
        limit == nil ? source : TimedSource(source, time: self)
    }
}
