// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a response says about its own storage and use (RFC 9111 §3, §4.2), worked out once.
struct ResponsePolicy: Sendable {
    let isNoStore: Bool
    /// Every use has to be confirmed by the server.
    let isNoCache: Bool
    /// Once it is stale, it must not be used without the server, whatever happens.
    let mustRevalidate: Bool
    /// It does not change while it is fresh (RFC 8246).
    let isImmutable: Bool
    /// For how long it is fresh by its own word; `nil` when it says nothing.
    let lifetime: Double?
    /// For how long it may be assumed to be fresh, because it has not changed for long (§4.2.2); zero when it may not.
    let heuristicLifetime: Double
    /// How old it was when it came (§4.2.3).
    let initialAge: Double
    /// RFC 5861.
    let staleWhileRevalidate: Double
    let staleIfError: Double
    let hasValidator: Bool

    init(_ head: HTTPResponse, requestTime: Date, responseTime: Date) {
        let fields = head.headerFields
        let directives = CacheDirectives(fields)
        let status = head.status.code
        // §5.2.2.3: `no-store` is then for those who do not know the status.
        let isUnderstood = directives.has("must-understand") && Self.understood.contains(status)
        isNoStore = directives.has("must-understand") ? !isUnderstood : directives.has("no-store")
        // With names of fields, it is those alone that need confirmation.
        isNoCache = directives.has("no-cache") && directives.value(of: "no-cache") == nil
        mustRevalidate = directives.has("must-revalidate")
        isImmutable = directives.has("immutable")
        staleWhileRevalidate = directives.seconds("stale-while-revalidate") ?? 0
        staleIfError = directives.seconds("stale-if-error") ?? 0

        let date = Self.date(of: fields, .date, now: responseTime)
        let lastModified = Self.date(of: fields, .lastModified, now: responseTime)
        hasValidator = fields.contains(.eTag) || lastModified != nil
        lifetime = Self.lifetime(of: fields, directives, date: date ?? responseTime, now: responseTime)
        let mayBeAssumed = Self.heuristicallyCacheable.contains(status) || directives.has("public")
        let unchanged = lastModified.map { (date ?? responseTime).timeIntervalSince($0) } ?? 0
        heuristicLifetime = mayBeAssumed && unchanged > 0 ? min(unchanged / 10, 86_400) : 0
        initialAge = Self.initialAge(of: fields, date: date, requestTime: requestTime, responseTime: responseTime)
    }

    private static func lifetime(
        of fields: HTTPFields, _ directives: CacheDirectives, date: Date, now: Date
    ) -> Double? {
        if let maxAge = directives.seconds("max-age") { return maxAge }
        let expires = fields[fields: .expires]
        guard !expires.isEmpty else { return nil }
        // §5.3: what is no date, `0` above all, lies in the past; so do several that differ.
        guard Set(expires.map(\.value)).count == 1, let moment = Self.date(of: fields, .expires, now: now) else {
            return 0
        }
        return max(moment.timeIntervalSince(date), 0)
    }

    private static func initialAge(
        of fields: HTTPFields, date: Date?, requestTime: Date, responseTime: Date
    ) -> Double {
        let apparent = max(date.map { responseTime.timeIntervalSince($0) } ?? 0, 0)
        // §5.1: of a list, the first member.
        let first = fields[fields: .age].first?.value.split(separator: ",", maxSplits: 1).first
        let age = first.flatMap { CacheDirectives.seconds(String(Substring($0.utf8.trimmingBlanks))) } ?? 0
        return max(apparent, age + max(responseTime.timeIntervalSince(requestTime), 0))
    }

    /// The date in a field. Names and zone count in any case (§4.2).
    private static func date(of fields: HTTPFields, _ name: HTTPField.Name, now: Date) -> Date? {
        fields[fields: name].first.flatMap { field in
            HTTPDate.parse(field.value, now: now) ?? HTTPDate.parse(inUsualCase(field.value), now: now)
        }
    }

    /// `THU, 18 AUG 2050 02:01:18 gmt` as `Thu, 18 Aug 2050 02:01:18 GMT`.
    private static func inUsualCase(_ text: String) -> String {
        var isInside = false
        let bytes = text.utf8.map { byte -> UInt8 in
            defer { isInside = byte.isLetter }
            guard byte.isLetter else { return byte }
            return isInside ? byte | 0x20 : byte & 0xDF
        }
        let usual = String(decoding: bytes, as: UTF8.self)
        return usual.hasSuffix(" Gmt") ? usual.dropLast(3) + "GMT" : usual
    }

    /// RFC 9110 §15.1.
    private static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The statuses whose meaning for storage is known here.
    private static let understood = heuristicallyCacheable.union([302, 303, 307, 400, 403, 500, 502, 503, 504])
}

extension ResponsePolicy {
    /// For how long it is fresh.
    func lifetime(withHeuristics: Bool) -> Double { lifetime ?? (withHeuristics ? heuristicLifetime : 0) }

    /// Whether keeping it is of any use.
    func isWorthStoring(withHeuristics: Bool, staleIfError: Double) -> Bool {
        lifetime(withHeuristics: withHeuristics) > 0 || hasValidator || staleWhileRevalidate > 0
            || max(self.staleIfError, staleIfError) > 0
    }
}
