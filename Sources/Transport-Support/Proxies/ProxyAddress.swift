// SPDX-License-Identifier: Apache-2.0

package import StrataCore

/// A proxy in its parts: the address, and apart from it the credentials, so that no message that quotes the URL has them.
package struct ProxyAddress: Sendable, Hashable {
    package enum Scheme: String, Sendable {
        case http, https
        /// Names of servers are looked up on this side, or by the proxy.
        case socks4, socks4a, socks5, socks5h
    }

    /// Empty for none.
    package private(set) var url = ""
    package private(set) var scheme = Scheme.http
    /// Without brackets.
    package private(set) var host = ""
    package private(set) var port: UInt16 = 0
    package private(set) var user: String?
    package private(set) var password: String?

    /// No proxy.
    package init() {}

    /// - Parameter text: `http://user:password@host:port`, also without scheme (`http`), credentials or port (1080, and 443
    ///   for `https`, as curl has it).
    /// - Throws: ``NetworkClientError`` with `malformedURL`, which quotes nothing.
    package init(_ text: String, user: String? = nil, password: String? = nil) throws(NetworkClientError) {
        guard !text.isEmpty else { return }
        var rest = Substring(text)
        var name = "http"
        if let separator = rest.firstRange(of: "://") {
            name = rest[..<separator.lowerBound].lowercased()
            // As libcurl reads it; desktops write it into the environment.
            if name == "socks" { name = "socks4" }
            rest = rest[separator.upperBound...]
        }
        guard let scheme = Scheme(rawValue: name) else {
            throw Self.malformed("its scheme is none of http, https, socks4, socks4a, socks5 and socks5h")
        }
        rest = rest.prefix { $0 != "/" }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            self.user = parts.first.map { PercentEncoding.decodedText($0.utf8) }
            self.password = parts.count > 1 ? PercentEncoding.decodedText(parts[1].utf8) : nil
            rest = rest[rest.index(after: at)...]
        }
        if let user { (self.user, self.password) = (user, password) }
        let (host, port) = try Self.hostAndPort(rest)
        self.scheme = scheme
        url = "\(name)://\(host)" + (port.map { ":\($0)" } ?? "")
        self.host = host.filter { $0 != "[" && $0 != "]" }
        self.port = port ?? (scheme == .https ? 443 : 1080)
    }

    /// Whether the credentials look percent-encoded.
    package var hasPercent: Bool { [user, password].contains { $0?.contains("%") == true } }

    /// The URL with the credentials in it.
    package var completeURL: String {
        let credentials = [user, password].compactMap { $0.map { PercentEncoding.encode($0) } }.joined(separator: ":")
        return url.replacing("://", with: "://\(credentials)@", maxReplacements: 1)
    }

    package var isSecure: Bool { scheme == .https }
    /// Whether it is asked for a URL; others are asked for a connection.
    package var isHTTP: Bool { !url.isEmpty && (scheme == .http || scheme == .https) }

    /// Whether the names of servers are looked up on this side of it.
    package var resolvesHere: Bool { scheme == .socks4 || scheme == .socks5 }

    private static func hostAndPort(_ text: Substring) throws(NetworkClientError) -> (host: Substring, port: UInt16?) {
        let isBracketed = text.hasPrefix("[")
        let end = isBracketed ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
        guard let end = end ?? (isBracketed ? nil : text.endIndex) else { throw malformed("its host is not closed") }
        let (host, rest) = (text[..<end], text[end...])
        let isPlain = host.unicodeScalars.allSatisfy {
            $0.value > 0x20 && $0.value != 0x7f && !"\"'<>\\^`{|}@".unicodeScalars.contains($0)
        }
        guard !host.isEmpty, isPlain else { throw malformed("it has no host") }
        guard let colon = rest.first else { return (host, nil) }
        guard colon == ":", let port = UInt16(rest.dropFirst()), port > 0 else {
            throw malformed("its port is not a number")
        }
        return (host, port)
    }

    private static func malformed(_ reason: String) -> NetworkClientError {
        NetworkClientError(.malformedURL, "the proxy's URL cannot be used: \(reason)")
    }
}

extension ProxyAddress: CustomStringConvertible, CustomReflectable {
    /// Without the credentials.
    package var description: String { url }

    package var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
