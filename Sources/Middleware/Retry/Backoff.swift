// SPDX-License-Identifier: Apache-2.0

/// How long to wait before trying again, when the server does not say.
///
/// The nominal wait before the n-th retry is `base * factor^(n-1)`, at most `maximum`; `jitter` spreads it, so that
/// clients that failed together do not come back together.
public struct Backoff: Hashable, Sendable {
    /// The nominal wait before the first retry. Default: half a second.
    package var base: Duration
    /// How many times as long as the one before each nominal wait is. Default: 2.
    package var factor: Double
    /// The longest nominal wait. Default: 20 seconds.
    package var maximum: Duration
    /// Default: ``Jitter/full``.
    package var jitter: Jitter
    /// Whether the first retry is sent at once. The second still waits as long as a second retry does. Default: no.
    public var isFirstImmediate: Bool

    public init(
        base: Duration = .milliseconds(500), factor: Double = 2, maximum: Duration = .seconds(20),
        jitter: Jitter = .full, isFirstImmediate: Bool = false
    ) {
        self.base = base
        self.factor = factor
        self.maximum = maximum
        self.jitter = jitter
        self.isFirstImmediate = isFirstImmediate
    }

    /// Full jitter from half a second on, doubled each time, up to 20 seconds.
    public static let exponential = Backoff()
    /// No wait at all.
    public static let none = Backoff(base: .zero, maximum: .zero, jitter: .none)
    /// The same wait each time.
    public static func constant(_ wait: Duration) -> Backoff {
        Backoff(base: wait, factor: 1, maximum: wait, jitter: .none)
    }

    /// How the nominal wait is spread.
    public struct Jitter: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case none, full, equal
            case proportional(Double)
            case added(Duration)
        }

        let kind: Kind

        public static let none = Jitter(kind: .none)
        /// Anywhere from nothing to the nominal wait.
        public static let full = Jitter(kind: .full)
        /// Anywhere from half of the nominal wait to the whole.
        public static let equal = Jitter(kind: .equal)
        /// The nominal wait, shorter or longer by this fraction of it, 0 to 1; may exceed the maximum by it.
        public static func proportional(_ fraction: Double) -> Jitter {
            Jitter(kind: .proportional(fraction > 0 ? min(fraction, 1) : 0))
        }
        /// The nominal wait and up to this much more, within the maximum.
        public static func added(upTo limit: Duration) -> Jitter { Jitter(kind: .added(limit)) }
    }

    /// The wait before the n-th retry, counted from 1.
    ///
    /// - `randomness`: a number from the range, evenly distributed.
    package func delay(
        beforeRetry retry: Int, randomness: (ClosedRange<Double>) -> Double = { .random(in: $0) }
    ) -> Duration {
        if isFirstImmediate, retry <= 1 { return .zero }
        let limit = max(maximum / .seconds(1), 0)
        let nominal = Self.nominal(base: max(base / .seconds(1), 0), factor: factor, retry: retry, limit: limit)
        let seconds: Double =
            switch jitter.kind {
            case .none: nominal
            case .full: randomness(0...nominal)
            case .equal: randomness((nominal / 2)...nominal)
            case .proportional(let fraction):
                nominal * randomness((1 - fraction)...(1 + fraction))
            case .added(let extra): min(nominal + randomness(0...max(extra / .seconds(1), 0)), limit)
            }
        // Far beyond any wait, and well within what a `Duration` holds.
        return .seconds(min(max(seconds.isFinite ? seconds : limit, 0), 1e12))
    }

    /// Computed in floating point, where 2^1000 is a large number and no overflow.
    private static func nominal(base: Double, factor: Double, retry: Int, limit: Double) -> Double {
        guard base > 0, factor > 0 else { return 0 }
        var wait = base
        for _ in 1..<max(retry, 1) {
            let next = wait * factor
            if next == wait || next >= limit && factor >= 1 { return min(next, limit) }
            wait = next
        }
        return min(wait, limit)
    }
}
