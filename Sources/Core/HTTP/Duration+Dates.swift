// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension Duration {
    /// The time until a date, rounded up to whole milliseconds: a fraction of seconds might come out a little too short.
    /// Zero when the date has passed, and no more than some thirty thousand years.
    package static func time(until date: Date, from now: Date) -> Duration {
        let interval = date.timeIntervalSince(now)
        return interval > 0 ? .milliseconds(Int64((min(interval, 1e12) * 1000).rounded(.up))) : .zero
    }

    /// A time limit given in seconds; `nil` for what is none: zero or less, 1e9 and more, and what is no number.
    package static func limit(seconds: Double) -> Duration? { seconds > 0 && seconds < 1e9 ? .seconds(seconds) : nil }
}
