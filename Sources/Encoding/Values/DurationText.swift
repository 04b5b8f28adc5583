// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Durations as seconds, a decimal number with as many digits as it takes: `5`, `0.25`, `-1.5`.
enum DurationText {
    /// The digits behind the point of what is smallest: an attosecond.
    private static let digits = 18

    static func text(of duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let isNegative = seconds < 0 || attoseconds < 0
        var fraction = String(attoseconds.magnitude)
        fraction = String(repeating: "0", count: digits - fraction.count) + fraction
        while fraction.last == "0" { fraction.removeLast() }
        return (isNegative ? "-" : "") + String(seconds.magnitude) + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// - Returns: `nil` for anything but such a number, and for one that is finer than an attosecond.
    static func duration(from text: String) -> Duration? {
        let isNegative = text.hasPrefix("-")
        let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count),
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }), let seconds = Int64(parts[0])
        else { return nil }
        var fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.utf8.count <= digits else { return nil }
        fraction += String(repeating: "0", count: digits - fraction.utf8.count)
        guard let attoseconds = Int64(fraction) else { return nil }
        let sign: Int64 = isNegative ? -1 : 1
        return Duration(secondsComponent: sign * seconds, attosecondsComponent: sign * attoseconds)
    }
}
