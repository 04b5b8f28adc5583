// SPDX-License-Identifier: Apache-2.0

/// How far a body has come, for a progress bar.
public struct TransferProgress: Hashable, Sendable {
    /// Bytes so far, with those that an earlier download had left.
    public var completed: Int64
    /// Bytes in all; `nil` where nobody knows: a chunked or compressed response, a stream without a length.
    public var total: Int64?
    /// The mean of the last three seconds; 0 at the beginning.
    public var bytesPerSecond: Double
    /// Since the transfer began.
    public var elapsed: Duration

    public init(completed: Int64 = 0, total: Int64? = nil, bytesPerSecond: Double = 0, elapsed: Duration = .zero) {
        self.completed = completed
        self.total = total
        self.bytesPerSecond = bytesPerSecond
        self.elapsed = elapsed
    }

    /// 0 to 1; `nil` without a ``total``.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(1, Double(completed) / Double($0)) : 1 }
    }

    /// The time that the rest takes at this rate, some thirty thousand years at most; `nil` without a ``total`` or while
    /// nothing moves.
    public var remaining: Duration? {
        guard let total, bytesPerSecond > 0 else { return nil }
        // The total is the server's word: neither the difference nor the Duration may overflow.
        return .seconds(min(max(0, Double(total) - Double(completed)) / bytesPerSecond, 1e12))
    }
}
