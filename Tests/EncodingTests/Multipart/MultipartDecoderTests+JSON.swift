// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

extension MultipartDecoderTests {
    private func part(_ name: String, type: String? = nil, _ content: [UInt8]) -> Data {
        let fields = type.map { "Content-Type: \($0)\r\n" } ?? ""
        let head = "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\(fields)\r\n"
        return Data(head.utf8) + Data(content) + Data("\r\n".utf8)
    }

    private func decode<Model: Decodable>(_ type: Model.Type, _ parts: Data...) throws -> Model {
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])
        return try MultipartDecoder().decode(type, from: Data(parts.joined()) + Data("--B--".utf8), response: response)
    }

    @Test func aPartOfJSONIsReadInItsCharset() throws {
        let text = #"{"k":"é"}"#
        let latin = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        for (type, content) in [
            ("application/json; charset=iso-8859-1", latin), ("application/json", wide),
            ("application/json; charset=iso-8859-1", Array(text.utf8)),
        ] {
            let model = try decode([String: [String: String]].self, part("meta", type: type, content))
            #expect(model == ["meta": ["k": "é"]], "\(type)")
        }
        let list = try decode(
            [String: [Int]].self, part("list", type: "application/json", [0x5B, 0, 0x31, 0, 0x5D, 0]))
        #expect(list == ["list": [1]])
    }

    @Test(
        arguments: [
            ("text/plain; charset=iso-8859-1", [0xEF, 0xBB, 0xBF, 0x61]), ("text/plain", [0xFF, 0xFE, 0x61, 0]),
            ("text/plain; charset=utf-16", [0xFE, 0xFF, 0, 0x61]),
        ] as [(String, [UInt8])])
    func theMarkOfATextCountsForMoreThanItsLabel(_ type: String, _ content: [UInt8]) throws {
        #expect(try decode([String: String].self, part("a", type: type, content)) == ["a": "a"])
    }

    @Test func aPartMayNameTheCharsetOfTextThatNamesNone() throws {
        let named = try decode(
            [String: String].self, part("_charset_", Array("iso-8859-1".utf8)), part("a", [0xE9]),
            part("b", type: "text/plain; charset=utf-8", [0xC3, 0xA9]))
        #expect(named == ["_charset_": "iso-8859-1", "a": "é", "b": "é"])
        let empty = try decode([String: String].self, part("_charset_", []), part("a", [0xC3, 0xA9]))
        #expect(empty == ["_charset_": "", "a": "é"])
        #expect(throws: DecodingError.self) {
            try decode([String: String].self, part("_charset_", Array("x-none".utf8)), part("a", [0x61]))
        }
    }

    /// A form of parts of JSON.
    private func form(_ parts: (name: String, json: String)...) -> Data {
        let texts = parts.map { name, json in
            "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
                + "Content-Type: application/json\r\n\r\n\(json)\r\n"
        }
        return Data((texts.joined() + "--B--").utf8)
    }

    @Test func eachPartOfJSONMayBeAnElementOfAnArray() throws {
        struct Item: Decodable, Equatable { var id: Int }
        struct Model: Decodable, Equatable {
            var items: [Item]
            var one: [Item]
            var lists: [[Int]]
            var whole: [Int]
        }
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])
        let data = form(
            ("items", #"{"id":1}"#), ("one", #" {"id":3}"#), ("lists", "[1]"), ("items", #"{"id":2}"#), ("lists", "[]"),
            ("whole", " [4,5]"))
        let model = try MultipartDecoder().decode(Model.self, from: data, response: response)
        #expect(
            model == Model(items: [Item(id: 1), Item(id: 2)], one: [Item(id: 3)], lists: [[1], []], whole: [4, 5]))
        let error = try #require(throws: JSONDecodingError.self) {
            try MultipartDecoder().decode(
                [String: [Item]].self, from: form(("a", #"{"id":1}"#), ("a", #"{"id":"x"}"#)), response: response)
        }
        #expect(error.description == "a[1].id: expected Int, found a string (line 1, column 7)")
    }

    @Test func aValueThatMayBeAnythingIsNotMadeOfNothing() throws {
        struct Model: Decodable { var a: JSONValue }
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])
        #expect(try MultipartDecoder().decode(Model.self, from: form(("a", "[]")), response: response).a == [])
        let error = try #require(throws: DecodingError.self) {
            try MultipartDecoder().decode(Model.self, from: form(("b", "1")), response: response)
        }
        guard case .keyNotFound(let key, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(key.stringValue == "a")
    }

    @Test func anErrorInAPartOfJSONTellsThePart() throws {
        struct Model: Decodable { var meta: [String: [Int]] }
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])
        let head = "--B\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n"
        let error = try #require(throws: JSONDecodingError.self) {
            try MultipartDecoder().decode(
                Model.self, from: Data("\(head){\"k\":[1,\"x\"]}\r\n--B--".utf8), response: response)
        }
        #expect(error.description == "meta.k[1]: expected Int, found a string (line 1, column 9)")
    }

    @Test(.timeLimit(.minutes(10))) func aModelInsideOfItsOwnKindIsNotMadeOfNothing() throws {
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])
        func part(_ name: String) -> Data {
            Data("--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n1\r\n--B--".utf8)
        }
        let tree = try MultipartDecoder().decode(Tree.self, from: part("value"), response: response)
        #expect(tree.value == 1 && tree.left == nil && tree.right == nil)
        let chain = try MultipartDecoder().decode(Chain.self, from: part("items"), response: response)
        #expect(chain.items == [1] && chain.next == nil)
    }
}
