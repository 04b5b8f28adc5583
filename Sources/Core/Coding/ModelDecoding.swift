// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads bodies as models: bytes, text and absent values without a decoder, everything else by the decoder.
///
/// What every call runs has no optional of the model, since finding that type at run time costs as much as a middleware.
package enum ModelDecoding {
    static func decode<Model: Decodable>(
        _ type: Model.Type, from data: Data, response: HTTPResponse, decoder: any ResponseBodyDecoder
    ) throws -> Model {
        if let none = absent(type, isEmpty: data.isEmpty, response) { return try model(none) }
        if isWhole(type), !decoder.decodesPartOfBody(of: response) { return try model(whole(type, data, response)) }
        return try decoder.decode(type, from: data, response: response)
    }

    /// The same where the decoder reads every model, `Data` and `String` too.
    static func value<Model: Decodable>(
        _ type: Model.Type, from data: Data, response: HTTPResponse, decoder: any ResponseBodyDecoder
    ) throws -> Model {
        if isVoid(type) { return try void(type, isEmpty: data.isEmpty, response) }
        if let none = absent(type, isEmpty: data.isEmpty, response) { return try model(none) }
        return try decoder.decode(type, from: data, response: response)
    }

    /// A ``VoidResponse``, or `nil` where the model is an optional one and there is nothing to read.
    static func void<Model>(_ type: Model.Type, isEmpty: Bool, _ response: HTTPResponse) throws -> Model {
        try model(absent(type, isEmpty: isEmpty, response) ?? VoidResponse() as Any)
    }

    /// The value of an optional model where there is nothing to read; `nil` for any other model, or where there is something.
    private static func absent(_ type: any Any.Type, isEmpty: Bool, _ response: HTTPResponse) -> (any OptionalType)? {
        guard isEmpty || [204, 205, 304].contains(response.status.code) else { return nil }
        return (type as? any OptionalType.Type)?.absent
    }

    /// The body itself for a model that is whole (``isWhole(_:)``): its bytes, or its text.
    package static func whole(_ type: any Any.Type, _ data: Data, _ response: HTTPResponse) throws -> any Sendable {
        if type == Data.self || type == Data?.self { return data }
        let label = response.headerFields.contentType.flatMap { HTTPFields.charset(of: $0) }
        do {
            return try TextCharset.text(of: data, label: label)
        } catch {
            throw NetworkClientError(.decodingFailed, error.reason)
        }
    }

    /// Whether the model is `Data` or `String`, or an optional of one.
    package static func isWhole(_ type: any Any.Type) -> Bool {
        type == Data.self || type == Data?.self || type == String.self || type == String?.self
    }

    package static func isVoid(_ type: any Any.Type) -> Bool {
        type == VoidResponse.self || type == VoidResponse?.self
    }

    /// A value that is known to be of the model's type.
    package static func model<Model>(_ value: Any) throws -> Model {
        guard let model = value as? Model else {
            throw NetworkClientError(.internalFailure, "\(Swift.type(of: value)) is no \(modelName(Model.self))")
        }
        return model
    }
}

extension ResponseBodyDecoder {
    /// The media type of a response, for a message, when it is not one that the decoder asks for.
    package func unreadableType(of head: HTTPResponse) -> String? {
        guard let type = HTTPFields.essence(of: head.headerFields.contentType), type.utf8.count <= 100 else {
            return nil
        }
        let isAccepted = acceptedContentTypes.contains { accepted in
            guard let accepted = HTTPFields.essence(of: accepted) else { return true }
            return accepted == type || accepted.hasSuffix("/*") || accepted.hasSuffix("json") && type.hasSuffix("json")
        }
        return isAccepted || acceptedContentTypes.isEmpty ? nil : type
    }

    /// What `Accept` asks for when the body is to become a `Model`. Empty when the model is read without the decoder.
    package func acceptedContentTypes<Model>(for type: Model.Type) -> [String] {
        if ModelDecoding.isVoid(type) { return [] }
        return ModelDecoding.isWhole(type) && !decodesPartOfBody ? [] : acceptedContentTypes
    }
}
