// SPDX-License-Identifier: Apache-2.0

/// How long a replayed exchange takes, by the client's clock; with a ``VirtualClock`` it takes no time, and the waits are among its
/// `sleeps`.
public struct ReplayTime: Hashable, Sendable {
    private let factor: Double

    /// Heads and pieces come when they came at recording.
    public static let asRecorded = ReplayTime(factor: 1)
    /// Everything is there at once.
    public static let immediate = ReplayTime(factor: 0)

    /// As recorded, times `factor`: 0.1 is ten times as fast. Below zero and what is not a number count as zero, and a time is
    /// a hundred years at most.
    public static func scaled(by factor: Double) -> ReplayTime {
        ReplayTime(factor: factor > 0 ? factor : 0)
    }

    func callAsFunction(_ time: Duration) -> Duration {
        if factor == 1 { return time }
        let seconds = time / .seconds(1) * factor
        return .nanoseconds(seconds.isFinite ? Int64((min(seconds, 3.2e9) * 1e9).rounded()) : 0)
    }
}
