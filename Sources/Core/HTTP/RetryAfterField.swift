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
    /// The number may have decimals, against RFC 9110, because servers send them. `nil` when the field is absent or says
    /// neither; more than ten digits before the point count as neither. `Retry-After-Ms`, which some services send too,
    /// wins: it is more precise.
    package static func delay(in fields: HTTPFields, now: Date) -> Duration? {
        if let text = fields.first(where: { $0.name.canonicalName == "retry-after-ms" })?.value,
            let milliseconds = decimal(text.utf8.trimmingBlanks, mostDigits: 13)
        {
            return .milliseconds(milliseconds.rounded(.up))
        }
        let sent = fields[.date].flatMap { HTTPDate.parse($0, now: now) }
        return fields[values: .retryAfter].first.flatMap { delay($0, now: sent ?? now) }
    }

    package static func delay(_ value: String, now: Date) -> Duration? {
        let text = value.utf8.trimmingBlanks
        // Rounded up to whole milliseconds: not before the time that the server names.
        if let seconds = decimal(text, mostDigits: 10) { return .milliseconds((seconds * 1000).rounded(.up)) }
        return HTTPDate.parse(String(Substring(text)), now: now).map { .time(until: $0, from: now) }
    }

    /// Digits, at most so many before a decimal point, and digits behind it if there is one.
    private static func decimal(_ text: Substring.UTF8View, mostDigits: Int) -> Double? {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole.count <= mostDigits,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) })
        else { return nil }
        return Double(String(Substring(text)))
    }
}
