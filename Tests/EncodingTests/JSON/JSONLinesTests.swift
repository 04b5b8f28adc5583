// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

struct JSONLinesTests {
    struct Item: Codable, Equatable {
        var id: Int
        var text: String
    }

    static let items = [Item(id: 1, text: "a\nb\r\n\u{2028}"), Item(id: 2, text: "{},[]\""), Item(id: 3, text: "é")]

    @Test func anArrayBecomesALineEachAndIsReadBack() throws {
        for formatting in [JSONEncoder.OutputFormatting.sortedKeys, [.prettyPrinted, .sortedKeys]] {
            let json = JSONEncoder()
            json.outputFormatting = formatting
            let data = try JSONLinesEncoder(json).encode(Self.items)
            #expect(data.count { $0 == 0x0A } == 3)
            #expect(data.last == 0x0A)
            #expect(try JSONLinesDecoder().decode([Item].self, from: data) == Self.items)
        }
        #expect(try JSONLinesEncoder().encode([Int]()).isEmpty)
        #expect(try JSONLinesEncoder().encode([[1, 2], [3]]) == Data("[1,2]\n[3]\n".utf8))
        #expect(try JSONLinesEncoder().encode(["k": 1]) == Data("{\"k\":1}\n".utf8))
        #expect(try JSONLinesEncoder().encodeBody([1]).contentType == "application/jsonl")
    }

