// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The dates of HTTP (RFC 9110 §5.6.7), read and written without a locale.
public enum HTTPDate {
    /// The moment that `text` names in one of the three forms, `nil` for anything else.
    ///
    /// The day's name has to be one, but need not fit the date. A leap second counts as the second after it.
    ///
    /// - Parameters:
    ///   - text: the value of a field, without blanks around it.
    ///   - now: settles the century of the obsolete form with two digits: at most 50 years ahead.
    public static func parse(_ text: String, now: Date = Date()) -> Date? {
        let bytes = ArraySlice(text.utf8)
        return parseFixed(Cursor(rest: bytes)) ?? parseAsctime(Cursor(rest: bytes))
            ?? parseRFC850(Cursor(rest: bytes), now: now)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, rounded down to a second; `nil` for a year that has not four digits.
    public static func text(of date: Date) -> String? {
        guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else { return nil }
        let (quotient, remainder) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (days, time) = remainder < 0 ? (quotient - 1, remainder + 86_400) : (quotient, remainder)
        guard days.magnitude < 10_000_000 else { return nil }
        let civil = CivilDate(daysSinceEpoch: days)
        guard (0...9999).contains(civil.year) else { return nil }
        func padded(_ value: Int64, _ width: Int = 2) -> String {
            let digits = String(value)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        // 1970 began on a Thursday.
        let weekday = shortWeekdays[Int(((days + 4) % 7 + 7) % 7)]
        return "\(weekday), \(padded(civil.day)) \(months[Int(civil.month) - 1]) \(padded(civil.year, 4)) "
            + "\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60)) GMT"
    }

    private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let shortWeekdays = weekdays.map { String($0.prefix(3)) }
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func parseFixed(_ start: Cursor) -> Date? {
        var cursor = start
        guard cursor.name(of: shortWeekdays) != nil, cursor.skip(", "), let day = cursor.number(2), cursor.skip(" "),
            let month = cursor.month(), cursor.skip(" "), let year = cursor.number(4), cursor.skip(" "),
            let time = cursor.time(), cursor.skip(" GMT"), cursor.rest.isEmpty
        else { return nil }
        return date(year: year, month: month, day: day, time: time)
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func parseAsctime(_ start: Cursor) -> Date? {
        var cursor = start
        guard cursor.name(of: shortWeekdays) != nil, cursor.skip(" "), let month = cursor.month(),
            cursor.skip(" "), let day = cursor.skip(" ") ? cursor.number(1) : cursor.number(2), cursor.skip(" "),
            let time = cursor.time(), cursor.skip(" "), let year = cursor.number(4), cursor.rest.isEmpty
        else { return nil }
        return date(year: year, month: month, day: day, time: time)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func parseRFC850(_ start: Cursor, now: Date) -> Date? {
        var cursor = start
        guard cursor.name(of: weekdays) != nil, cursor.skip(", "), let day = cursor.number(2), cursor.skip("-"),
            let month = cursor.month(), cursor.skip("-"), let shortYear = cursor.number(2), cursor.skip(" "),
            let time = cursor.time(), cursor.skip(" GMT"), cursor.rest.isEmpty
        else { return nil }
        let today = now.timeIntervalSince1970 / 86400
        guard today.magnitude < 1_000_000 else { return nil }
        let thisYear = CivilDate(daysSinceEpoch: Int64(today.rounded(.down))).year
        let year = thisYear - thisYear % 100 + shortYear
        guard let candidate = date(year: year, month: month, day: day, time: time) else { return nil }
        let fiftyYears = 50 * 365.25 * 86400
        if candidate.timeIntervalSince(now) <= fiftyYears { return candidate }
        return date(year: year - 100, month: month, day: day, time: time)
    }

    private static func date(year: Int64, month: Int64, day: Int64, time: Int64) -> Date? {
        let civil = CivilDate(year: year, month: month, day: day)
        guard civil.exists else { return nil }
        return Date(timeIntervalSince1970: Double(civil.daysSinceEpoch * 86400 + time))
    }

    /// Takes what it expects from the front, or leaves everything.
    private struct Cursor {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ literal: String) -> Bool {
            guard rest.starts(with: literal.utf8) else { return false }
            rest = rest.dropFirst(literal.utf8.count)
            return true
        }

        mutating func name(of names: [String]) -> Int? {
            names.indices.first { skip(names[$0]) }
        }

        /// 1 to 12.
        mutating func month() -> Int64? { name(of: HTTPDate.months).map { Int64($0) + 1 } }

        mutating func number(_ digits: Int) -> Int64? {
            let text = rest.prefix(digits)
            guard text.count == digits, text.allSatisfy(\.isDigit) else { return nil }
            rest = rest.dropFirst(digits)
            return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        /// Seconds since midnight.
        mutating func time() -> Int64? {
            guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60, skip(":"),
                let second = number(2), second <= 60
            else { return nil }
            return hour * 3600 + minute * 60 + second
        }
    }
}
