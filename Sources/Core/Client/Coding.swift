// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Turns a model into a request's body. `JSONEncoder` conforms in `StrataEncoding`.
public protocol RequestBodyEncoder: Sendable {
    /// - Throws: an `EncodingError`; the call then fails with ``NetworkClientError/Code-swift.struct/encodingFailed``.
    func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody
}

/// Turns a response's body into a model. `JSONDecoder` conforms in `StrataEncoding`.
public protocol ResponseBodyDecoder: Sendable {
    /// What goes into `Accept`, most wanted first; may carry parameters such as `q`. Empty: no `Accept` is sent.
    var acceptedContentTypes: [String] { get }
    /// - Throws: a `DecodingError`; the call then fails with ``NetworkClientError/Code-swift.struct/decodingFailed``.
    ///   A ``NetworkClientError`` passes as it is.
    func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model
    /// Whether `Data` and `String` are values inside of the body, and decoded too. Default: `false`, they are the body
    /// itself and pass the decoder by.
    var decodesPartOfBody: Bool { get }
}

extension ResponseBodyDecoder {
    public var decodesPartOfBody: Bool { false }
}

/// A body and what it is.
public struct EncodedBody: Sendable {
    public var body: RequestBody
    /// The media type that is sent unless the caller set one. `nil`: none is sent.
    public var contentType: String?

    public init(_ body: RequestBody, contentType: String?) {
        self.body = body
        self.contentType = contentType
    }
}

/// A model that is a body already, and passes every encoder by: bytes, text, multipart forms.
public protocol RequestBodyConvertible {
    func encodedBody() throws -> EncodedBody
}

extension Data: RequestBodyConvertible {
    /// The bytes as they are; no media type is claimed for them.
    public func encodedBody() -> EncodedBody { EncodedBody(.data(self), contentType: nil) }
}

extension String: RequestBodyConvertible {
    public func encodedBody() -> EncodedBody {
        EncodedBody(.data(Data(utf8)), contentType: "text/plain; charset=utf-8")
    }
}

/// The model of a request without a body.
public struct VoidRequest: Codable, Hashable, Sendable {
    public init() {}
}

/// The model of a response whose body does not matter; it is read to its end, so that a truncated one is noticed.
public struct VoidResponse: Codable, Hashable, Sendable {
    public init() {}
}
