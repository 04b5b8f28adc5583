// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Whether the loop's thread, having resumed several tasks of the thread pool, lets these run before it waits for sockets.
///
/// They are about to ask for more. When they run first, their requests go out together and the answers are taken together; else each
/// answer would wake the loop's thread, which would take the processor from the others. But the thread cannot choose who gets the
/// processor: where others keep it busy, they would hold up the sockets for milliseconds each time. So when a yield took long and few
/// requests came of it, there is none for a quarter of a second. A task that is resumed alone runs beside those that were resumed
/// shortly before; where there were none, the thread waits at once. Times are in nanoseconds.
struct Yielding {
    /// A yield that takes no longer does no harm.
    static let harmless: UInt64 = 1_000_000
    static let pause: UInt64 = 250_000_000
    /// How long after several tasks a single one counts as one of them.
    static let memory: UInt64 = 5_000_000

    private var pausedUntil: UInt64 = 0
    private var severalUntil: UInt64 = 0

    /// So many tasks have been resumed.
    ///
    /// - Returns: whether to yield.
    mutating func begin(after resumed: Int, at now: UInt64) -> Bool {
        if resumed > 1 { severalUntil = now.saturatingAdd(Self.memory) }
        return resumed > 0 && now < severalUntil && now >= pausedUntil
    }

    /// The yield is over.
    ///
    /// - Parameters:
    ///   - resumed: how many tasks had been resumed before.
    ///   - asked: how often tasks have asked for something meanwhile.
    mutating func end(from start: UInt64, to end: UInt64, resumed: Int, asked: Int) {
        if end - min(start, end) > Self.harmless, asked * 4 < resumed { pausedUntil = end.saturatingAdd(Self.pause) }
    }

    /// Yields, unless that has been of no use lately.
    mutating func yield(after resumed: Int, _ arrivals: Arrivals) {
        let start = MonotonicClock.now
        guard begin(after: resumed, at: start) else { return }
        let before = arrivals.total
        sched_yield()
        end(from: start, to: MonotonicClock.now, resumed: resumed, asked: arrivals.total - before)
    }
}
