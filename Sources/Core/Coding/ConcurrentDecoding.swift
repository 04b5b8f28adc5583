// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a large body outside of the caller's actor, so that an app's main actor goes on meanwhile. Only a `Sendable` model
/// may be handed over from there.
package struct ConcurrentDecoding<Model: Decodable>: Sendable {
    private let decode: @Sendable (Data, HTTPResponse, any ResponseBodyDecoder) async throws -> Model

    package init() where Model: Sendable {
        decode = { try await Self.decode($0, $1, $2) }
    }

    @concurrent private static func decode(
        _ data: Data, _ response: HTTPResponse, _ decoder: any ResponseBodyDecoder
    ) async throws -> Model where Model: Sendable {
        try ModelDecoding.decode(Model.self, from: data, response: response, decoder: decoder)
    }

    /// - Returns: `nil` for a body that is decoded sooner than the change of executors is worth.
    func model(from data: Data, response: HTTPResponse, decoder: any ResponseBodyDecoder) async throws -> Model? {
        data.count > 64 * 1024 ? try await decode(data, response, decoder) : nil
    }
}
