// SPDX-License-Identifier: Apache-2.0

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
