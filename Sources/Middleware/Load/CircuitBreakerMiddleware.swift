// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
import Synchronization

/// Sends nothing to a server that fails, until it has had time to recover.
///
///     configuration.middleware = [RetryMiddleware(), CircuitBreakerMiddleware()]
///
/// It is *closed* at first. When too many calls have failed within ``Thresholds/window``, it is *open*: calls fail at once. After
/// ``Thresholds/pause`` it is *half open*: a few calls are let through, and their success closes it, a failure opens it again. A
/// call that is cancelled then makes room for another.
///
/// A failure is a status of 500 or above, no connection, one that broke, and a timeout, also while the body is read. No
/// failures are statuses below, cancellations, and what has not reached the transport.
///
/// An exchange counts once. While the circuit is closed it is a success as soon as its head is there, also a stream that stays open
/// for hours, and becomes a failure when its body breaks off. While it is half open the end of the body decides: one that is
/// dropped is a success. A body that has taken ``Thresholds/pause`` is judged by its head when the next call asks, so that no
/// stream keeps the circuit half open.
///
/// What waits for its turn in a limit further in is asked again when that has come: what was let through before the circuit opened
/// is not sent either.
///
/// ``RetryMiddleware`` outside of it sees that the circuit is open, and does not try again then: no wait, and nothing taken from
/// the budget. Copies share the circuits.
///
/// Place: inside of redirects, retries, authentication and caches; outside of limits.
///
/// - Throws: ``StrataCore/NetworkClientError`` with `circuitOpen`, unprocessed.
public struct CircuitBreakerMiddleware: NetworkMiddleware {
    public struct Thresholds: Hashable, Sendable {
        /// How long outcomes count. Default: 30 seconds.
        public var window = Duration.seconds(30)
        /// It opens only after so many failures in the window. At least 1. Default: 10.
        public var failures = 10
        /// It opens only when so many of the calls in the window have failed: 0 to 1. Default: 0.5.
        public var failureRate = 0.5
        /// For how long nothing is sent. Default: 15 seconds.
        public var pause = Duration.seconds(15)
        /// How many calls have to succeed before it closes; no more are let through at a time. At least 1. Default: 1.
        public var probes = 1

        public init() {}
    }

    private let breaker: CircuitBreaker

    /// - `scope`: which requests have a circuit in common. Default: those to one origin.
    /// - `isFailure`: judges by the outcome of one exchange in place of the rule above. It is not asked about cancellations, and not
    ///   about what was not sent.
    public init(
        _ thresholds: Thresholds = Thresholds(), per scope: LoadScope = .origin,
        isFailure: (@Sendable (Result<HTTPResponse, any Error>) -> Bool)? = nil
    ) {
        breaker = CircuitBreaker(thresholds, scope: scope, isFailure: isFailure)
    }

    /// The changes of all circuits from now on, until the breaker is gone. When they are not read, the newest 64 are kept.
    public func changes() -> AsyncStream<CircuitChange> { breaker.listeners.stream(keeping: 64) }

    /// Calls `action` for each change from now on, until the returned value is gone. It must be quick.
    public func onChange(_ action: @escaping @Sendable (CircuitChange) -> Void) -> Listening {
        breaker.listeners.add(action)
    }

    /// Calls `action` at each change, one at a time: the last one has the newest counts.
    package func onCounts(_ action: @escaping @Sendable (CircuitCounts) -> Void) -> Listening {
        breaker.listeners.add { [weak breaker] change in
            if let breaker { action(breaker.counts(with: change)) }
        }
    }

    /// For tests: calls, and probes among them, that have not ended.
    package var underWay: (calls: Int, probes: Int) { breaker.underWay }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        MiddlewarePlacement(
            role: .circuitBreaker,
            rules: [
                .inside(.redirects, because: "failures of other origins would count for the first"),
                .insideRepeats(because: "several failed attempts would count as one, or as none"),
                .inside(.authentication, because: "a failed renewal of credentials would count for the server"),
                .inside(.cache, because: "what is stored could not be had while the circuit is open"),
                .once(because: "the inner one's refusals would be all that the outer one sees"),
            ])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let pass = try breaker.admit(request)
        do {
            var response = try await next(request)
            breaker.end(pass, request, &response)
            return response
        } catch {
            breaker.end(pass, request, error)
            throw error
        }
    }
}

extension CircuitBreakerMiddleware: RefusingLayer {
    package func checkAgain(_ request: TransportRequest) throws { try breaker.checkAgain(request) }
}
