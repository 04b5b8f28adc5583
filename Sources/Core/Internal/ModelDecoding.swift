// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Models that are read without a decoder, and all others by theirs.
package enum ModelDecoding {
    static func decode<Model: Decodable>(
        _ type: Model.Type, from data: Data, response: HTTPResponse, decoder: any ResponseBodyDecoder
    ) throws -> Model {
        if let none = absent(type, isEmpty: data.isEmpty, response) { return none }
        if !decodesPartOfBody(of: response, decoder), let value = try whole(type, data, response) { return value }
        return try decoder.decode(type, from: data, response: response)
    }

    /// The value of an optional model where there is nothing to read; `nil` for any other model, or where there is something.
    static func absent<Model>(_ type: Model.Type, isEmpty: Bool, _ response: HTTPResponse) -> Model? {
        guard isEmpty || [204, 205, 304].contains(response.status.code),
            let optional = type as? any OptionalType.Type
        else { return nil }
        return optional.absent as? Model
    }

    /// Whether `Data` and `String` are values inside of this response's body.
    package static func decodesPartOfBody(of response: HTTPResponse, _ decoder: any ResponseBodyDecoder) -> Bool {
        (decoder as? any ResponseDependentDecoder)?.decodesPartOfBody(of: response) ?? decoder.decodesPartOfBody
    }

    /// The body itself, for a model that is no more than its bytes or their text; `nil` for any other.
    package static func whole<Model>(_ type: Model.Type, _ data: Data, _ response: HTTPResponse) throws -> Model? {
        guard isWhole(type) else { return nil }
        if let bytes = data as? Model { return bytes }
        let label = response.headerFields.contentType.flatMap { HTTPFields.parameter("charset", of: $0) }
        do {
            return try TextCharset.text(of: data, label: label) as? Model
        } catch {
            throw NetworkClientError(.decodingFailed, error.reason)
        }
    }

    fileprivate static func isWhole(_ type: any Any.Type) -> Bool {
        type == Data.self || type == Data?.self || type == String.self || type == String?.self
    }
}

extension ResponseBodyDecoder {
    /// What `Accept` asks for when the body is to become a `Model`: nothing where the decoder is not needed for it.
    package func acceptedContentTypes<Model>(for type: Model.Type) -> [String] {
        if type == VoidResponse.self || type == VoidResponse?.self { return [] }
        return ModelDecoding.isWhole(type) && !decodesPartOfBody ? [] : acceptedContentTypes
    }
}
