// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// The `DecodingError` that front ends show for a body that could not be read.
struct DecodingErrorTests {
    private struct User: Decodable, Sendable { var name: String }

    private func failure<Model: Decodable & Sendable>(
        _ type: Model.Type, _ body: String, contentType: String = "application/json"
    ) async throws -> NetworkClientError {
        let transport = ScriptedTransport(
            .status(200, fields: [.contentType: contentType], body: Data(body.utf8)))
        let client = NetworkClient(configuration: NetworkConfiguration(baseURL: "https://h", transport: transport))
        return try #require(
            await #expect(throws: NetworkClientError.self) { _ = try await client.get("a", returning: type) })
    }

    @Test func isThatOfTheDecoder() async throws {
        let missing = try await failure(User.self, "{}")
        guard case .keyNotFound(let key, let context)? = missing.decodingError else {
            return #expect(Bool(false), "\(missing.decodingError as Any)")
        }
        #expect(key.stringValue == "name")
        #expect((context.underlyingError as? NetworkClientError)?.code == .decodingFailed)
        let other = try await failure(User.self, #"{"name":1}"#)
        guard case .typeMismatch? = other.decodingError else {
            return #expect(Bool(false), "\(other.decodingError as Any)")
        }
    }

    @Test func isMadeWhereTheDecoderHasNone() async throws {
        let text = try await failure(String.self, "a", contentType: "text/plain; charset=no-such-charset")
        guard case .dataCorrupted(let context)? = text.decodingError else {
            return #expect(Bool(false), "\(text.decodingError as Any)")
        }
        #expect(context.debugDescription == text.message)
        #expect((context.underlyingError as? NetworkClientError)?.code == .decodingFailed)
    }

    @Test func isNoneOfAnotherStage() {
        #expect(NetworkClientError(.connectionLost, "").decodingError == nil)
    }
}
