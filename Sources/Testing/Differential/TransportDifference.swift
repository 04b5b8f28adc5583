// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// Something in which two transports disagree about one request.
public struct TransportDifference: Hashable, Sendable {
    /// What differs. More may come: a `switch` needs a `default`.
    public struct Aspect: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// One failed, or both did with different codes.
        public static let outcome = Aspect(description: "outcome")
        public static let status = Aspect(description: "status")
        /// The decoded body, or how it ended.
        public static let body = Aspect(description: "body")
        /// A field that the responses do not have in common.
        public static func field(_ name: HTTPField.Name) -> Aspect {
            Aspect(description: "field \(name.canonicalName)")
        }
    }

    /// Of the request: 1 for the first that went through both.
    public var number: Int
    public var method: HTTPMethod
    /// The path without its query.
    public var path: String
    public var aspect: Aspect
    /// What the first transport had, in words. Values of sensitive fields and of those whose names tell of a secret are
    /// `***`, and so are the user information, the queries and the fragments of URLs.
    public var first: String
    /// What the second had.
    public var second: String
}

extension TransportDifference: CustomStringConvertible {
    public var description: String { "\(number). \(method) \(path): \(aspect): \(first) against \(second)" }
}
