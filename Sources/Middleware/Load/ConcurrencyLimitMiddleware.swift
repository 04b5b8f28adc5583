// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Bounds how many exchanges are under way at a time; the others wait, first come, first served.
///
///     configuration.middleware = [RetryMiddleware(), ConcurrencyLimitMiddleware(20)]
///
/// An exchange is under way until its body has been read to its end or given up: a stream of events as long as it is read, a
/// WebSocket until it is open.
/// The wait counts against the call's deadline, and is in its record (`ExchangeRecord.waits`). Copies share the slots: give
/// several clients of one service the same value.
///
/// A call that waits does not hold up its caller's cancellation, and leaves nothing behind. A body that nobody reads or drops
/// keeps its slot.
///
/// Place: inside of redirects, retries, authentication and caches, which wait, or answer, without a server; and of a
/// ``RateLimitMiddleware``, which has counted by then what waits here.
///
/// - Throws: ``StrataCore/NetworkClientError`` with `concurrencyLimited` when the line is full, which is not tried again by default, and
///   with `timedOut` when the deadline passes in it.
public struct ConcurrencyLimitMiddleware: NetworkMiddleware {
    private let slots: ConcurrencySlots

    /// - Parameters:
    ///   - limit: exchanges at a time for each member of the scope; below 1 counts as 1.
    ///   - scope: Default: each origin for itself.
    ///   - maxQueued: how many may wait for each member of the scope. Default: 1000. 0: nobody waits.
    public init(_ limit: Int, per scope: LoadScope = .origin, maxQueued: Int = 1000) {
        slots = ConcurrencySlots(limit: max(limit, 1), scope: scope, maxQueued: max(maxQueued, 0))
    }

    /// How many exchanges are under way.
    public var underWay: Int { slots.underWay }
    /// How many calls wait.
    public var queued: Int { slots.queued }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        MiddlewarePlacement(
            role: .concurrencyLimit,
            rules: [
                .inside(.redirects, because: "hops to other origins would use up the slots of the first"),
                .insideRepeats(because: "a slot would be held between attempts, while nothing is under way"),
                .inside(.authentication, because: "a renewal of credentials may wait for the slot that its call holds"),
                .inside(.cache, because: "what is stored would wait for a slot"),
                .inside(.circuitBreaker, because: "calls would wait for a server to which nothing is sent"),
                .inside(.rateLimit, because: "a slot would be held while its call waits for the rate"),
                .once(because: "the wider one would hold its slots while calls wait for the narrower"),
            ])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let place: Int
        switch try slots.take(for: request) {
        case .now(let free): place = free
        case .later(let busy, let number):
            try await wait(at: busy, number, for: request, next)
            place = busy
        }
        do {
            var response = try await next(request)
            slots.giveBack(place, afterBodyOf: &response)
            return response
        } catch {
            slots.giveBack(place)
            throw error
        }
    }

    @inline(never)
    private func wait(
        at place: Int, _ number: UInt64, for request: TransportRequest, _ next: Next
    ) async throws {
        try await slots.wait(at: place, number, for: request)
        do { try next.checkAgain(request) } catch {
            slots.giveBack(place)
            throw error
        }
    }
}
