// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore

/// What is not written down: which fields, query items, and members of bodies hold secrets.
///
///     var redaction = Redaction.standard
///     redaction.fields.insert(tenantKey)
///     redaction.members.insert("iban")
///
/// Names are compared without case, `_`, `-` and brackets. Beside the listed ones, every name that ends in `token`, `secret`,
/// `password`, `signature`, `credential`, `api-key` and the like counts.
public struct Redaction: Sendable {
    /// Beside those of `RequestOptions.isSensitive(_:)`.
    public var fields: Set<HTTPField.Name>
    /// Names in the query of a URL and in forms. Beside those of `RequestOptions.sensitiveQueryItems`.
    public var queryItems: Set<String> {
        didSet { normalizedQueryItems = Set(queryItems.map(Self.normalize)) }
    }
    /// Names of members of JSON objects, at any depth, and in forms.
    public var members: Set<String> {
        didSet { normalizedMembers = Set(members.map(Self.normalize)) }
    }
    /// What stands in a secret's place.
    public var replacement = "<redacted>"

    private var normalizedQueryItems: Set<String>
    private var normalizedMembers: Set<String>

    public init(fields: Set<HTTPField.Name> = [], queryItems: Set<String> = [], members: Set<String> = []) {
        self.fields = fields
        self.queryItems = queryItems
        self.members = members
        normalizedQueryItems = Set(queryItems.map(Self.normalize))
        normalizedMembers = Set(members.map(Self.normalize))
    }

    /// API keys, tokens, passwords and signatures by their common names.
    public static let standard = Redaction(
        fields: [
            .apiKey, .authenticationInfo, .proxyAuthenticationInfo, .known("X-Auth"), .known("Api-Key"),
        ],
        queryItems: [
            "sig", "key", "code", "auth", "sid", "session", "pass", "pwd", "otp", "assertion", "code_verifier",
        ],
        members: [
            "passwd", "pwd", "passphrase", "pin", "otp", "assertion", "client_assertion", "code_verifier", "session",
            "card_number", "cvc", "cvv",
        ])

    func isSensitive(_ name: HTTPField.Name, options: RequestOptions?) -> Bool {
        options?.isSensitive(name) == true || RequestOptions.alwaysSensitive.contains(name) || fields.contains(name)
            || Self.endsLikeASecret(Self.normalize(name.canonicalName))
    }

    func isSensitiveQueryItem(_ name: String, options: RequestOptions?) -> Bool {
        let normalized = Self.normalize(name)
        return normalizedQueryItems.contains(normalized) || Self.endsLikeASecret(normalized)
            || options?.sensitiveQueryItems.contains { Self.normalize($0) == normalized } == true
    }

    func isSensitiveMember(_ name: String) -> Bool {
        let normalized = Self.normalize(name)
        return normalizedMembers.contains(normalized) || Self.endsLikeASecret(normalized)
    }

    private static func normalize(_ name: some StringProtocol) -> String {
        name.lowercased().filter { !"_-. []".contains($0) }
    }

    private static let endings = [
        "token", "secret", "password", "signature", "credential", "credentials", "apikey", "accesskey", "secretkey",
        "privatekey", "authorization", "sessionid",
    ]

    private static func endsLikeASecret(_ normalized: String) -> Bool {
        endings.contains { normalized.hasSuffix($0) }
    }
}
