// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What the fields of a response say of rate limits, in the notations that servers use:
///
/// - `RateLimit: "day";r=50;t=30` and `RateLimit-Policy: "day";q=100;w=86400` (draft-ietf-httpapi-ratelimit-headers-10)
/// - `RateLimit: limit=100, remaining=50, reset=30` and `RateLimit-Policy: 100;w=60` (its version 07)
/// - `RateLimit-Limit`, `-Remaining` and `-Reset` (its version 06)
/// - the same after `X-`, and with `X-Rate-Limit-`; the reset is in seconds from now, or a time: in seconds or milliseconds since
///   1970, or a date
///
/// The first of them that is there and can be read counts. What is malformed counts as absent.
package enum RateLimitFields {
    package struct Quota: Hashable, Sendable {
        package var name: String
        /// Requests in a window.
        package var limit: Int?
        /// How many of them are left.
        package var remaining: Int?
        /// Until the window ends.
        package var reset: Duration?
        package var window: Duration?

        package init(
            name: String = "", limit: Int? = nil, remaining: Int? = nil, reset: Duration? = nil, window: Duration? = nil
        ) {
            self.name = name
            self.limit = limit
            self.remaining = remaining
            self.reset = reset
            self.window = window
        }
    }

    /// - Parameter now: the time of day, for a server that does not tell its own (`Date`).
    package static func quotas(in fields: HTTPFields, now: Date) -> [Quota] {
        let policies = fields[joined: "ratelimit-policy"].map(policies) ?? []
        if let text = fields[joined: "ratelimit"] {
            if let quotas = items(text, policies) ?? members(text, policies) { return quotas }
        }
        lazy var date = fields[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now
        for prefix in ["ratelimit-", "x-ratelimit-", "x-rate-limit-"] {
            if let quota = single(in: fields, prefix, policies, &date) { return [quota] }
        }
        return []
    }

    /// Whether there are such fields: quickly said, for nearly all responses have none.
    static func mayBeIn(_ fields: HTTPFields) -> Bool {
        fields.contains { field in
            let name = field.name.canonicalName.utf8
            // Most differ in their first letter.
            switch name.first {
            case UInt8(ascii: "r"): return name.starts(with: "ratelimit".utf8)
            case UInt8(ascii: "x"): return name.starts(with: "x-rate".utf8)
            default: return false
            }
        }
    }

    // MARK: RateLimit

    private struct Policy {
        var name: String?
        var limit: Int?
        var window: Duration?
        var countsRequests = true
    }

    /// `"day";q=100;w=86400`, or `100;w=60`.
    private static func policies(_ text: String) -> [Policy] {
        (StructuredList.items(of: text) ?? []).compactMap { item in
            let window = item.integer("w").flatMap { $0 > 0 ? Duration.seconds($0) : nil }
            switch item.value {
            case .text(let name):
                let unit = item.parameters["qu"] ?? .text("requests")
                return Policy(
                    name: name, limit: item.integer("q"), window: window, countsRequests: unit == .text("requests"))
            case .integer(let limit): return Policy(limit: limit, window: window)
            default: return nil
            }
        }
    }

    /// Of a limit that names no policy.
    private static func window(of limit: Int?, _ policies: [Policy]) -> Duration? {
        limit.flatMap { limit in policies.first { $0.limit == limit && $0.countsRequests } }?.window
    }

    private static func seconds(_ number: Int) -> Duration? { number >= 0 ? .seconds(number) : nil }

    /// `"day";r=50;t=30`. A limit whose policy counts something else than requests is left out.
    private static func items(_ text: String, _ policies: [Policy]) -> [Quota]? {
        guard let items = StructuredList.items(of: text), !items.isEmpty else { return nil }
        var quotas: [Quota] = []
        for item in items {
            guard case .text(let name) = item.value, let remaining = item.integer("r") else { return nil }
            let policy = policies.first { $0.name == name }
            if policy?.countsRequests == false { continue }
            quotas.append(
                Quota(
                    name: name, limit: policy?.limit, remaining: max(remaining, 0),
                    reset: item.integer("t").flatMap(seconds), window: policy?.window))
        }
        return quotas
    }

    /// `limit=100, remaining=50, reset=30`.
    private static func members(_ text: String, _ policies: [Policy]) -> [Quota]? {
        guard let members = StructuredList.members(of: text) else { return nil }
        func number(_ key: String) -> Int? {
            guard case .integer(let number)? = members.first(where: { $0.key == key })?.value else { return nil }
            return number
        }
        guard let remaining = number("remaining") else { return nil }
        let limit = number("limit")
        return [
            Quota(
                limit: limit, remaining: max(remaining, 0), reset: number("reset").flatMap(seconds),
                window: window(of: limit, policies))
        ]
    }

    // MARK: A field for each number

    private static func single(
        in fields: HTTPFields, _ prefix: String, _ policies: [Policy], _ date: inout Date
    ) -> Quota? {
        // Of several values the one counts that allows the least.
        let remaining = fields.numbers("\(prefix)remaining").min().map { max($0, 0) }
        let limit = fields.numbers("\(prefix)limit").filter { $0 >= 0 }.min()
        let after = fields.values("\(prefix)reset-after").compactMap { duration(of: $0) }.max()
        let resets = fields.values("\(prefix)reset", splits: false).flatMap { text in
            // A date has a comma as well.
            reset(text, date).map { [$0] }
                ?? text.split(separator: ",").compactMap { reset(String(Substring($0.utf8.trimmingBlanks)), date) }
        }
        guard remaining != nil || after != nil || !resets.isEmpty else { return nil }
        let resource = fields.values("\(prefix)resource").first
        return Quota(
            name: resource ?? "", limit: limit, remaining: remaining, reset: after ?? resets.max(),
            window: window(of: limit, policies))
    }

    /// A number that is too large for seconds is a time since 1970: 10⁹ seconds are 31 years, 10¹¹ are 3000.
    private static func reset(_ text: String, _ now: Date) -> Duration? {
        guard let number = decimal(text) else {
            let date = HTTPDate.parse(text, now: now) ?? timestamp(text)
            return date.map { .time(until: $0, from: now) }
        }
        switch number {
        case ..<1e9: return .milliseconds((number * 1000).rounded(.up))
        case ..<1e11: return .time(until: Date(timeIntervalSince1970: number), from: now)
        case ..<1e14: return .time(until: Date(timeIntervalSince1970: number / 1000), from: now)
        default: return nil
        }
    }

    /// RFC 3339.
    private static func timestamp(_ text: String) -> Date? {
        (try? Date.ISO8601FormatStyle(includingFractionalSeconds: text.utf8.contains(UInt8(ascii: "."))).parse(text))
    }

    private static func duration(of text: String) -> Duration? {
        decimal(text).flatMap { $0 < 1e9 ? .milliseconds(($0 * 1000).rounded(.up)) : nil }
    }

    /// Digits, perhaps with a point among them; no sign, no exponent.
    private static func decimal(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 20,
            text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(text)
    }
}

extension HTTPFields {
    /// The field's value, joined when it stands there several times (RFC 9110 §5.3).
    fileprivate subscript(joined name: String) -> String? {
        let values = values(name, splits: false)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// - Parameter splits: at commas.
    fileprivate func values(_ name: String, splits: Bool = true) -> [String] {
        filter { $0.name.canonicalName == name }.flatMap { field in
            (splits ? field.value.split(separator: ",") : [field.value[...]])
                .map { String(Substring($0.utf8.trimmingBlanks)) }
        }
    }

    /// The whole numbers, each without what stands behind a semicolon: `10, 10;w=1`.
    fileprivate func numbers(_ name: String) -> [Int] {
        values(name).compactMap { value in
            let number = value.prefix { $0 != ";" }.utf8.trimmingBlanks
            let digits = number.first == UInt8(ascii: "-") ? number.dropFirst() : number
            guard !digits.isEmpty, digits.count <= 15, digits.allSatisfy(\.isDigit) else { return nil }
            return Int(Substring(number))
        }
    }
}
