// SPDX-License-Identifier: Apache-2.0

/// How many requests may be sent in a time: a bucket of tokens, of which each request takes one.
public struct RequestRate: Hashable, Sendable {
    /// After which time a token comes back.
    let interval: Duration
    /// How many tokens the bucket holds.
    let burst: Int

    /// - `requests`: at least 1; they come back evenly over the time.
    /// - `burst`: how many may be sent at once after a pause; at least 1. Default: all of them.
    public static func requests(_ requests: Int, per time: Duration, burst: Int? = nil) -> RequestRate {
        RequestRate(
            interval: min(max(time, .zero), longestTime) / max(requests, 1),
            burst: min(max(burst ?? requests, 1), largestBurst))
    }

    // Nobody notices these bounds, and times reckoned with them fit in a `Duration`.
    /// 136 years.
    private static let longestTime = Duration.seconds(1 << 32)
    private static let largestBurst = 1 << 30
}

/// The tokens of a ``RequestRate``, as the time at which the bucket is full again: the algorithm GCRA of ITU-T I.371. Time that
/// jumps fills it up, and no more.
struct TokenBucket: Sendable {
    private let rate: RequestRate
    private var fullAt = Duration.zero
    /// How often it has been full and was taken from.
    private(set) var period: UInt64 = 0

    init(_ rate: RequestRate) { self.rate = rate }

    /// When there will be a token for the next request but `position`.
    func ready(_ position: Int, now: Duration) -> Duration {
        max(fullAt, now) + rate.interval * position - rate.interval * (rate.burst - 1)
    }

    mutating func take(now: Duration) {
        if fullAt <= now { period += 1 }
        fullAt = max(fullAt, now) + rate.interval
    }

    /// Puts a token back that was taken in this period: time has made up for one that was taken before.
    mutating func putBack(of period: UInt64) {
        if period == self.period { fullAt -= rate.interval }
    }
}
