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
    /// How many times the server's nonce has been used, this time included.
    var count: UInt32
    /// The body's hash, for `auth-int`.
    var bodyHash: String?

    private func hash(_ parts: String...) -> String { challenge.algorithm.hash(parts.joined(separator: ":")) }

    /// §3.4.1 to §3.4.3.
    var response: String { digest(method: method, bodyHash: bodyHash) }

    /// What the server shows as `rspauth` when it knows the password too (§3.5): the same digest without a method, and
    /// with the hash of its own body for `auth-int`.
    func serverResponse(bodyHash: String? = nil) -> String { digest(method: "", bodyHash: bodyHash) }

    private func digest(method: String, bodyHash: String?) -> String {
        var secret = challenge.algorithm.hash(user + Array(":\(password)".utf8))
        if challenge.isSession { secret = hash(secret, session.server, session.client) }
        guard let protection = challenge.protection else { return hash(secret, challenge.nonce, hash(method, uri)) }
        let request =
            protection == .authInt ? hash(method, uri, bodyHash ?? challenge.algorithm.hash("")) : hash(method, uri)
        return hash(secret, challenge.nonce, count.hexadecimal, clientNonce, protection.rawValue, request)
    }

    /// §3.4.4.
    var hashedUsername: String { challenge.algorithm.hash(user) }

    private var user: [UInt8] { Array("\(username):".utf8) + challenge.realm }

    /// The value of the `Authorization` field, which is UTF-8 if the realm is.
    var fieldValue: [UInt8] {
        let start: String
        if challenge.hashesUsername {
            start = "Digest username=\(Self.quoted(hashedUsername)), realm="
        } else if username.utf8.allSatisfy({ $0 < 0x80 }) {
            start = "Digest username=\(Self.quoted(username)), realm="
        } else {
            start = "Digest username*=UTF-8''\(PercentEncoding.encode(username)), realm="
        }
        var parts = ["uri=\(Self.quoted(uri))"]
        if let name = challenge.algorithmName { parts.append("algorithm=\(name)") }
        parts.append("nonce=\(Self.quoted(challenge.nonce))")
        if let protection = challenge.protection {
            parts += ["nc=\(count.hexadecimal)", "cnonce=\(Self.quoted(clientNonce))", "qop=\(protection.rawValue)"]
        } else if challenge.isSession {
            // The key of a session is computed from the client's nonce, which the server therefore needs.
            parts.append("cnonce=\(Self.quoted(clientNonce))")
        }
        parts.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        if challenge.hashesUsername { parts.append("userhash=true") }
        return Array(start.utf8) + Self.quoted(challenge.realm) + Array(", \(parts.joined(separator: ", "))".utf8)
    }

    private static func quoted(_ text: String) -> String { String(decoding: quoted(Array(text.utf8)), as: UTF8.self) }

    /// RFC 9110 §5.6.4.
    private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        let content = bytes.flatMap { $0 == quote || $0 == backslash ? [backslash, $0] : [$0] }
        return [quote] + content + [quote]
    }
}
