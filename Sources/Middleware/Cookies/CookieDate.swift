// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The dates of cookies, which come in any form (RFC 6265bis §5.1.1): the first token that looks like a time, a day, a month
/// or a year is one.
struct CookieDate {
    private var time: (hour: Int64, minute: Int64, second: Int64)?
    private var day: Int64?
    private var month: Int64?
    private var year: Int64?

    static func parse(_ text: some Collection<UInt8>) -> Date? {
        var date = CookieDate()
        for token in text.split(whereSeparator: isDelimiter) { date.read(Array(token)) }
        return date.moment
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private mutating func read(_ token: [UInt8]) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token[...], digits: 1...2) {
            day = found.value
        } else if month == nil, let found = Self.month(token) {
            month = found
        } else if year == nil, let found = Self.number(token[...], digits: 2...4) {
            year = found.value
        }
    }

    /// `1:2:3`, and anything behind it that does not begin with a digit.
    private static func time(_ token: [UInt8]) -> (Int64, Int64, Int64)? {
        var rest = token[...]
        var parts: [Int64] = []
        while parts.count < 3 {
            if !parts.isEmpty { guard rest.popFirst() == UInt8(ascii: ":") else { return nil } }
            guard let (value, digits) = number(rest, digits: 1...2) else { return nil }
            parts.append(value)
            rest = rest.dropFirst(digits)
        }
        return (parts[0], parts[1], parts[2])
    }

    /// A number at the start, of as many digits; what follows must not be another digit.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> (value: Int64, digits: Int)? {
        let number = token.prefix(while: \.isDigit)
        guard digits.contains(number.count) else { return nil }
        return (number.reduce(0) { $0 * 10 + Int64($1 - 0x30) }, number.count)
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func month(_ token: [UInt8]) -> Int64? {
        let start = String(decoding: token.prefix(3), as: UTF8.self).asciiLowercased
        return months.firstIndex(of: start).map { Int64($0) + 1 }
    }

    private var moment: Date? {
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
        let civil = CivilDate(year: year, month: month, day: day)
        guard year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59, civil.exists else { return nil }
        let seconds = civil.daysSinceEpoch * 86_400 + time.hour * 3600 + time.minute * 60 + time.second
        return Date(timeIntervalSince1970: Double(seconds))
    }
}
