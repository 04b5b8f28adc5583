// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// Where a connection leads.
struct Endpoint: Hashable, Sendable {
    let isSecure: Bool
    /// In canonical form; an IPv6 address without its brackets.
    let host: String
    let port: UInt16

    init(isSecure: Bool, host: String, port: UInt16) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// - Throws: `malformedURL`.
    init(scheme: String?, authority: String?) throws(NetworkClientError) {
        isSecure = scheme == "https"
        let parts = try URLAuthority(authority ?? "")
        host = parts.host.hasPrefix("[") ? String(parts.host.dropFirst().dropLast()) : parts.host
        port = UInt16(clamping: parts.port ?? (isSecure ? 443 : 80))
    }

    /// The name by which this computer is known to itself (RFC 6761 §6.3).
    var isThisComputer: Bool {
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }
}
