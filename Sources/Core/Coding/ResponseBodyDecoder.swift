// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Turns a response's body into a model. `JSONDecoder` conforms in `StrataEncoding`.
public protocol ResponseBodyDecoder: Sendable {
    /// What goes into `Accept`, most wanted first; may carry parameters such as `q`. Empty: no `Accept` is sent.
    var acceptedContentTypes: [String] { get }
    /// - Throws: a `DecodingError`; the call then fails with ``NetworkClientError/Code-swift.struct/decodingFailed``.
    ///   A ``NetworkClientError`` passes as it is.
    func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model
    /// Whether the decoder reads a part of the body, so that `Data` and `String` are values in that part and are
    /// decoded too. Default: `false`. Then they are the body itself, and the decoder is not asked for them.
    var decodesPartOfBody: Bool { get }
    /// The same for the body of one response, for a decoder that reads a part of some bodies and the whole of others.
    /// Default: ``decodesPartOfBody``, which counts where there is no response yet.
    func decodesPartOfBody(of response: HTTPResponse) -> Bool
}

extension ResponseBodyDecoder {
    @_documentation(visibility: internal)
    public var decodesPartOfBody: Bool { false }
    @_documentation(visibility: internal)
    public func decodesPartOfBody(of response: HTTPResponse) -> Bool { decodesPartOfBody }
}
