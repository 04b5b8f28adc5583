// SPDX-License-Identifier: Apache-2.0

/// What a server answers to a sign-in: `{"token": "…", "accountInfo": {"accountType": "…"}}`.
public struct RestBearerToken: Codable, Hashable, Sendable {
    public let value: String
    public let type: RestBearerType

    public init(value: String, type: RestBearerType) {
        self.value = value
        self.type = type
    }

    enum CodingKeys: String, CodingKey {
        case value = "token"
        case type = "accountInfo"
    }
}

extension RestBearerToken: CustomStringConvertible, CustomReflectable {
    /// Without the token.
    public var description: String { "RestBearerToken(type: \(type.value))" }
    @_documentation(visibility: internal)
    public var customMirror: Mirror { Mirror(self, children: ["type": type.value]) }
}
