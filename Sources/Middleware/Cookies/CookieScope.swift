// SPDX-License-Identifier: Apache-2.0

package import StrataCore

/// Where a request goes, as far as the choice of its cookies is concerned.
package struct CookieScope: Sendable {
    /// In lower case and ASCII.
    let host: String
    /// Without the query.
    let path: String
    let isSecure: Bool
    let isAddress: Bool

    /// - Parameter loopbackIsSecure: whether `http` to this machine counts as secure.
    package init(_ origin: Origin, path: String?, loopbackIsSecure: Bool = false) {
        host = origin.host
        self.path = String((path ?? "/").prefix { $0 != "?" })
        isAddress = Self.isAddress(host)
        isSecure =
            origin.scheme == "https" || origin.scheme == "wss" || loopbackIsSecure && origin.isLoopback
    }

    /// Whether a host is an IP address. A canonical one is: its last label would be no number otherwise.
    private static func isAddress(_ host: String) -> Bool {
        if host.utf8.first == UInt8(ascii: "[") { return true }
        guard let last = host.utf8.last, last.isDigit else { return false }
        return host.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
    }

    /// §5.1.3.
    func matches(domain: String) -> Bool {
        if host == domain { return true }
        guard !isAddress, host.utf8.count > domain.utf8.count, host.hasSuffix(domain) else { return false }
        return host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".")
    }

    /// §5.1.4.
    func matches(path cookiePath: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
            || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
    }

    /// The path of a cookie that names none (§5.1.4): up to the last slash.
    var defaultPath: String {
        guard path.utf8.first == UInt8(ascii: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// The domains whose cookies the host may get: its own, and those above it.
    var domains: [Substring] {
        var domains = [host[...]]
        guard !isAddress else { return domains }
        var rest = host[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            domains.append(rest)
        }
        return domains
    }

    func matches(_ cookie: Cookie) -> Bool {
        (cookie.isHostOnly ? host == cookie.domain : matches(domain: cookie.domain))
            && matches(path: cookie.path) && (isSecure || !cookie.isSecure)
    }
}
