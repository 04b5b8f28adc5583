// SPDX-License-Identifier: Apache-2.0

/// The authority of a URL (RFC 3986 §3.2), checked: a host that a resolver and a certificate can be asked for, and a port.
package struct URLAuthority: Hashable, Sendable {
    /// `user:password`, percent-encoded as it stood; never sent as part of the authority (RFC 9110 §4.2.4).
    package var userinfo: String?
    /// Lower case, in its canonical form; an IPv6 address keeps its brackets.
    package var host: String
    package var port: Int?

    package init(_ text: String) throws(NetworkClientError) {
        var rest = text[...]
        if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            userinfo = String(rest[..<at])
            rest = rest[rest.utf8.index(after: at)...]
        }
        let hostEnd: String.Index
        if rest.utf8.first == UInt8(ascii: "[") {
            guard let bracket = rest.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw NetworkClientError(.malformedURL, "the host's bracket is not closed")
            }
            hostEnd = rest.utf8.index(after: bracket)
        } else {
            hostEnd = rest.utf8.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
        }
        host = try URLHost.canonical(rest[..<hostEnd])
        rest = rest[hostEnd...]
        if rest.isEmpty { return }
        guard rest.utf8.first == UInt8(ascii: ":") else {
            throw NetworkClientError(.malformedURL, "text follows the host's bracket")
        }
        rest = Substring(rest.utf8.dropFirst())
        if rest.isEmpty { return }  // RFC 3986 §3.2.3: an empty port is the default one
        guard rest.utf8.allSatisfy(\.isDigit), let number = Int(rest), number <= 65535 else {
            throw NetworkClientError(.malformedURL, "the port is not a number from 0 to 65535")
        }
        port = number
    }

    /// Host and port as they go on the wire (RFC 9110 §7.2): the scheme's default port is left out.
    package func text(scheme: String) -> String {
        guard let port, port != Origin.defaultPort(of: scheme) else { return host }
        return "\(host):\(port)"
    }
}
