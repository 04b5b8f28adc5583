// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A body together with its media type. As the model of a request it is sent as it is.
public struct EncodedBody: Sendable {
    public var body: RequestBody
    /// Sent as `Content-Type` unless the caller set that field. A multipart type also replaces the caller's own if that
    /// has another boundary or none. `nil`: no type is sent.
    public var contentType: String?

    public init(_ body: RequestBody, contentType: String?) {
        self.body = body
        self.contentType = contentType
    }
}

extension EncodedBody: WholeBody {
    @_documentation(visibility: internal)
    public func encodedBody() -> EncodedBody { self }
}

extension EncodedBody {
    /// The media type of forms.
    package static let formType = "application/x-www-form-urlencoded"

    /// A form that is written already.
    package static func form(_ data: Data) -> EncodedBody { EncodedBody(.data(data), contentType: formType) }
}
