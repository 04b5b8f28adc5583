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
    /// Whether `Data` and `String` are values inside of the body, and decoded too. Default: `false`, they are the body
    /// itself and pass the decoder by.
    var decodesPartOfBody: Bool { get }
    /// The same for the body of one response, for a decoder that reads a part of some bodies only. Default:
    /// ``decodesPartOfBody``, which holds for a request, too, and for the elements of a stream.
    func decodesPartOfBody(of response: HTTPResponse) -> Bool
}

extension ResponseBodyDecoder {
    public var decodesPartOfBody: Bool { false }
    public func decodesPartOfBody(of response: HTTPResponse) -> Bool { decodesPartOfBody }
}

/// A decoder that reads a part of bodies by way of another one, which is that for bodies without the part: a refusal, say,
/// does not stand in the envelope of a success.
package protocol PartialBodyDecoder: ResponseBodyDecoder {
    var wholeBodyDecoder: any ResponseBodyDecoder { get }
}

extension ResponseBodyDecoder {
    /// The decoder for whole bodies: itself, unless it reads a part.
    package var forWholeBodies: any ResponseBodyDecoder {
        (self as? any PartialBodyDecoder)?.wholeBodyDecoder ?? self
    }
}
