// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Holds requests back that a server would refuse for being too many.
///
///     configuration.middleware = [RetryMiddleware(), RateLimitMiddleware(.requests(100, per: .seconds(60)))]
///
/// There are two limits, and both count: a ``RequestRate`` of your own, and what the server says of its own. It learns from
/// `RateLimit` and `RateLimit-Policy`, from `RateLimit-Remaining` and its like, also after `X-`, and from the `Retry-After` of a
/// 429 or 503. A response does not say which requests share its quota: where that is not the scope's members, name them by
/// ``LoadScope/key(_:)``. What a server says is believed for an hour.
///
/// Requests wait, first come, first served; the wait counts against the call's deadline, and is in its record
/// (`ExchangeRecord.waits`). A request that was not sent after all gives its token back. Copies share the budget: give several
/// clients of one service the same value.
///
/// Place: inside of redirects, retries, authentication and caches: each request that goes out counts. Outside of a
/// ``ConcurrencyLimitMiddleware``, so that no slot is held while a call waits for the rate. A request counts when it passes
/// here: those that then wait for a slot may go out closer together than the rate says, at most as many at once as there are
/// slots, and what the server says meanwhile no longer stops them. Give it slots enough that calls seldom wait for one.
///
/// - Throws: ``StrataCore/NetworkClientError`` with `rateLimited`, at once, when the wait would be longer than is allowed or than the
///   deadline. It is not tried again by default.
public struct RateLimitMiddleware: NetworkMiddleware {
    /// What happens to a request that comes too early.
    public struct Excess: Hashable, Sendable {
        let maximumWait: Duration

        /// It waits, when that takes no longer than this.
        public static func wait(upTo maximum: Duration) -> Excess { Excess(maximumWait: max(maximum, .zero)) }
        /// It fails.
        public static let fail = Excess(maximumWait: .zero)
    }

    private let limiter: RateLimiter

    /// - Parameters:
    ///   - rate: for each member of the scope. Default: only what the server says.
    ///   - scope: Default: each origin for itself.
    ///   - excess: Default: a request waits for up to a minute.
    ///   - maxQueued: how many may wait for each member of the scope. Default: 1000.
    ///   - learns: whether the limits that a server names are kept. Default: yes.
    public init(
        _ rate: RequestRate? = nil, per scope: LoadScope = .origin, excess: Excess = .wait(upTo: .seconds(60)),
        maxQueued: Int = 1000, learns: Bool = true
    ) {
        limiter = RateLimiter(
            rate: rate, scope: scope, maximumWait: excess.maximumWait, maxQueued: max(maxQueued, 0), learns: learns)
    }

    /// How many requests wait.
    public var queued: Int { limiter.queued }

    /// For tests: how many requests are under way.
    package var underWay: Int { limiter.underWay }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        MiddlewarePlacement(
            role: .rateLimit,
            rules: [
                .inside(.redirects, because: "requests to other origins would go uncounted"),
                .insideRepeats(because: "further attempts would go uncounted"),
                .inside(.authentication, because: "a repeated request with fresh credentials would go uncounted"),
                .inside(.cache, because: "what is stored would count as a request"),
                .inside(.circuitBreaker, because: "calls would wait for a server to which nothing is sent"),
            ])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let pass: RateLimiter.Pass
        switch try limiter.enter(request) {
        case .now(let free): pass = free
        case .later(let place, let number): pass = try await wait(at: place, number, for: request, next)
        }
        do {
            let response = try await next(request)
            limiter.leave(pass, request, response.head)
            return response
        } catch {
            limiter.leave(pass, request, Self.response(of: error))
            throw error
        }
    }

    @inline(never)
    private func wait(
        at place: Int, _ number: UInt64, for request: TransportRequest, _ next: Next
    ) async throws -> RateLimiter.Pass {
        let pass = try await limiter.wait(at: place, number, for: request)
        do { try next.checkAgain(request) } catch {
            limiter.leave(pass, request, nil)
            throw error
        }
        return pass
    }

    /// The response that a layer further in has turned into an error.
    private static func response(of error: any Error) -> HTTPResponse? {
        (error as? NetworkClientError)?.response ?? (error as? RetryAfterError)?.response
    }
}
