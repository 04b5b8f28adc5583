// SPDX-License-Identifier: Apache-2.0

/// The answer to a digest challenge (RFC 7616 §3.4): a pure computation.
package struct DigestResponse: Sendable {
    package let challenge: DigestChallenge
    private let username: String
    private let password: String
    private let method: String
    /// The request target exactly as it stands in the request line.
    private let uri: String
    /// Our own nonce.
    private let clientNonce: String
    /// With a session algorithm, what the session's key is made of.
    private let session: Nonces
    /// How many times the server's nonce has been used, this time included.
    private let count: UInt32
    /// The body's hash, for `auth-int`.
    private let bodyHash: String?
    /// Computes a hash, in hexadecimal digits of lower case.
    private let hash: @Sendable ([UInt8], DigestAlgorithm) -> String

    /// The nonces of a challenge and of its first answer: a session keeps them when its server names another one (RFC 7616 §3.4.2).
    package struct Nonces: Sendable {
        var server: String
        package var client: String

        package init(server: String, client: String) {
            self.server = server
            self.client = client
        }
    }

    package init(
        challenge: DigestChallenge, username: String, password: String, method: String, uri: String,
        clientNonce: String, session: Nonces, count: UInt32, bodyHash: String? = nil,
        hash: @escaping @Sendable ([UInt8], DigestAlgorithm) -> String
    ) {
        self.challenge = challenge
        self.username = username
        self.password = password
        self.method = method
        self.uri = uri
        self.clientNonce = clientNonce
        self.session = session
        self.count = count
        self.bodyHash = bodyHash
        self.hash = hash
    }

    private func hash(_ bytes: [UInt8]) -> String { hash(bytes, challenge.algorithm) }

    private func hash(_ parts: String...) -> String { hash(Array(parts.joined(separator: ":").utf8)) }

    /// §3.4.1 to §3.4.3.
    package var response: String { digest(method: method, bodyHash: bodyHash) }

    /// What the server shows as `rspauth` when it knows the password too (§3.5): the same digest without a method, and
    /// with the hash of its own body for `auth-int`.
    package func serverResponse(bodyHash: String? = nil) -> String { digest(method: "", bodyHash: bodyHash) }

    private func digest(method: String, bodyHash: String?) -> String {
        var secret = hash(user + Array(":\(password)".utf8))
        if challenge.isSession { secret = hash(secret, session.server, session.client) }
        guard let protection = challenge.protection else { return hash(secret, challenge.nonce, hash(method, uri)) }
        let request =
            protection == .authInt ? hash(method, uri, bodyHash ?? hash([])) : hash(method, uri)
        return hash(secret, challenge.nonce, count.hexadecimal, clientNonce, protection.rawValue, request)
    }

    /// §3.4.4.
    package var hashedUsername: String { hash(user) }

    private var user: [UInt8] { Array("\(username):".utf8) + challenge.realm }

    /// The value of the field `Authorization` or `Proxy-Authorization`, which is UTF-8 if the realm is.
    package var fieldValue: [UInt8] {
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

    /// A nonce of the client's: 128 random bits.
    package static func randomNonce() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    private static func quoted(_ text: String) -> String { String(decoding: quoted(Array(text.utf8)), as: UTF8.self) }

    /// RFC 9110 §5.6.4.
    private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        let content = bytes.flatMap { $0 == quote || $0 == backslash ? [backslash, $0] : [$0] }
        return [quote] + content + [quote]
    }
}
