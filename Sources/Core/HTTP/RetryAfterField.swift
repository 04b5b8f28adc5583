// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The field `Retry-After` (RFC 9110 §10.2.3), read.
package enum RetryAfterField {
    /// How long to wait from `now` on: a number of seconds, or the time until a date (nothing, when it has passed). The
    /// date is the server's, and so is the time that it is counted from when the server tells its own (`Date`): the two
    /// clocks may differ.
    ///
    /// `nil` when the field is absent or says neither; more than ten digits count as neither. `Retry-After-Ms`, which
    /// some services send too, wins: it is more precise.
    package static func delay(in fields: HTTPFields, now: Date) -> Duration? {
        if let text = fields.first(where: { $0.name.canonicalName == "retry-after-ms" })?.value,
            text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") }), let milliseconds = Double(text),
            (0...1e12).contains(milliseconds)
        {
            return .milliseconds(milliseconds.rounded(.up))
        }
        let sent = fields[.date].flatMap { HTTPDate.parse($0, now: now) }
        return fields[values: .retryAfter].first.flatMap { delay($0, now: sent ?? now) }
    }

    package static func delay(_ value: String, now: Date) -> Duration? {
        let text = value.utf8.trimmingBlanks
        if !text.isEmpty, text.count <= 10, text.allSatisfy(\.isDigit) {
            return .seconds(text.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) })
        }
        return HTTPDate.parse(String(Substring(text)), now: now).map { .time(until: $0, from: now) }
    }
}
