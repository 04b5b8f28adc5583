// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import Testing

/// JSON in another encoding than UTF-8, which the response names.
struct JSONTextTests {
    private let latin = Data([0x22, 0xFC, 0x22])

    private func response(_ contentType: String?) -> HTTPResponse {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.contentType] = contentType
        return response
    }

    @Test(arguments: [
        ("application/json; charset=iso-8859-1", "ü"), ("application/json;charset=iso-8859-1", "ü"),
        ("application/json; charset=utf-8", nil), ("application/json; charset=\"UTF-8\"", nil),
        ("application/json", nil),
        ("application/json; charset=none-such", nil), ("application/json; x=y", nil), (nil, nil),
    ])
    func theCharsetOfTheResponseCountsForWhatIsNoUnicode(_ contentType: String?, _ text: String?) throws {
        if let text {
            #expect(try JSONDecoder().decode(String.self, from: latin, response: response(contentType)) == text)
        } else {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode(String.self, from: latin, response: response(contentType))
            }
        }
        let utf8 = Data(#""ü""#.utf8)
        #expect(try JSONDecoder().decode(String.self, from: utf8, response: response(contentType)) == "ü")
    }

    /// Longer than any real one.
    @Test func aFieldOfMoreThanAKilobyteIsNotLookedInto() throws {
        let end = "; charset=iso-8859-1"
        func response(_ count: Int) -> HTTPResponse {
            self.response("a/" + String(repeating: "b", count: count - 2 - end.utf8.count) + end)
        }
        #expect(try JSONDecoder().decode(String.self, from: latin, response: response(1024)) == "ü")
        #expect(throws: (any Error).self) {
            try JSONDecoder().decode(String.self, from: latin, response: response(1025))
        }
    }

    @Test func whatIsNotTextInItsCharsetIsAnError() {
        // The first bytes say UTF-16, and half of a surrogate pair is none.
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(String.self, from: Data([0xFE, 0xFF, 0xD8, 0x00]), response: response(nil))
        }
        guard case .dataCorrupted(let context)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(context.debugDescription.hasPrefix("the body is not text in ") && context.codingPath.isEmpty)
    }

    /// Reads what the response says.
    private struct ContentTypeDecoder: ResponseBodyDecoder {
        var acceptedContentTypes: [String] { ["a/b", "c/d"] }
        func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
            let parts = [response.headerFields[.contentType] ?? "none", String(decoding: data, as: UTF8.self)]
            return try #require(parts as? Model)
        }
    }

    @Test(arguments: [
        ("application/json; charset=iso-8859-1", "application/json; charset=utf-8"),
        ("application/json; charset=ISO-8859-1; v=1", "application/json; charset=utf-8; v=1"),
        ("application/json;charset=UTF8", "application/json;charset=UTF8"), ("application/json", "application/json"),
        ("application/json; v=1", "application/json; v=1"), ("none", "none"),
    ])
    func theDecoderOfAValueIsToldThatItIsUTF8(_ contentType: String, _ told: String) throws {
        let decoder = JSONKeyPathDecoder("a", decoder: ContentTypeDecoder())
        #expect(decoder.acceptedContentTypes == ["a/b", "c/d"] && decoder.decodesPartOfBody)
        let body = Data(#"{"a": [1]}"#.utf8)
        let parts = try decoder.decode([String].self, from: body, response: response(contentType))
        #expect(parts == [told, "[1]"])
    }
}
