// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns a model into a request's body. `JSONEncoder` conforms in `StrataEncoding`.
public protocol RequestBodyEncoder: Sendable {
    /// - Throws: an `EncodingError`; the call then fails with ``NetworkClientError/Code-swift.struct/encodingFailed``.
    func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody
}

extension RequestBodyEncoder {
    /// The body that a model is: what is a body already as it is, a file URL as the file, anything else as it is encoded.
    package func body<Model: Encodable>(of model: Model) throws -> EncodedBody {
        if let body = model as? any RequestBodyConvertible { return try body.encodedBody() }
        if let url = model as? URL, url.isFileURL {
            return EncodedBody(try .file(url), contentType: FileMediaType.name(forFile: url.lastPathComponent))
        }
        return try encodeBody(model)
    }
}
