// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The answer to a digest challenge (RFC 7616 §3.4): a pure computation.
struct DigestResponse: Sendable {
    var challenge: DigestChallenge
    var username: String
    var password: String
    var method: String
    /// The request target exactly as it stands in the request line.
    var uri: String
    /// Our own nonce.
    var clientNonce: String
    /// With a session algorithm, what the session's key is made of.
    var session: DigestSessions.Nonces
    /// How often the server's nonce has been used, this time included.
    var count: UInt32
    /// The body's hash, for `auth-int`.
    var bodyHash: String?

    private func hash(_ parts: String...) -> String { challenge.algorithm.hash(parts.joined(separator: ":")) }

    /// §3.4.1 to §3.4.3.
    var response: String {
        var secret = hash(username, challenge.realm, password)
        if challenge.isSession { secret = hash(secret, session.server, session.client) }
        guard let protection = challenge.protection else { return hash(secret, challenge.nonce, hash(method, uri)) }
        let request =
            protection == .authInt ? hash(method, uri, bodyHash ?? challenge.algorithm.hash("")) : hash(method, uri)
        return hash(secret, challenge.nonce, nonceCount, clientNonce, protection.rawValue, request)
    }

    /// §3.4.4.
    var hashedUsername: String { hash(username, challenge.realm) }

    private var nonceCount: String {
        let text = String(count, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }

    /// The value of the `Authorization` field.
    var fieldValue: String {
        var parts: [String] = []
        if challenge.hashesUsername {
            parts.append("username=\(Self.quoted(hashedUsername))")
        } else if username.utf8.allSatisfy({ $0 < 0x80 }) {
            parts.append("username=\(Self.quoted(username))")
        } else {
            parts.append("username*=UTF-8''\(PercentEncoding.encode(username))")
        }
        parts.append("realm=\(Self.quoted(challenge.realm))")
        parts.append("uri=\(Self.quoted(uri))")
        if let name = challenge.algorithmName { parts.append("algorithm=\(name)") }
        parts.append("nonce=\(Self.quoted(challenge.nonce))")
        if let protection = challenge.protection {
            parts += ["nc=\(nonceCount)", "cnonce=\(Self.quoted(clientNonce))", "qop=\(protection.rawValue)"]
        }
        parts.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        if challenge.hashesUsername { parts.append("userhash=true") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// RFC 9110 §5.6.4.
    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
