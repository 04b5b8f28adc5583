// SPDX-License-Identifier: Apache-2.0

/// The four limits on a call's time. `nil` waits for ever.
///
/// They are values that travel down with the request; each layer that waits applies them.
public struct Timeouts: Hashable, Sendable {
    /// Name resolution, connection and TLS handshake together. Default: 30 seconds.
    ///
    /// URLSession reports connecting only for a request with a body; for others ``idle`` applies instead.
    public var connect: Duration?
    /// The longest silence tolerated while an exchange is under way. Default: 60 seconds.
    ///
    /// Measured between two pieces of the response, not over the whole transfer; time in which the reader holds the
    /// transfer back does not count. When it passes, the call or the reading of its body throws
    /// ``NetworkClientError/Code-swift.struct/timedOut``.
    public var idle: Duration?
    /// One exchange, from the request to the response's last byte. Default: none.
    public var attempt: Duration?
    /// The whole call: all attempts, waits and refreshes. Default: none.
    public var deadline: Duration?

    public init(
        connect: Duration? = .seconds(30), idle: Duration? = .seconds(60), attempt: Duration? = nil,
        deadline: Duration? = nil
    ) {
        self.connect = connect
        self.idle = idle
        self.attempt = attempt
        self.deadline = deadline
    }

    /// Which of the four.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: String, Hashable, Sendable, CustomStringConvertible {
        case connect, idle, attempt, deadline

        public var description: String { rawValue }
    }

    /// The limit of a kind as it was set; less may be left of a deadline.
    package subscript(_ kind: Kind) -> Duration? {
        switch kind {
        case .connect: connect
        case .idle: idle
        case .attempt: attempt
        case .deadline: deadline
        }
    }
}
