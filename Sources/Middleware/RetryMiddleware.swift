// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Sends a request again when an attempt failed in a way that may pass.
///
///     configuration.middleware = [RetryMiddleware(), BearerAuthMiddleware(store)]
///
/// By default a request is repeated only if that is safe (RFC 9110 §9.2.2): when its method is idempotent, when it has
/// an `Idempotency-Key`, or when the server has certainly not seen it. A ``condition`` of your own replaces these
/// rules. In any case the body has to be replayable. `Retry-After` from the server wins over ``backoff``.
///
/// When the wait would not fit in the call's deadline, the last response or error is returned at once. The body of a failed
/// response is discarded before the wait, so that its connection is free meanwhile; when that takes too much of the deadline,
/// the call times out.
///
/// Where the whole body is wanted (`RequestOptions.delivery` is `collected`, as `run` sets it), it is collected here,
/// and an attempt whose body breaks off or stalls is a failed one. Of a response that is read while it arrives, nothing is
/// repeated.
///
/// Where a ``CircuitBreakerMiddleware`` further in is open, and will be when the wait is over, nothing is tried again.
///
/// Why a failed call was not tried again is in its record (`ExchangeRecord.noRetry`), in the error's description, and in
/// the log.
///
/// Place: inside redirects and caches, outside of authentication, so that each attempt is signed afresh.
public struct RetryMiddleware: NetworkMiddleware {
    /// Attempts in all, the first included; below 1 counts as 1. Default: 3.
    public var maxAttempts: Int
    /// How long to wait when the server does not say. Default: ``Backoff/exponential``.
    public var backoff: Backoff
    /// Which outcomes are worth another attempt. Default: ``RetryCondition/transient``.
    public var condition: RetryCondition
    /// How far a server's `Retry-After` is followed. Default: for no longer than two minutes; then the request is sent
    /// again.
    public var retryAfter = RetryAfterPolicy.capped(at: .seconds(120))
    /// Whether requests by POST, PATCH and the like get an `Idempotency-Key` of their own, so that they can be repeated.
    /// Default: ``IdempotencyKeyPolicy/asGiven``, they do not.
    public var idempotencyKey = IdempotencyKeyPolicy.asGiven
    /// How much load retries may add; `nil`: any. Shared by all copies of this value. Default: ``RetryBudget/init(ratio:reserve:)``.
    public var budget: RetryBudget?
    /// Called for each retry, before the wait.
    public var onRetry: (@Sendable (Retry) -> Void)?
    /// A number from the range, evenly distributed: for the jitter.
    package var randomness: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }

    public init(
        maxAttempts: Int = 3, backoff: Backoff = .exponential, condition: RetryCondition = .transient,
        budget: RetryBudget? = RetryBudget()
    ) {
        self.maxAttempts = maxAttempts
        self.backoff = backoff
        self.condition = condition
        self.budget = budget
    }

    /// Retries as the strategy says. There is no ``budget`` unless one is set, so that the number of retries is always
    /// the same.
    public init(_ strategy: RetryStrategy, backoff: Backoff = .exponential) {
        self.init(maxAttempts: strategy.maxAttempts ?? 3, backoff: backoff, budget: nil)
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        MiddlewarePlacement(
            role: .retry,
            rules: [
                .inside(.redirects, because: "a failure after a redirect would repeat the whole chain"),
                .outside(.authentication, because: "a later attempt would go out with the first one's credentials"),
                .once(because: "their attempts multiply"),
            ])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var request = request
        let call = request.callOrNew
        try addIdempotencyKey(to: &request, of: call)
        budget?.beginCall(at: call.clock.now)
        var attempt = 1
        var paid: Int?
        while true {
            let earlierExchanges = call.attemptCount
            let result: Result<TransportResponse, any Error>
            do {
                result = .success(try await Self.collected(try await next(request), for: request))
            } catch { result = .failure(error) }

            let outcome = RetryCondition.Outcome(
                request: request, result: result.map(\.head), attempt: attempt, earlierExchanges: earlierExchanges)
            let retry: Retry
            switch verdict(on: outcome, in: call, paid: &paid) {
            case .again(let next): retry = next
            case .end(let reason):
                call.endAttempts(reason)
                return try Self.noting(reason, in: result)
            }
            if case .success(let response) = result {
                await response.body.discard()
                try Task.checkCancellation()
                // Discarding took time too. If the wait does not fit into the deadline any more, there is no body left
                // to hand up.
                if let remaining = call.remaining, retry.wait >= remaining {
                    var error = NetworkClientError.timedOut(.deadline, after: request.options.timeouts.deadline)
                    error.response = response.head
                    throw error
                }
            }
            onRetry?(retry)
            if retry.wait > .zero { try await call.sleep(for: retry.wait) } else { try Task.checkCancellation() }
            call.nextAttempt(.retry(cause: retry.cause, waited: retry.wait))
            attempt += 1
        }
    }

    /// The response with its body collected, if that is what the caller will do, and wants this body.
    private static func collected(
        _ response: TransportResponse, for request: TransportRequest
    ) async throws -> TransportResponse {
        guard request.options.delivery == .collected, !response.body.isWhole,
            response.isAccepted(by: request.options), !response.isRedirectToFollow(for: request)
        else { return response }
        var response = response
        do {
            response.body = try await response.body.collected(upTo: request.options.collectionLimit)
        } catch let error as NetworkClientError {
            throw response.attached(to: error)
        }
        return response
    }

    private enum Verdict {
        case again(Retry)
        /// The outcome is handed up; after a failure, for this reason.
        case end(ExchangeRecord.NoRetry?)
    }

    /// - Parameter paid: the cost of the last retry to the budget; set to the cost of this one.
    ///
    /// What the client itself has refused by a circuit that is open costs the budget nothing.
    @inline(never)
    private func verdict(on outcome: RetryCondition.Outcome, in call: CallContext, paid: inout Int?) -> Verdict {
        // What no server has said is the same each time.
        guard call.served == .network || outcome.error != nil else { return .end(nil) }
        if (outcome.error as? NetworkClientError)?.code == .circuitOpen {
            budget?.takeBack(retry: paid, isFirst: outcome.attempt == 1)
            return .end(.circuitOpen)
        }
        guard !(outcome.error is CancellationError), condition.allows(outcome) else {
            if let status = outcome.status, status < 400 {
                budget?.succeed(refunding: paid, after: outcome.attempt - 1)
                return .end(nil)
            }
            return .end(reasonToRefuse(outcome))
        }
        let limit = outcome.request.options.retryStrategy.maxAttempts ?? maxAttempts
        guard outcome.attempt < limit else { return .end(.attemptsUsedUp) }
        guard outcome.request.body.isReplayable else { return .end(.bodyNotReplayable) }
        guard let wait = wait(after: outcome, by: call.clock) else { return .end(.retryAfter) }
        if let remaining = call.remaining, wait >= remaining { return .end(.deadline) }
        if let end = call[CircuitBreaker.OpenUntil.self], end > call.clock.now + wait { return .end(.circuitOpen) }
        guard let price = takeFromBudget(after: outcome, at: call.clock.now, ofAtMost: limit - 1) else {
            return .end(.budgetUsedUp)
        }
        paid = price
        return .again(Retry(attempt: outcome.attempt + 1, cause: Self.cause(of: outcome), wait: wait))
    }

    /// Why the ``condition`` does not allow another attempt; `nil` after a cancel.
    private func reasonToRefuse(_ outcome: RetryCondition.Outcome) -> ExchangeRecord.NoRetry? {
        if outcome.error is CancellationError { return nil }
        if !RetryCondition.isRepeatable.allows(outcome), condition.allows(outcome.asGET) {
            return .notIdempotent(outcome.request.head.method)
        }
        if let status = outcome.status { return .status(status) }
        return .error((outcome.error as? NetworkClientError)?.code)
    }

    /// The outcome; an error's own record gets the reason too.
    private static func noting(
        _ reason: ExchangeRecord.NoRetry?, in result: Result<TransportResponse, any Error>
    ) throws -> TransportResponse {
        guard case .failure(var error as NetworkClientError) = result else { return try result.get() }
        error.exchange?.noRetry = reason
        throw error
    }

    /// The wait before the next attempt; `nil` when the server asks for a longer wait than ``retryAfter`` allows.
    private func wait(after outcome: RetryCondition.Outcome, by clock: any NetworkClock) -> Duration? {
        if let fields = try? outcome.result.get().headerFields,
            let asked = RetryAfterField.delay(in: fields, now: clock.date)
        {
            switch retryAfter.kind {
            case .capped(let maximum): return min(asked, max(maximum, .zero))
            case .upTo(let maximum): return asked <= maximum ? asked : nil
            case .ignored: break
            }
        }
        return backoff.delay(beforeRetry: outcome.attempt, randomness: randomness)
    }

    private func takeFromBudget(after outcome: RetryCondition.Outcome, at now: Duration, ofAtMost most: Int) -> Int? {
        guard let budget else { return 0 }
        let isTimeout = (outcome.error as? NetworkClientError)?.code == .timedOut
        return budget.takeRetry(after: isTimeout ? .timeout : .status, at: now, ofAtMost: most)
    }

    private func addIdempotencyKey(to request: inout TransportRequest, of call: CallContext) throws {
        guard case .generated(let make) = idempotencyKey.kind, request.head.headerFields[.idempotencyKey] == nil,
            !RetryCondition.isRepeatable.allows(
                .init(request: request, result: .success(.init(status: .ok)), attempt: 1))
        else { return }
        try request.head.headerFields.setValue(call.value(IdempotencyKey.self) { make() }, for: .idempotencyKey)
    }

    private enum IdempotencyKey: RequestAttributeKey {
        static let defaultValue = ""
    }

    private static func cause(of outcome: RetryCondition.Outcome) -> String {
        if let status = outcome.status { return String(status) }
        guard let error = outcome.error else { return "" }
        return (error as? NetworkClientError)?.code.description ?? String(describing: type(of: error))
    }

    /// A retry that is about to be waited for.
    public struct Retry: Hashable, Sendable {
        /// The number of the attempt to come: 2 for the first retry.
        public let attempt: Int
        /// A status, or an error's code.
        public let cause: String
        public let wait: Duration
    }
}
