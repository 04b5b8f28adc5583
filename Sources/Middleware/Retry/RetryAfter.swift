// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a server says with `Retry-After` (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// How long to wait from `now` on: a number of seconds, or the time until a date (nothing, when it has passed).
    ///
    /// `nil` when the field is absent or says neither; more than ten digits count as neither.
    public static func delay(in fields: HTTPFields, now: Date) -> Duration? {
        fields[values: .retryAfter].first.flatMap { delay($0, now: now) }
    }

    static func delay(_ value: String, now: Date) -> Duration? {
        var text = Substring(value).utf8
        while let first = text.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        if !text.isEmpty, text.count <= 10, text.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(text.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) })
        }
        return HTTPDate.parse(String(Substring(text)), now: now).map { .time(until: $0, from: now) }
    }
}
