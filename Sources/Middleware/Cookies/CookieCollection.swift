// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataPublicSuffixes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The cookies of a jar, and the rules by which they come, go and are chosen (RFC 6265bis §5.7, §5.8.3).
struct CookieCollection: Sendable {
    private struct Entry: Sendable {
        var cookie: Cookie
        /// The order in which cookies were created and sent: moments may be equal.
        var creation: UInt64
        var access: UInt64
    }

    let options: CookieJar.Options
    private var entries: [String: [Entry]] = [:]
    private(set) var count = 0
    private var counter: UInt64 = 0

    init(options: CookieJar.Options) { self.options = options }

    /// All of them, in the order of their creation.
    var cookies: [Cookie] {
        entries.values.joined().sorted { $0.creation < $1.creation }.map(\.cookie)
    }

    private mutating func nextNumber() -> UInt64 {
        counter += 1
        return counter
    }

    // MARK: Receiving

    /// The cookie that a response sets; `nil` when it may not.
    func accept(_ received: SetCookie, from scope: CookieScope, now: Date) -> Cookie? {
        if received.name.isEmpty, !options.acceptsNameless { return nil }
        guard let (domain, isHostOnly) = domain(of: received, from: scope) else { return nil }
        let cookie = Cookie(
            nameBytes: received.name, valueBytes: received.value, domain: domain, isHostOnly: isHostOnly,
            path: received.path ?? scope.defaultPath, expires: expiry(of: received, now: now),
            isSecure: received.isSecure, isHTTPOnly: received.isHTTPOnly, sameSite: received.sameSite, created: now)
        if !scope.isSecure, cookie.isSecure || overlaysSecureCookie(cookie) { return nil }
        guard Self.keepsPromise(ofName: received, cookie) else { return nil }
        return cookie
    }

    private func domain(of received: SetCookie, from scope: CookieScope) -> (String, isHostOnly: Bool)? {
        guard let domain = received.domain, !domain.isEmpty else { return (scope.host, true) }
        guard domain.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        // An address is no suffix, and its last number none either.
        if !scope.isAddress, options.publicSuffixes.contains(domain) {
            return domain == scope.host ? (scope.host, true) : nil
        }
        return scope.matches(domain: domain) ? (domain, false) : nil
    }

    private func expiry(of received: SetCookie, now: Date) -> Date? {
        let latest = now.addingTimeInterval(options.longestLifetime / .seconds(1))
        guard let maxAge = received.maxAge else { return received.expires.map { min($0, latest) } }
        return maxAge > 0 ? min(now.addingTimeInterval(Double(maxAge)), latest) : .distantPast
    }

    /// Whether a cookie from an insecure origin would hide a secure one ("leave secure cookies alone").
    private func overlaysSecureCookie(_ cookie: Cookie) -> Bool {
        entries.values.contains { entries in
            entries.contains { entry in
                let other = entry.cookie
                return other.isSecure && other.nameBytes == cookie.nameBytes
                    && (Self.isBelow(other.domain, cookie.domain) || Self.isBelow(cookie.domain, other.domain))
                    && Self.isPath(cookie.path, below: other.path)
            }
        }
    }

    private static func isBelow(_ domain: String, _ parent: String) -> Bool {
        domain == parent || domain.hasSuffix(".\(parent)")
    }

    private static func isPath(_ path: String, below parent: String) -> Bool {
        path == parent || path.hasPrefix(parent.hasSuffix("/") ? parent : "\(parent)/")
    }

    /// What the prefixes of a name promise (§4.1.3). A value without a name must not look like such a pair.
    private static func keepsPromise(ofName received: SetCookie, _ cookie: Cookie) -> Bool {
        let text = received.name.isEmpty ? received.value : received.name
        let start = String(decoding: text.prefix(9), as: UTF8.self).asciiLowercased
        let isSecure = start.hasPrefix("__secure-")
        let isHost = start.hasPrefix("__host-")
        guard isSecure || isHost else { return true }
        guard !received.name.isEmpty, cookie.isSecure else { return false }
        return !isHost || cookie.isHostOnly && received.path == "/"
    }

    // MARK: Keeping

    /// Puts a cookie in, in the place of the one that it replaces. One that has expired just removes that one.
    ///
    /// - Returns: whether anything has changed.
    @discardableResult
    mutating func insert(_ cookie: Cookie, now: Date) -> Bool {
        guard cookie.isSendable else { return false }
        var entry = Entry(cookie: cookie, creation: nextNumber(), access: counter)
        var sameDomain = entries[cookie.domain] ?? []
        let replaced = sameDomain.firstIndex { $0.cookie.isReplaced(by: cookie) }
        if let replaced {
            entry.creation = sameDomain[replaced].creation
            entry.cookie.created = sameDomain[replaced].cookie.created
        }
        if cookie.isExpired(at: now) {
            guard let replaced else { return false }
            sameDomain.remove(at: replaced)
            count -= 1
        } else if let replaced {
            sameDomain[replaced] = entry
        } else {
            sameDomain.append(entry)
            count += 1
        }
        entries[cookie.domain] = sameDomain.isEmpty ? nil : sameDomain
        evict(besides: cookie.domain, now: now)
        return true
    }

    /// - Returns: whether one was removed.
    @discardableResult
    mutating func removeAll(where condition: (Cookie) -> Bool) -> Bool {
        let before = count
        for (domain, list) in entries {
            let kept = list.filter { !condition($0.cookie) }
            count -= list.count - kept.count
            entries[domain] = kept.isEmpty ? nil : kept
        }
        return count < before
    }

    /// Makes room: expired cookies go first, then those of a domain that has too many, insecure ones before secure ones, then
    /// any; among equals the one that was not sent for the longest time.
    private mutating func evict(besides domain: String, now: Date) {
        let most = max(options.maximumPerDomain, 1)
        guard count > max(options.maximumCount, 1) || (entries[domain]?.count ?? 0) > most else { return }
        removeAll { $0.isExpired(at: now) }
        while let list = entries[domain], list.count > most {
            let insecure = list.filter { !$0.cookie.isSecure }
            remove((insecure.isEmpty ? list : insecure).min { $0.access < $1.access })
        }
        while count > max(options.maximumCount, 1) {
            remove(entries.values.joined().min { $0.access < $1.access })
        }
    }

    private mutating func remove(_ entry: Entry?) {
        guard let entry else { return }
        entries[entry.cookie.domain]?.removeAll { $0.creation == entry.creation }
        if entries[entry.cookie.domain]?.isEmpty == true { entries[entry.cookie.domain] = nil }
        count -= 1
    }

    // MARK: Sending

    /// The cookies for a request: those with longer paths first, then the older ones.
    mutating func cookies(for scope: CookieScope, now: Date) -> [Cookie] {
        var found: [Entry] = []
        for domain in scope.domains {
            let domain = String(domain)
            guard var list = entries[domain] else { continue }
            for position in list.indices
            where scope.matches(list[position].cookie) && !list[position].cookie.isExpired(at: now) {
                list[position].access = nextNumber()
                list[position].cookie.lastAccess = now
                found.append(list[position])
            }
            entries[domain] = list
        }
        found.sort {
            let (length, other) = ($0.cookie.path.utf8.count, $1.cookie.path.utf8.count)
            return length == other ? $0.creation < $1.creation : length > other
        }
        return found.map(\.cookie)
    }
}
