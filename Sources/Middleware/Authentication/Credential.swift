// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A token, and how long it is good for. Printing or dumping it shows no secret; encoding it writes all of it.
public struct Credential: Codable, Hashable, Sendable {
    public var token: String
    /// When the token ceases to be accepted; `nil`: unknown.
    public var expiry: Date?
    /// What a new token can be had for (RFC 6749 §1.5).
    public var refreshToken: String?

    public init(token: String, expiry: Date? = nil, refreshToken: String? = nil) {
        self.token = token
        self.expiry = expiry
        self.refreshToken = refreshToken
    }

    /// Whether it has to be replaced at `date` already, because it expires within `margin`.
    func isExpiring(within margin: Duration, at date: Date) -> Bool {
        guard let expiry else { return false }
        return expiry <= date.addingTimeInterval(margin / .seconds(1))
    }
}

extension Credential: CustomStringConvertible, CustomReflectable {
    public var description: String { "Credential(token: …)" }
    @_documentation(visibility: internal)
    public var customMirror: Mirror { Mirror(self, children: ["expiry": expiry as Any], displayStyle: .struct) }
}
