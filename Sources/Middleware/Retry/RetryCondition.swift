// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whether an outcome is worth another attempt. Conditions compose:
///
///     retry.condition = .transient.and(.not(.status(500))).or(.status(409))
///
/// A condition judges the outcome alone. Whether the body can be sent again, the number of attempts, the budget and the
/// deadline are checked besides.
public struct RetryCondition: Sendable {
    /// What one attempt came to.
    public struct Outcome: Sendable {
        public let request: TransportRequest
        public let result: Result<HTTPResponse, any Error>
        /// 1 for the first.
        public let attempt: Int
        /// How many exchanges the call had made before.
        private let earlierExchanges: Int

        package init(
            request: TransportRequest, result: Result<HTTPResponse, any Error>, attempt: Int, earlierExchanges: Int = 0
        ) {
            self.request = request
            self.result = result
            self.attempt = attempt
            self.earlierExchanges = earlierExchanges
        }

        /// The exchanges of this attempt: none when a layer failed before anything was sent, several when inner layers
        /// follow redirects or answer challenges.
        var exchanges: ArraySlice<ExchangeRecord.Attempt> {
            request.call?.record.attempts.dropFirst(earlierExchanges) ?? []
        }

        /// The same outcome of a request that may be repeated.
        var asGET: Outcome {
            var request = request
            request.head.method = .get
            return Outcome(request: request, result: result, attempt: attempt, earlierExchanges: earlierExchanges)
        }

        /// The response's head; `nil` when there was none, and for an error that has none.
        public var response: HTTPResponse? {
            switch result {
            case .success(let head): head
            case .failure(let error): (error as? NetworkClientError)?.response
            }
        }

        public var status: Int? { try? result.get().status.code }
        public var error: (any Error)? {
            if case .failure(let error) = result { error } else { nil }
        }
    }

    private let check: @Sendable (Outcome) -> Bool

    public init(_ check: @escaping @Sendable (Outcome) -> Bool) {
        self.check = check
    }

    package func allows(_ outcome: Outcome) -> Bool { check(outcome) }

    public func and(_ other: RetryCondition) -> RetryCondition {
        RetryCondition { allows($0) && other.allows($0) }
    }

    public func or(_ other: RetryCondition) -> RetryCondition {
        RetryCondition { allows($0) || other.allows($0) }
    }

    public static func not(_ condition: RetryCondition) -> RetryCondition {
        RetryCondition { !condition.allows($0) }
    }

    public static let never = RetryCondition { _ in false }
    /// Any error but a cancellation, any response.
    public static let always = RetryCondition { !($0.error is CancellationError) }
}

extension RetryCondition {
    /// What is tried again by default: a request that the server never saw; one that may be repeated
    /// (``isRepeatable``) after a ``transientStatus`` or a ``transientError``.
    public static let transient = unprocessed.or(isRepeatable.and(transientStatus.or(transientError)))

    /// The request's method is idempotent (RFC 9110 §9.2.2 and the IANA registry), or it carries an `Idempotency-Key`.
    public static let isRepeatable = RetryCondition { outcome in
        outcome.request.head.method.isIdempotent
            || outcome.request.head.headerFields[.idempotencyKey] != nil
    }

    /// 408, 425, 429, 500, 502, 503, 504, and 413 with a `Retry-After` (RFC 9110 §15, RFC 6585, RFC 8470).
    public static let transientStatus = status(408, 425, 429, 500, 502, 503, 504).or(
        RetryCondition { outcome in
            guard outcome.status == 413, let fields = try? outcome.result.get().headerFields else { return false }
            return RetryAfterField.delay(in: fields, now: outcome.request.call?.clock.date ?? Date()) != nil
        })

    /// The connection failed or broke, or the exchange took too long, unless it was the deadline of the whole call that
    /// passed. An error that is not a `NetworkClientError`, such as a `URLError`, counts too when a transport has
    /// thrown it.
    public static let transientError = RetryCondition { outcome in
        guard let error = outcome.error as? NetworkClientError else {
            // An error of a layer's own leaves the exchange's record as it was.
            return outcome.error != nil && outcome.exchanges.last?.error == .internalFailure
        }
        return error.isTransient && !error.code.isRefusalOfClient
    }

    /// The server has certainly not acted on the request, which may then be repeated whatever its method. What a limit of the
    /// client's own has refused is not among it: trying again would add to the load.
    public static let unprocessed = RetryCondition { outcome in
        guard let error = outcome.error as? NetworkClientError, error.isUnprocessed, !error.code.isRefusalOfClient
        else {
            return false
        }
        // When the target of a redirect did not get the request, the server that redirected did.
        return outcome.exchanges.allSatisfy(\.isCertainlyUnprocessed)
    }

    public static func status(_ codes: Int...) -> RetryCondition {
        let codes = Set(codes)
        return RetryCondition { $0.status.map(codes.contains) == true }
    }

    public static func error(_ codes: NetworkClientError.Code...) -> RetryCondition {
        let codes = Set(codes)
        return RetryCondition { ($0.error as? NetworkClientError).map { codes.contains($0.code) } == true }
    }

    public static func method(_ methods: HTTPMethod...) -> RetryCondition {
        let methods = Set(methods.map(\.rawValue))
        return RetryCondition { methods.contains($0.request.head.method.rawValue) }
    }
}

extension RetryCondition.Outcome: CustomReflectable {
    /// The fields of the response stay out of dumps.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["request": request, "status": status as Any, "error": error as Any, "attempt": attempt],
            displayStyle: .struct)
    }
}
