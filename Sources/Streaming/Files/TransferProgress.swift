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

/// Counts, and tells the rate over the last seconds.
struct ProgressMeter {
    private static let window = Duration.seconds(3)
    /// How far samples that are kept are apart at least, the newest excepted.
    private static let spacing = Duration.milliseconds(50)

    private(set) var progress = TransferProgress()
    private var started: Duration?
    private(set) var samples: [(time: Duration, bytes: Int64)] = []

    /// - Parameter completed: what was there before, which counts as done but not as rate.
    mutating func begin(completed: Int64, total: Int64?, now: Duration) {
        started = started ?? now
        samples = [(now, completed)]
        progress.completed = completed
        progress.total = total
        progress.bytesPerSecond = 0
        progress.elapsed = now - (started ?? now)
    }

    mutating func advance(by bytes: Int64) { progress.completed += bytes }

    /// Measures the rate up to now.
    mutating func measure(now: Duration) {
        progress.elapsed = now - (started ?? now)
        if samples.count > 2, now - samples[samples.count - 2].time < Self.spacing { samples.removeLast() }
        samples.append((now, progress.completed))
        // The oldest sample of the window stays, and one before it, so that the mean covers the window.
        while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
        guard let first = samples.first, now > first.time else { return }
        progress.bytesPerSecond = Double(progress.completed - first.bytes) / ((now - first.time) / .seconds(1))
    }
}
