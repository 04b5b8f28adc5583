// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// What a server wants to see before it answers (RFC 9110 §11.3): one challenge of a `WWW-Authenticate` field.
public struct AuthenticationChallenge: Hashable, Sendable {
    /// As it was written; compared without case.
    public let scheme: String
    /// By their names in lower case; quoted values without their quotes. In a response's field, what is not UTF-8 is read as
    /// Windows-1252.
    public let parameters: [String: String]
    /// The other form of a challenge: one opaque value.
    public let token68: String?
    /// The realm in the bytes that came, which need not be UTF-8. A digest is computed from these.
    package let realmBytes: [UInt8]?

    package init(scheme: String, parameters: [String: String] = [:], token68: String? = nil) {
        self.init(
            scheme: scheme, parameters: parameters, token68: token68,
            realmBytes: parameters["realm"].map { Array($0.utf8) })
    }

    init(scheme: String, parameters: [String: String], token68: String?, realmBytes: [UInt8]?) {
        self.scheme = scheme
        self.parameters = parameters
        self.token68 = token68
        self.realmBytes = realmBytes
    }

    package func isScheme(_ name: String) -> Bool { scheme.lowercased() == name.lowercased() }

    public var realm: String? { parameters["realm"] }
    /// `invalid_token`, `insufficient_scope` … (RFC 6750 §3.1).
    public var error: String? { parameters["error"] }

    /// The challenges of one field value, in order.
    ///
    /// Stray commas and missing ones are tolerated. A challenge that repeats a parameter, or whose quotes are not closed, is
    /// left out.
    package static func parse(_ value: String) -> [AuthenticationChallenge] {
        var parser = ChallengeParser(value)
        return parser.challenges()
    }
}

extension HTTPFields {
    /// The challenges of all `WWW-Authenticate` fields.
    public var challenges: [AuthenticationChallenge] {
        self[fields: .wwwAuthenticate].flatMap { field in
            var parser = ChallengeParser(field)
            return parser.challenges()
        }
    }
}
