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

    @Test func keepsItsKindItsPlaceAndWhatItSays() throws {
        let context = DecodingError.Context(codingPath: [StringKey("a"), StringKey(1)], debugDescription: "why")
        let errors: [DecodingError] = [
            .typeMismatch(Int.self, context), .valueNotFound(Int.self, context), .keyNotFound(StringKey("k"), context),
            .dataCorrupted(context),
        ]
        let kinds = try errors.map { cause in
            let error = NetworkClientError(.decodingFailed, "m", cause: cause)
            let shown = try #require(error.decodingError)
            let (kind, told) =
                switch shown {
                case .typeMismatch(let type, let told): ("mismatch \(type)", told)
                case .valueNotFound(let type, let told): ("no value \(type)", told)
                case .keyNotFound(let key, let told): ("no key \(key.stringValue)", told)
                case .dataCorrupted(let told): ("corrupted", told)
                @unknown default: ("other", context)
                }
            #expect(told.codingPath.place == "a[1]" && told.debugDescription == "why")
            #expect((told.underlyingError as? NetworkClientError)?.code == .decodingFailed)
            return kind
        }
        #expect(kinds == ["mismatch Int", "no value Int", "no key k", "corrupted"])
    }
}
