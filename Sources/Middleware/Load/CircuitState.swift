// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// What a circuit breaker does with calls.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CircuitState: String, Hashable, Sendable {
    /// Lets them through.
    case closed
    /// Has them fail.
    case open
    /// Lets some through, to see whether the server has recovered.
    case halfOpen = "half_open"
}

/// That a circuit breaker has changed its state.
public struct CircuitChange: Hashable, Sendable {
    /// Of the request that has led to it; `nil` when it had none.
    public let origin: Origin?
    public let from: CircuitState
    public let to: CircuitState
}

/// How many circuits are in each state.
package struct CircuitCounts: Sendable {
    /// Whose circuits they are, if each origin has one of its own.
    package var server: Origin?
    package var circuits: [CircuitState: Int] = [:]
}
