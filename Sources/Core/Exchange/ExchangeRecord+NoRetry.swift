// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension ExchangeRecord {
    /// Why a call that failed was not tried again.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum NoRetry: Hashable, Sendable, CustomStringConvertible {
        case attemptsUsedUp
        case budgetUsedUp
        /// A circuit breaker lets nothing through before the wait is over.
        case circuitOpen
        /// The request's body can be produced only once.
        case bodyNotReplayable
        /// The wait would not have fitted in the deadline.
        case deadline
        /// `Retry-After` asks for a longer wait than is allowed.
        case retryAfter
        /// The method is not idempotent, and the request has no `Idempotency-Key` (RFC 9110 §9.2.2).
        case notIdempotent(HTTPMethod)
        /// A status that another attempt would not change.
        case status(Int)
        /// An error that another attempt would not change; `nil` for one that is not a ``NetworkClientError``.
        case error(NetworkClientError.Code?)
        /// As a middleware of your own has it.
        case other(String)

        public var description: String {
            switch self {
            case .attemptsUsedUp: "attempts used up"
            case .budgetUsedUp: "budget used up"
            case .circuitOpen: "the circuit is open"
            case .bodyNotReplayable: "the body cannot be produced again"
            case .deadline: "the wait would not fit in the deadline"
            case .retryAfter: "Retry-After asks for too long a wait"
            case .notIdempotent(let method): "\(method.rawValue) without an Idempotency-Key"
            case .status(let code): "status \(code) is not retried"
            case .error(let code): code.map { "\($0) is not retried" } ?? "the error is not retried"
            case .other(let text): text
            }
        }
    }
}
