// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The algorithms that httpbin knows.
enum DigestAlgorithm: String, Sendable {
    case md5 = "MD5"
    case sha256 = "SHA-256"
    case sha512 = "SHA-512"

    func hex(_ bytes: [UInt8]) -> String {
        switch self {
        case .md5: Insecure.MD5.hash(data: bytes).hex
        case .sha256: SHA256.hash(data: bytes).hex
        case .sha512: SHA512.hash(data: bytes).hex
        }
    }

    func hex(_ text: String) -> String { hex(Array(text.utf8)) }
}

extension Sequence<UInt8> {
    var hex: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}

/// A challenge (RFC 7616 §3.3) with a nonce of its own.
struct DigestChallenge: Sendable {
    /// `nil` offers `auth` and `auth-int`.
    let qop: String?
    let algorithm: DigestAlgorithm
    let stale: Bool

    var field: String {
        var random = SeededBytes(seed: nil)
        let nonce = algorithm.hex(random.next(16))
        let opaque = algorithm.hex(random.next(16))
        return """
            Digest realm="echo@strata", nonce="\(nonce)", opaque="\(opaque)", qop="\(qop ?? "auth, auth-int")", \
            algorithm=\(algorithm.rawValue), stale=\(stale ? "TRUE" : "FALSE")
            """
    }
}

/// What a client answers to a challenge (RFC 7616 §3.4).
struct DigestCredentials: Sendable {
    private let parameters: [String: String]

    /// `nil` when the field is of another scheme.
    init?(_ field: String) {
        let halves = field.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "digest" else { return nil }
        parameters = Self.parameters(in: halves[1])
    }

    var nonce: String { parameters["nonce"] ?? "" }
    var qop: String? { parameters["qop"] }

    /// Whether the response is the one that user and password give for this request.
    func isRight(user: String, password: String, method: String, uri: String, body: [UInt8]) -> Bool {
        guard parameters["username"] == user, parameters["uri"] == uri,
            let algorithm = DigestAlgorithm(rawValue: parameters["algorithm"]?.uppercased() ?? "MD5")
        else { return false }
        let first = algorithm.hex("\(user):\(parameters["realm"] ?? ""):\(password)")
        let second: String
        switch qop {
        case nil, "auth": second = algorithm.hex("\(method):\(uri)")
        case "auth-int": second = algorithm.hex("\(method):\(uri):\(algorithm.hex(body))")
        default: return false
        }
        guard let qop else { return parameters["response"] == algorithm.hex("\(first):\(nonce):\(second)") }
        guard let count = parameters["nc"], let clientNonce = parameters["cnonce"] else { return false }
        return parameters["response"] == algorithm.hex("\(first):\(nonce):\(count):\(clientNonce):\(qop):\(second)")
    }

    /// `name=token` and `name="quoted \" string"`, separated by commas.
    private static func parameters(in text: Substring) -> [String: String] {
        var parameters: [String: String] = [:]
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = String(rest[..<equals]).replacing(",", with: "").trimmingSpaces().lowercased()
            rest = rest[rest.index(after: equals)...].drop { $0 == " " }
            var value = ""
            if rest.first == "\"" {
                rest.removeFirst()
                while let character = rest.popFirst(), character != "\"" {
                    value.append(character == "\\" ? rest.popFirst() ?? character : character)
                }
            } else {
                value = String(rest.prefix { $0 != "," }).trimmingSpaces()
                rest = rest.drop { $0 != "," }
            }
            parameters[name] = value
        }
        return parameters
    }
}
