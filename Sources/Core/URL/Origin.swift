// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The scheme, host and port of a URL: what a server's authority over a response is bound to (RFC 9110 §4.3.1, RFC 6454).
///
/// The scheme is in lower case, the host in its canonical form (lower case, Punycode, IPv6 addresses in brackets), and the
/// default port of the scheme is filled in, so `https://A.example` and `https://a.example:443` are one origin.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    public var scheme: String
    public var host: String
    public var port: Int

    /// - `host`: as it may stand in a URL, or an IPv6 address without its brackets. What is neither is only made lower case; no
    ///   request has such an origin.
    public init(scheme: String, host: String, port: Int? = nil) {
        let isBareAddress = host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[")
        let written = isBareAddress ? "[\(host)]" : host
        self.init(
            scheme: scheme, canonicalHost: (try? URLHost.canonical(written[...])) ?? host.lowercased(), port: port)
    }

    private init(scheme: String, canonicalHost: String, port: Int?) {
        self.scheme = scheme.lowercased()
        host = canonicalHost
        self.port = port ?? Self.defaultPort(of: self.scheme)
    }

    /// The origin of an absolute URL; `nil` when it is not a well-formed `http` or `https` one.
    public init?(_ url: URL) {
        guard let url = try? RequestURL(URLReference(url.absoluteString), ignoresCredentials: true) else { return nil }
        self.init(scheme: url.scheme, authority: url.authority)
    }

    /// The origin of a URL's scheme and authority; `nil` when the authority is not well formed.
    package init?(scheme: String?, authority: String?) {
        guard let scheme, let authority, let parts = try? URLAuthority(authority) else { return nil }
        self.init(scheme: scheme, canonicalHost: parts.host, port: parts.port)
    }

    /// Whether a URL of that scheme and authority has this origin, which must be that of a checked URL.
    package func isOrigin(ofScheme scheme: String?, authority: String?) -> Bool {
        // Most often the authority is the host alone, and nothing has to be parsed.
        if authority == host, scheme == self.scheme { return port == Self.defaultPort(of: self.scheme) }
        return Origin(scheme: scheme, authority: authority) == self
    }

    /// The port that a URL without one means; 0 for a scheme other than `http`, `https`, `ws` and `wss`.
    static func defaultPort(of scheme: String) -> Int {
        switch scheme {
        case "https", "wss": 443
        case "http", "ws": 80
        default: 0
        }
    }

    /// Whether what is sent there can be read on the way: over plain `http`, and not within this machine.
    package var isInClear: Bool { (scheme == "http" || scheme == "ws") && !isLoopback }

    /// Names under `localhost` (RFC 6761 §6.3), and the addresses of RFC 1122 §3.2.1.3 and RFC 4291 §2.5.3.
    package var isLoopback: Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost") || host == "[::1]"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") })
    }

    public var description: String {
        port == Self.defaultPort(of: scheme) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}
