// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Which fields, query items and members of bodies hold secrets, so that their values are not written down.
///
///     var redaction = Redaction.standard
///     redaction.fields.insert(tenantKey)
///     redaction.members.insert("iban")
///
/// Names are compared by their letters and digits, ignoring case. Beside the listed names, these count as secret:
///
/// - names that are known for a secret, or end in one, such as `pin` and `user_session`; also with `code`, `value` and the
///   like after it, such as `otpCode`;
/// - names with `token`, `secret`, `password`, `signature`, `credential`, `api-key` and the like in them. Names that count
///   tokens (`max_tokens`) and `token_type` are no secrets.
///
/// In any text, these are secret too: the credentials behind `Bearer` and `Basic`; JSON Web Tokens, private keys, and keys
/// that begin with the mark of a service (`sk-`, `ghp_`, `AKIA` …); what stands behind a secret name as in YAML
/// (`password: …`), in an element or attribute of XML with such a name, or beside one (`"name": "password", "value": …`).
public struct Redaction: Sendable {
    /// Fields with secrets, in addition to those of `RequestOptions.isSensitive(_:)`. Members of bodies with these
    /// names are hidden too.
    public var fields: Set<HTTPField.Name> {
        didSet { normalizedFields = Self.normalized(fields.map(\.canonicalName)) }
    }
    /// Names of query items and of items in forms, in addition to those of `RequestOptions.sensitiveQueryItems`.
    public var queryItems: Set<String> {
        didSet { normalizedQueryItems = Self.normalized(queryItems) }
    }
    /// Names of members of JSON objects, at any depth and also in strings that hold JSON, and in forms.
    public var members: Set<String> {
        didSet { normalizedMembers = Self.normalized(members) }
    }
    /// What stands in a secret's place.
    public var replacement = "***"

    private var normalizedFields: Set<String>
    private var normalizedQueryItems: Set<String>
    private var normalizedMembers: Set<String>

    public init(fields: Set<HTTPField.Name> = [], queryItems: Set<String> = [], members: Set<String> = []) {
        self.fields = fields
        self.queryItems = queryItems
        self.members = members
        normalizedFields = Self.normalized(fields.map(\.canonicalName))
        normalizedQueryItems = Self.normalized(queryItems)
        normalizedMembers = Self.normalized(members)
    }

    private static func normalized(_ names: some Sequence<String>) -> Set<String> {
        Set(names.map { SecretNames.normalized($0) })
    }

    /// Adds secrets that are not known by their names: the fields of RFC 7615, and the query items `code`, `key` and
    /// `ticket`.
    public static let standard = Redaction(fields: SecretNames.fields, queryItems: SecretNames.parameters)

    func isSensitive(_ name: HTTPField.Name, options: RequestOptions?) -> Bool {
        options?.isSensitive(name) == true || RequestOptions.alwaysSensitive.contains(name) || fields.contains(name)
            || SecretNames.isSecret(name.canonicalName)
    }

    func isSensitiveQueryItem(_ name: String, options: RequestOptions?) -> Bool {
        let normalized = SecretNames.normalized(name)
        return normalizedQueryItems.contains(normalized) || SecretNames.isSecret(name)
            || options?.marksQueryItem(normalized) == true
    }

    /// A body may repeat what was in the query and in the fields.
    func isSensitiveMember(_ name: String, options: RequestOptions?) -> Bool {
        let normalized = SecretNames.normalized(name)
        return normalizedMembers.contains(normalized) || normalizedFields.contains(normalized)
            || options?.isSecretMember(name) ?? SecretNames.isSecret(name)
    }
}
