// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

package enum MonotonicClock {
    /// Nanoseconds since some fixed moment.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

extension UInt64 {
    /// The duration in nanoseconds: 0 for a negative one, the greatest number for one that is too long.
    package init(nanosecondsOf duration: Duration) {
        // More than five hundred years; `components` traps far beyond.
        let longest = Duration.seconds(Int64(1) << 34)
        let (seconds, attoseconds) = Swift.min(Swift.max(duration, .zero), longest).components
        self = duration > longest ? .max : UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }

    @inlinable
    package func saturatingAdd(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
