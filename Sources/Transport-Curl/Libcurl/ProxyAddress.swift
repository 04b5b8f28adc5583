// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// A proxy in the parts that libcurl takes: the address, and apart from it the credentials.
///
/// Credentials are taken out of the URL, because libcurl quotes a URL that it refuses in its message.
struct ProxyAddress: Sendable, Equatable {
    private static let schemes: Set<String> = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Empty for none.
    private(set) var url = ""
    /// Without brackets.
    private(set) var host = ""
    private(set) var port: UInt16 = 0
    private(set) var user: String?
    private(set) var password: String?

    /// No proxy.
    init() {}

    /// - Parameter text: `http://user:password@host:port`, also without scheme (`http`), credentials or port (1080, and 443
    ///   for `https`, which are libcurl's).
    /// - Throws: ``NetworkClientError`` with `malformedURL`, which quotes nothing.
    init(_ text: String, user: String? = nil, password: String? = nil) throws(NetworkClientError) {
        guard !text.isEmpty else { return }
        var rest = Substring(text)
        var scheme = "http"
        if let separator = rest.firstRange(of: "://") {
            scheme = rest[..<separator.lowerBound].lowercased()
            // As libcurl reads it; desktops write it into the environment.
            if scheme == "socks" { scheme = "socks4" }
            rest = rest[separator.upperBound...]
        }
        guard Self.schemes.contains(scheme) else {
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
        url = "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "")
        self.host = host.filter { $0 != "[" && $0 != "]" }
        self.port = port ?? (scheme == "https" ? 443 : 1080)
    }

    /// Whether the credentials look percent-encoded.
    var hasPercent: Bool { [user, password].contains { $0?.contains("%") == true } }

    /// The URL with the credentials in it.
    var completeURL: String {
        let credentials = [user, password].compactMap { $0.map { PercentEncoding.encode($0) } }.joined(separator: ":")
        return url.replacing("://", with: "://\(credentials)@", maxReplacements: 1)
    }

    var isSecure: Bool { url.hasPrefix("https:") }
    /// Whether it is asked for a URL; others are asked for a connection.
    var isHTTP: Bool { url.hasPrefix("http") }

    /// Whether the names of servers are looked up on this side of it.
    var resolvesHere: Bool { url.hasPrefix("socks4://") || url.hasPrefix("socks5://") }

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
    var description: String { url }

    var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}
