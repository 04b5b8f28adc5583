// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A body and what it is. As a request's model it is sent as it is, with its type.
public struct EncodedBody: Sendable {
    public var body: RequestBody
    /// The media type that is sent unless the caller set one; a multipart type also in place of the caller's own with
    /// another boundary or none. `nil`: none is sent.
    public var contentType: String?

    public init(_ body: RequestBody, contentType: String?) {
        self.body = body
        self.contentType = contentType
    }
}

extension EncodedBody: Encodable, RequestBodyConvertible {
    public func encodedBody() -> EncodedBody { self }

    /// A body is no part of another model, but of a multipart form.
    ///
    /// - Throws: always an `EncodingError`.
    public func encode(to encoder: any Encoder) throws { try body.encode(to: encoder) }
}

extension EncodedBody {
    /// The media type of forms.
    package static let formType = "application/x-www-form-urlencoded"

    /// A form that is written already.
    package static func form(_ data: Data) -> EncodedBody { EncodedBody(.data(data), contentType: formType) }
}
