// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns one element of a stream into a model, and explains where it cannot.
struct ElementDecoding: Sendable {
    let decoder: any ResponseBodyDecoder
    let onFailure: (@Sendable (NetworkClientError) -> Void)?

    /// Text and bytes are taken as they are.
    func decode<Model: Decodable>(_ type: Model.Type, from text: String, of response: TransportResponse) throws -> Model
    {
        if type == String.self, let model = text as? Model { return model }
        return try decode(type, from: Data(text.utf8), of: response)
    }

    func decode<Model: Decodable>(_ type: Model.Type, from data: Data, of response: TransportResponse) throws -> Model {
        do {
            if type == Data.self, let model = data as? Model { return model }
            if type == String.self, let model = String(decoding: data, as: UTF8.self) as? Model { return model }
            return try decoder.decode(type, from: data, response: response.head)
        } catch {
            let failure =
                error as? NetworkClientError
                ?? NetworkClientError(
                    .decodingFailed, "an element of the stream could not be decoded as \(Model.self)", cause: error)
            throw explained(failure, data, response)
        }
    }

    func truncated(_ data: Data, of response: TransportResponse) -> NetworkClientError {
        let failure = NetworkClientError(.decodingFailed, "an element of the stream is not complete")
        return explained(failure, data, response)
    }

    private func explained(
        _ failure: NetworkClientError, _ data: Data, _ response: TransportResponse
    ) -> NetworkClientError {
        var failure = failure
        failure.response = failure.response ?? response.head
        failure.body = failure.body ?? Data(data.prefix(NetworkClientError.bodyLimit))
        failure.exchange = failure.exchange ?? response.exchange
        failure.decoder = decoder
        onFailure?(failure)
        return failure
    }
}
