// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSONEncoder: RequestBodyEncoder {
    /// `application/json`, with the encoder's own strategies.
    public func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
        EncodedBody(.data(try encode(model)), contentType: "application/json")
    }
}

extension JSONDecoder: ResponseBodyDecoder {
    public var acceptedContentTypes: [String] { ["application/json"] }

    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        try decode(type, from: data)
    }
}
