// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StrataCore

/// Something in which two transports disagree about one request.
package struct TransportDifference: Hashable, Sendable {
    /// What differs. More may come: a `switch` needs a `default`.
    package struct Aspect: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// One failed, or both did with different codes.
        package static let outcome = Aspect(description: "outcome")
        package static let status = Aspect(description: "status")
        /// The decoded body, or how it ended.
        package static let body = Aspect(description: "body")
        /// The fields behind the body.
        package static let trailers = Aspect(description: "trailers")
        /// A field that the responses do not have in common.
        package static func field(_ name: HTTPField.Name) -> Aspect {
            Aspect(description: "field \(name.canonicalName)")
        }
    }

    /// Of the request: 1 for the first that went through both.
    package var number: Int
    package var method: HTTPMethod
    /// The path without its query.
    package var path: String
    package var aspect: Aspect
    /// What the first transport had, in words. Values of sensitive fields and of those whose names tell of a secret are
    /// `***`, and so are the user information, the queries and the fragments of URLs.
    package var first: String
    /// What the second had.
    package var second: String
}

extension TransportDifference: CustomStringConvertible {
    package var description: String { "\(number). \(method) \(path): \(aspect): \(first) against \(second)" }
}
