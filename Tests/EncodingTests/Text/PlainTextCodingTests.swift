// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import Testing

struct PlainTextCodingTests {
    private func decode<Model: Decodable>(_ type: Model.Type, _ bytes: [UInt8], _ contentType: String = "text/plain")
        throws -> Model
    {
        try PlainTextDecoder().decode(
            type, from: Data(bytes), response: HTTPResponse(status: .ok, headerFields: [.contentType: contentType]))
    }

    /// Takes its value from the coder.
    private struct Told: Codable {
        var text = ""

        init() {}

        init(from decoder: any Decoder) throws { text = decoder.userInfo.values.first as? String ?? "" }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(encoder.userInfo.values.first as? String ?? "")
        }
    }

    @Test func modelsAreHandedTheUserInfo() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "key"))
        var encoder = PlainTextEncoder()
        encoder.userInfo = [key: "a"]
        #expect(try encoder.string(from: Told()) == "a")
        var decoder = PlainTextDecoder()
        decoder.userInfo = [key: "b"]
        let told = try decoder.decode(Told.self, from: Data("x".utf8), response: HTTPResponse(status: .ok))
        #expect(told.text == "b")
    }

    @Test func theCharsetIsHonoured() throws {
        #expect(try decode(String.self, Array("né€".utf8)) == "né€")
        #expect(try decode(String.self, [0xEF, 0xBB, 0xBF, 0x61]) == "a")
        #expect(try decode(String.self, [0xE9, 0x80, 0x81], "text/plain; charset=ISO-8859-1") == "é€\u{81}")
        // A byte order mark counts for more than a label.
        #expect(try decode(String.self, [0xEF, 0xBB, 0xBF, 0x61], "text/plain; charset=ISO-8859-1") == "a")
        #expect(try decode(String.self, [0xFF, 0xFE, 0x61, 0], "text/plain; charset=utf-8") == "a")
        #expect(try decode(String.self, [0xE9], "text/plain; charset=\"windows-1252\"") == "é")
        #expect(try decode(String.self, [0x61, 0, 0xAC, 0x20], "text/plain; charset=utf-16") == "a€")
        #expect(try decode(String.self, [0xFE, 0xFF, 0, 0x61], "text/plain; charset=utf-16") == "a")
        #expect(try decode(String.self, [0xD8, 0x3D, 0xDE, 0x00], "text/plain; charset=utf-16be") == "😀")
        #expect(try decode(String.self, [0, 0, 0xFE, 0xFF, 0, 1, 0xF6, 0], "text/plain; charset=utf-32") == "😀")
        #expect(try decode(String.self, [0, 0xF6, 1, 0], "text/plain; charset=utf-32le") == "😀")
        #expect(try decode(String.self, Array("né".utf8), "text/plain; charset=us-ascii") == "né")
    }

    @Test(
        arguments: [
            ([0xE9], "text/plain"), ([0x61], "text/plain; charset=utf-16"),
            ([0xD8, 0], "text/plain; charset=utf-16be"), ([0, 0x11, 0, 0], "text/plain; charset=utf-32be"),
            ([0x61], "text/plain; charset=x-none"), ([0x61, 0x61, 0x61], "text/plain; charset=utf-32"),
        ] as [([UInt8], String)]) func whatIsNotTextInTheCharsetIsAnError(_ bytes: [UInt8], _ type: String)
    {
        #expect(throws: DecodingError.self) { try decode(String.self, bytes, type) }
    }

    @Test func singleValuesAreReadAndWritten() throws {
        enum Level: String, Codable { case high }
        #expect(try decode(Int.self, Array(" 42\r\n".utf8)) == 42)
        #expect(try decode(Bool.self, Array("true".utf8)))
        #expect(try decode(Level.self, Array("high".utf8)) == .high)
        #expect(try decode(Date.self, Array("1970-01-01T00:00:00Z".utf8)) == Date(timeIntervalSince1970: 0))
        #expect(throws: DecodingError.self) { try decode(Int.self, Array("x".utf8)) }
        #expect(throws: DecodingError.self) { try decode(Int.self, []) }
        #expect(throws: DecodingError.self) { try decode([String: Int].self, Array("x".utf8)) }
        #expect(try PlainTextEncoder().string(from: Level.high) == "high")
        #expect(try PlainTextEncoder().string(from: 1.5) == "1.5")
        let encoded = try PlainTextEncoder().encodeBody(7)
        #expect(encoded.contentType == "text/plain; charset=utf-8")
        #expect(encoded.body.data == Data("7".utf8))
        #expect(throws: EncodingError.self) { try PlainTextEncoder().string(from: ["a": 1]) }
        #expect(throws: EncodingError.self) { try PlainTextEncoder().string(from: [1]) }
    }
}
