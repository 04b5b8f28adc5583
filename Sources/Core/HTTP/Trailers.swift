// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPFields {
    /// The fields that may stand behind a body; `nil` when none is left.
    ///
    /// A response's others are left out, as RFC 9110 §6.5.1 lets a recipient do: whoever reads them as fields of the head would let a
    /// server, or somebody on the way, change what has been acted on already.
    package var asTrailers: HTTPFields? {
        guard contains(where: { !$0.name.mayBeTrailer }) else { return isEmpty ? nil : self }
        let allowed = filter { $0.name.mayBeTrailer }
        return allowed.isEmpty ? nil : allowed
    }
}

extension HTTPField.Name {
    /// Whether a field of this name may stand behind a body (RFC 9110 §6.5.1): those may not that frame the message, route it, modify
    /// the request, authenticate, control the response or describe the content.
    package var mayBeTrailer: Bool {
        let name = canonicalName
        // RFC 9110 §14.3.
        if name == "accept-ranges" { return true }
        return !Self.headFields.contains(name) && !Self.headPrefixes.contains { name.hasPrefix($0) }
    }

    private static let headPrefixes = ["if-", "accept-", "access-control-", "sec-"]

    private static let headFields: Set<String> = [
        // Framing and the connection (RFC 9112 §6, RFC 9110 §6.6.2, §7.6).
        "content-length", "transfer-encoding", "trailer", "te", "connection", "keep-alive", "proxy-connection",
        "upgrade", "http2-settings",
        // Routing, and what is asked (RFC 9110 §7.2, §7.6.2, §10.1.1, §12.5.1, §14.2).
        "host", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "max-forwards", "expect",
        "accept", "range", "origin",
        // Authentication and state (RFC 9110 §11, RFC 6265). What a scheme says of itself may come late (§11.6.3).
        "authorization", "www-authenticate", "proxy-authenticate", "proxy-authorization", "cookie", "set-cookie",
        // Control of the response (RFC 9110 §6.6.1, §10.2, §12.5.5, RFC 9111 §5, RFC 6797, RFC 7838).
        "age", "cache-control", "pragma", "expires", "date", "location", "retry-after", "vary", "warning", "alt-svc",
        "strict-transport-security",
        // What the content is (RFC 9110 §8). Digests of it may come late (RFC 9530 §2).
        "content-type", "content-encoding", "content-range", "content-language", "content-location",
        "content-disposition", "content-security-policy",
    ]
}
