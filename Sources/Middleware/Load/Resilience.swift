// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// The layers that keep a client and its servers up under load, in the order in which they work.
public enum Resilience {
    /// Retries, a breaker, limits, and a time for each attempt:
    ///
    ///     configuration.middleware = [LoggingMiddleware()] + Resilience.standard(around: [BearerAuthMiddleware(store)])
    ///     configuration.options.timeouts.deadline = .seconds(30)
    ///
    /// From the outside in:
    ///
    /// 1. ``RetryMiddleware``: `attempts` in all, with its own backoff and budget. Outermost, so that all that follows counts each
    ///    attempt, and nothing is held while it waits.
    /// 2. `layers`: what each attempt passes anew. Credentials, cookies, a cache; a `TraceparentMiddleware`.
    /// 3. ``CircuitBreakerMiddleware``, with `breaker`: outside of the limits, so that a call to a server that is down fails at once
    ///    and does not wait for its turn first.
    /// 4. ``RateLimitMiddleware``, with `rate`, and with what the server says: it waits for up to ten seconds. Outside of the
    ///    slots, so that none is held meanwhile; what waits for a slot has been counted, and goes out when it gets one.
    /// 5. ``ConcurrencyLimitMiddleware``: `concurrency` exchanges with each origin, and ten times as many calls that wait.
    /// 6. ``TimeoutMiddleware``: an exchange ends after `attemptTimeout`. Innermost, so that the time in the line does not count.
    ///
    /// The deadline of the whole call is an option of the client: `timeouts.deadline`. Give it room for the attempts that you
    /// want: waits that do not fit in it are not begun.
    ///
    /// Each call of this function makes layers with a state of their own; a client, its copies, and all that get the same list
    /// share it.
    ///
    /// - Parameters:
    ///   - attempts: in all. Default: 3.
    ///   - attemptTimeout: for one exchange, from the request to the last byte. Default: 10 seconds.
    ///   - concurrency: exchanges with one origin at a time. Default: 100.
    ///   - rate: requests to one origin. Default: only what the server says.
    ///   - breaker: Default: at least 10 failures in 30 seconds that are at least half of all exchanges open it, for 15 seconds.
    ///   - layers: what stands inside of the retries, and outside of the rest. Default: nothing.
    public static func standard(
        attempts: Int = 3, attemptTimeout: Duration = .seconds(10), concurrency: Int = 100, rate: RequestRate? = nil,
        breaker: CircuitBreakerMiddleware.Thresholds = .init(), around layers: [any NetworkMiddleware] = []
    ) -> [any NetworkMiddleware] {
        let (most, overflows) = concurrency.multipliedReportingOverflow(by: 10)
        return [RetryMiddleware(maxAttempts: attempts)] + layers + [
            CircuitBreakerMiddleware(breaker),
            RateLimitMiddleware(rate, excess: .wait(upTo: .seconds(10))),
            ConcurrencyLimitMiddleware(concurrency, maxQueued: overflows ? .max : most),
            TimeoutMiddleware(attemptTimeout),
        ]
    }
}
