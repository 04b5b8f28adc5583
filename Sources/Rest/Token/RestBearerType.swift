// SPDX-License-Identifier: Apache-2.0

/// The kind of account that a token is for.
public struct RestBearerType: Codable, Hashable, Sendable {
    public let value: String

    public init(value: String) {
        self.value = value
    }

    enum CodingKeys: String, CodingKey {
        case value = "accountType"
    }
}
