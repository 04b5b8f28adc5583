// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A model that is a body already, and is sent without an encoder: bytes, text, multipart forms.
public protocol RequestBodyConvertible {
    func encodedBody() throws -> EncodedBody
}

extension Data: RequestBodyConvertible {
    /// The bytes as they are; no media type is claimed for them.
    @_documentation(visibility: internal)
    public func encodedBody() -> EncodedBody { EncodedBody(.data(self), contentType: nil) }
}

extension String: RequestBodyConvertible {
    @_documentation(visibility: internal)
    public func encodedBody() -> EncodedBody {
        EncodedBody(.data(Data(utf8)), contentType: "text/plain; charset=utf-8")
    }
}
