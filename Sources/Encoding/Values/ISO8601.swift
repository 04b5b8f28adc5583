// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Dates as `2024-02-29T12:00:00.25Z` (RFC 3339), whatever the device's locale and calendar say.
package enum ISO8601 {
    /// With as many digits behind the point as it takes to read the same date back; `nil` some million years away.
    package static func text(of date: Date) -> String? {
        // From the reference date, not from 1970: that is how a `Date` is stored, and nothing is rounded.
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.magnitude < 0x1p46, let whole = Int64(exactly: interval.rounded(.down)) else { return nil }
        let (day, second) = (whole + referenceDate).quotientAndRemainder(dividingBy: 86_400)
        let (days, rest) = second < 0 ? (day - 1, second + 86_400) : (day, second)
        let civil = CivilDate(daysSinceEpoch: days)
        return "\(padded(civil.year, 4))-\(padded(civil.month, 2))-\(padded(civil.day, 2))T\(padded(rest / 3600, 2)):"
            + "\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))\(fraction(of: interval))Z"
    }

    /// 2001-01-01, in seconds since 1970.
    private static let referenceDate: Int64 = 978_307_200

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value.magnitude)
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// `.25` for a quarter of a second, nothing for none. The digits are those that Swift writes for the interval, which
    /// are enough to get the same bits again; for one before the reference date, what is missing to the next second.
    private static func fraction(of interval: Double) -> String {
        let text = interval.magnitude.description
        let mantissa = text.prefix { $0 != "e" }
        let exponent = Int(text.dropFirst(mantissa.count + 1)) ?? 0
        let point = mantissa.firstIndex(of: ".") ?? mantissa.endIndex
        var digits: String
        if exponent < 0 {
            digits = String(repeating: "0", count: -exponent - 1) + mantissa.filter { $0 != "." }
        } else {
            digits = String(mantissa[point...].dropFirst(1 + exponent))
        }
        while digits.last == "0" { digits.removeLast() }
        if digits.isEmpty { return "" }
        return "." + (interval < 0 ? complement(digits) : digits)
    }

    /// The digits of `1 - 0.digits`, of which the last is not zero.
    private static func complement(_ digits: String) -> String {
        let bytes = Array(digits.utf8)
        let zero = UInt8(ascii: "0")
        return String(
            decoding: bytes.indices.map { zero + ($0 == bytes.count - 1 ? 10 : 9) - (bytes[$0] - zero) }, as: UTF8.self)
    }

    /// - Returns: `nil` for anything but a date and a time with `Z` or an offset (RFC 3339 §5.6), which may also be `+0100` or `+01`
    ///   as in ISO 8601.
    package static func date(from text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        let isBeforeChrist = rest.first == UInt8(ascii: "-")
        if isBeforeChrist { rest = rest.dropFirst() }
        guard let year = number(&rest, 4...7), take(&rest, "-"), let month = number(&rest, 2...2), take(&rest, "-"),
            let day = number(&rest, 2...2), take(&rest, "Tt "), let hour = number(&rest, 2...2), take(&rest, ":"),
            let minute = number(&rest, 2...2), take(&rest, ":"), let second = number(&rest, 2...2),
            let fraction = fractionDigits(&rest), let offset = offset(&rest), rest.isEmpty
        else { return nil }
        let civil = CivilDate(year: isBeforeChrist ? -year : year, month: month, day: day)
        guard civil.exists, hour < 24, minute < 60, second <= 60 else { return nil }
        let seconds = civil.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offset - referenceDate
        // Read as one decimal number, so that it is rounded once.
        let number =
            seconds < 0 && !fraction.isEmpty ? "-\(-(seconds + 1)).\(complement(fraction))" : "\(seconds).\(fraction)0"
        return Double(number).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, _ bytes: StaticString) -> Bool {
        guard let first = rest.first, bytes.withUTF8Buffer({ $0.contains(first) }) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, _ digits: ClosedRange<Int>) -> Int64? {
        let run = rest.prefix(digits.upperBound).prefix { $0.isDigit }
        guard digits.contains(run.count) else { return nil }
        rest = rest.dropFirst(run.count)
        return run.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Behind the point, without zeros at the end; empty when there is no point.
    private static func fractionDigits(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard take(&rest, ".,") else { return "" }
        let run = rest.prefix { $0.isDigit }
        guard !run.isEmpty else { return nil }
        rest = rest.dropFirst(run.count)
        let end = run.lastIndex { $0 != UInt8(ascii: "0") }.map { $0 + 1 } ?? run.startIndex
        return String(decoding: run[..<end], as: UTF8.self)
    }

    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if take(&rest, "Zz") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard take(&rest, "+-"), let hours = number(&rest, 2...2) else { return nil }
        let hasMinutes = take(&rest, ":") || !rest.isEmpty
        guard let minutes = hasMinutes ? number(&rest, 2...2) : 0, hours < 24, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
}