    @Test func elementsAreEncodedWhileTheyAreSent() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Item.self)
        for item in Self.items { continuation.yield(item) }
        continuation.finish()
        let body = JSONLinesEncoder().body(of: stream).body
        #expect(body.length == nil && !body.isReplayable)
        #expect(try JSONLinesDecoder().decode([Item].self, from: try await body.collect()) == Self.items)
    }

    @Test func aBodyOfLinesIsTheBodyOfARequest() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h.example"), transport: transport))
        let rows = AsyncStream<Int> { continuation in
            for row in [1, 2] { continuation.yield(row) }
            continuation.finish()
        }
        let body = JSONLinesEncoder(contentType: "application/x-ndjson").body(of: rows)
        _ = try await client.run(NetworkRequest<EncodedBody, VoidResponse>(path: "/", method: .post, body: body))
        let request = try #require(transport.requests.first)
        #expect(request["content-type"] == "application/x-ndjson")
        #expect(request.body == Data("1\n2\n".utf8))
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(body) }
    }

    @Test(arguments: [
        "1\n2\n3", "1\r\n2\r\n3\r\n", "\n\n1\n  \n2\n3\n\n", " 1 \n2\n\t3", "\u{FEFF}1\n2\n3", "\u{FEFF}\n1\n2\n3",
        "1\n\u{FEFF}2\n\u{FEFF}\r\n\u{FEFF} 3",
    ])
    func emptyLinesAndLineEndsDoNotMatter(_ text: String) throws {
        #expect(try JSONLinesDecoder().decode([Int].self, from: Data(text.utf8)) == [1, 2, 3])
    }

    @Test func nothingIsAnEmptyArray() throws {
        #expect(try JSONLinesDecoder().decode([Int].self, from: Data()) == [])
    }

    @Test(arguments: [
        ("1\n\n2 3\n", 3), ("1\n2,3", 2), ("[1\n2]", 1), ("1\n\"x\"", 2), ("1\n]\n[2", 2), ("1\n{\"a\":\n2}", 2),
    ]) func aBadLineIsToldByItsNumber(_ text: String, _ line: Int) throws {
        let error = try #require(throws: JSONDecodingError.self) {
            try JSONLinesDecoder().decode([Int].self, from: Data(text.utf8))
        }
        #expect(error.line == line, "\(error.debugDescription)")
    }

    @Test func theCharsetIsHonoured() throws {
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "application/jsonl; charset=utf-16le"])
        let data = try #require("\"é\"\n\"€\"\n".data(using: .utf16LittleEndian))
        #expect(try JSONLinesDecoder().decode([String].self, from: data, response: response) == ["é", "€"])
    }

    @Test(arguments: [
        ("{\"a\":\"x\"}\n{\"a\":1}", 5, 1, 6), ("{\"a\":1}\r\n\r\n {\"a\":\"x\"}\n", 17, 3, 7),
        ("\n\n{\"a\":1}\n{\"a\":nul}\n", 15, 4, 6), ("\u{FEFF}{\"a\":\"x\"}", 8, 1, 9),
        ("{}\n\u{FEFF}{\"a\":nul}", 11, 2, 9), ("{\"a\":1}\n{\"a", 11, 2, 4),
        ("{\"a\":1}\n{\"a\":1.5}\n", 13, 2, 6),
    ]) func anErrorTellsThePlaceInTheBody(_ text: String, _ offset: Int, _ line: Int, _ column: Int) throws {
        let error = try #require(throws: JSONDecodingError.self) {
            try JSONLinesDecoder().decode([[String: Int]].self, from: Data(text.utf8))
        }
        #expect(error.offset == offset && error.line == line && error.column == column, "\(error.debugDescription)")
        #expect(
            error.snippet.utf8.elementsEqual(
                String(decoding: text.utf8.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self).utf8))
    }

    @Test func aLineThatIsTooDeepIsToldByItsNumber() throws {
        let deep = String(repeating: "[", count: 513) + String(repeating: "]", count: 513)
        for (text, offset) in [(deep, 515), (#""\ud83d""#, 4)] {
            let error = try #require(throws: JSONDecodingError.self) {
                try JSONLinesDecoder().decode([JSONValue].self, from: Data("{}\n\(text)\n".utf8))
            }
            #expect(error.line == 2 && error.offset == offset, "\(error.debugDescription)")
        }
    }

    @Test func valuesMayBeMissing() throws {
        let text = Data("1\nnull\n{\"a\":null}\n".utf8)
        let values: [JSONValue] = [1, nil, ["a": nil]]
        #expect(try JSONLinesDecoder().decode([JSONValue].self, from: text) == values)
        #expect(try JSONLinesDecoder().decode([JSONValue]?.self, from: text) == values)
        let optional = try JSONLinesDecoder().decode([JSONValue?].self, from: text)
        #expect(
            optional.count == 3 && optional[0] == .some(1) && optional[1] == .none && optional[2] == .some(["a": nil]))
        #expect(try JSONLinesDecoder().decode([Int?].self, from: Data("1\nnull".utf8)) == [1, nil])
        // With every digit, for each of the types.
        let long = String(repeating: "7", count: 60)
        #expect(try JSONLinesDecoder().decode([JSONValue].self, from: Data(long.utf8)).first?.number?.literal == long)
        #expect(try JSONLinesDecoder().decode([JSONValue]?.self, from: Data(long.utf8))?.first?.number?.literal == long)
        #expect(try JSONLinesDecoder().decode([JSONValue?].self, from: Data(long.utf8)).first??.number?.literal == long)
    }

    @Test func bothNamesOfTheTypeAreAccepted() throws {
        #expect(JSONLinesDecoder().acceptedContentTypes == ["application/jsonl", "application/x-ndjson"])
        #expect(
            try JSONLinesEncoder(contentType: "application/x-ndjson").encodeBody([1]).contentType
                == "application/x-ndjson")
    }

    @Test func theDecoderAndEncoderOfTheElementsAreTheCallers() throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.dateEncodingStrategy = .secondsSince1970
        decoder.dateDecodingStrategy = .secondsSince1970
        let dates = [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)]
        #expect(try JSONLinesEncoder(encoder).encode(dates) == Data("1\n2\n".utf8))
        #expect(try JSONLinesDecoder(decoder).decode([Date].self, from: Data("1\n2\n".utf8)) == dates)
        #expect(try JSONLinesEncoder().encode([Duration.milliseconds(1500)]) == Data("1.5\n".utf8))
        #expect(try JSONLinesEncoder().encode([["a\r\nb": [1]]] as JSONValue) == Data(#"{"a\r\nb":[1]}"#.utf8) + [0x0A])
        #expect(try JSONLinesEncoder().encode("a") == Data("\"a\"\n".utf8))
    }

    @Test(arguments: [
        ("{\"a\":1}\n{\"a\":1,}", "expected a key in double quotes", 15),
        ("1\n[1", "expected ']', but the text ends", 4),
        ("\n\nx", "expected a value", 2), ("1 \n\n2 3", "expected the end of the text", 6),
        ("1\r2", "expected the end of the text", 2),
    ])
    func aLineThatIsNoJSONSaysWhy(_ text: String, _ reason: String, _ offset: Int) {
        let error = #expect(throws: JSONDecodingError.self) {
            try JSONLinesDecoder().decode([JSONValue].self, from: Data(text.utf8))
        }
        #expect(error?.found == "text that is not: \(reason)" && error?.expected == "JSON" && error?.offset == offset)
        #expect(error?.debugDescription.contains("a line is not JSON: \(reason)") == true)
    }
}
