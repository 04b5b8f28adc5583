// SPDX-License-Identifier: Apache-2.0

/// Turns a model into a request's body. `JSONEncoder` conforms in `StrataEncoding`.
public protocol RequestBodyEncoder: Sendable {
    /// - Throws: an `EncodingError`; the call then fails with ``NetworkClientError/Code-swift.struct/encodingFailed``.
    func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody
}
