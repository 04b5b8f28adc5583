// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

struct JSONCodersTests {
    struct Model: Codable, Equatable {
        var id: Int
        var name: String
    }

    @Test func aModelGoesOutAsJSONAndComesBack() async throws {
        let transport = ScriptedTransport(.json(#"{"id": 2, "name": "b"}"#))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h.example"), transport: transport))
        let response = try await client.run(
            NetworkRequest<Model, Model>(path: "/m", method: .post, body: Model(id: 1, name: "a")))
        #expect(response.value == Model(id: 2, name: "b"))
        let request = try #require(transport.requests.first)
        #expect(request.head.headerFields[.contentType] == "application/json")
        #expect(request.head.headerFields[.accept] == "application/json")
        #expect(try JSONDecoder().decode(Model.self, from: request.body) == Model(id: 1, name: "a"))
    }

    /// The encoder of swift-foundation writes it as `NaN`.
    @Test func aDecimalThatIsNoNumberIsAnError() throws {
        struct Price: Encodable {
            var amount: Decimal
            var note = "NaN"
        }
        #expect(throws: EncodingError.self) { try JSONEncoder().encodeBody(Price(amount: .nan)) }
        #expect(throws: EncodingError.self) { try JSONLinesEncoder().encode(Price(amount: .nan)) }
        #expect(throws: EncodingError.self) { try JSONValue(encoding: Price(amount: .nan)) }
        #expect(throws: EncodingError.self) { try MultipartEncoder().form(from: ["price": Price(amount: .nan)]) }
        #expect(try JSONValue(encoding: Price(amount: 1.5)) == ["amount": 1.5, "note": "NaN"])
    }

    @Test(arguments: [200, 204]) func nothingIsNoJSONValueButNil(_ status: Int) async throws {
        let transport = ScriptedTransport(.status(status), .status(status))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h.example"), transport: transport))
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.run(NetworkRequest<VoidRequest, JSONValue>(path: "/", method: .get))
        }
        #expect(error?.code == .decodingFailed)
        #expect(try await client.run(NetworkRequest<VoidRequest, JSONValue?>(path: "/", method: .get)).value == nil)
    }

    @Test func anOptionalJSONValueIsReadAsOneThatIsNot() throws {
        func decode(_ text: String) throws -> JSONValue? {
            try JSONDecoder().decode(JSONValue?.self, from: Data(text.utf8), response: HTTPResponse(status: .ok))
        }
        let deep = String(repeating: "[", count: 511) + "1" + String(repeating: "]", count: 511)
        #expect(try decode("[\(deep)]") == JSONValue(parsing: "[\(deep)]"))
        #expect(throws: JSONDecodingError.self) { try decode("[[\(deep)]]") }
        let number = String(repeating: "7", count: 200)
        #expect(try decode(number)?.number?.literal == number)
        let null = try decode(" null ")
        #expect(null == .none)
    }

    @Test func aJSONValueIsReadFromAllThatTheDecoderAllows() throws {
        let response = HTTPResponse(status: .ok)
        let lenient = JSONDecoder()
        lenient.allowsJSON5 = true
        let bare = JSONDecoder()
        bare.assumesTopLevelDictionary = true
        #expect(try lenient.decode(JSONValue.self, from: Data("{a: [1,],}".utf8), response: response) == ["a": [1]])
        #expect(try lenient.decode(JSONValue?.self, from: Data("null // none".utf8), response: response) == .none)
        #expect(try bare.decode(JSONValue.self, from: Data(#""a": 1"#.utf8), response: response) == ["a": 1])
        #expect(throws: JSONDecodingError.self) {
            try JSONDecoder().decode(JSONValue.self, from: Data("{a: 1}".utf8), response: response)
        }
    }

    @Test func everyMixOfCodersHasAnInitialiser() {
        let transport = ScriptedTransport(.status(200))
        let encoder: any RequestBodyEncoder = JSONEncoder()
        let decoder: any ResponseBodyDecoder = JSONDecoder()
        _ = NetworkConfiguration(baseURL: nil, transport: transport)
        _ = NetworkConfiguration(baseURL: nil, transport: transport, defaultEncoder: JSONEncoder())
        _ = NetworkConfiguration(baseURL: nil, transport: transport, defaultDecoder: JSONDecoder())
        _ = NetworkConfiguration(
            baseURL: nil, transport: transport, defaultEncoder: JSONEncoder(), defaultDecoder: JSONDecoder())
        _ = NetworkConfiguration(baseURL: nil, transport: transport, defaultEncoder: encoder)
        _ = NetworkConfiguration(baseURL: nil, transport: transport, defaultDecoder: decoder)
        let whole = NetworkConfiguration(
            baseURL: nil, transport: transport, defaultEncoder: encoder, defaultDecoder: decoder)
        #expect(whole.defaultDecoder.acceptedContentTypes == ["application/json"])
    }
}
