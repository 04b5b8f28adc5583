// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import Testing

/// What a value is, what it equals, and how it goes through the coders.
struct JSONValueShapesTests {
    private static let all: [JSONValue] = [
        nil, true, false, 1, 1.5, "1", "", [], [nil], [1, 2], [2, 1], [:], ["a": 1], ["a": 2], ["b": 1], ["a": nil],
    ]

    @Test func valuesAreEqualWhenTheirKindsAndContentsAre() throws {
        for (index, one) in Self.all.enumerated() {
            for (other, value) in Self.all.enumerated() { #expect((one == value) == (index == other)) }
            #expect(try JSONValue(parsing: one.serialized()) == one)
        }
        #expect(Set(Self.all).count == 16 && Set(Self.all + Self.all).count == 16)
    }

    @Test func anAccessorIsNilForOtherKinds() {
        let value: JSONValue = ["t": true, "f": false, "n": 1.5, "i": 3, "s": "x", "a": [1], "o": ["k": 2], "z": nil]
        func kinds(_ value: JSONValue?) -> [Bool] {
            [
                value?.isNull == true, value?.bool != nil, value?.number != nil, value?.double != nil,
                value?.int != nil,
                value?.string != nil, value?.array != nil, value?.object != nil,
            ]
        }
        #expect(kinds(value["z"]) == [true, false, false, false, false, false, false, false])
        #expect(kinds(value["t"]) == [false, true, false, false, false, false, false, false])
        #expect(kinds(value["n"]) == [false, false, true, true, false, false, false, false])
        #expect(kinds(value["i"]) == [false, false, true, true, true, false, false, false])
        #expect(kinds(value["s"]) == [false, false, false, false, false, true, false, false])
        #expect(kinds(value["a"]) == [false, false, false, false, false, false, true, false])
        #expect(kinds(value["o"]) == [false, false, false, false, false, false, false, true])
        #expect(value["t"]?.bool == true && value["f"]?.bool == false && value["n"]?.double == 1.5)
        #expect(value["a"]?[0] == 1 && value["a"]?[-1] == nil && value["a"]?[1] == nil && value["o"]?[0] == nil)
        #expect(
            value[path: "a[0]"] == 1 && value[path: "a.0"] == 1 && value[path: "o.k"] == 2 && value[path: ""] == value)
        #expect(value[path: "o[0]"] == nil && value[path: "s.k"] == nil)
        #expect(JSONValue(floatLiteral: .infinity) == nil)
    }

    @Test func theTextHasSortedKeysAndEscapes() throws {
        let value: JSONValue = ["b": [1, [], [:], "a\"\n"], "a": ["z": nil, "y": false], "\u{1}": true]
        #expect(value.description == #"{"\u0001":true,"a":{"y":false,"z":null},"b":[1,[],{},"a\"\n"]}"#)
        #expect(String(decoding: value.serialized(), as: UTF8.self) == value.description)
    }

    @Test func anObjectIsMadeOfMembersAndMapped() throws {
        let object = JSONObject([("a", 1), ("b", nil), ("a", 2)])
        #expect(object.count == 2 && object["a"] == 2 && object["b"] == .some(.null) && object["c"] == nil)
        #expect(object.mapValues { $0.int } == ["a": 2, "b": nil])
        #expect(object.compactMapValues { $0.int } == ["a": 2])
        #expect(throws: CancellationError.self) { try object.mapValues { _ in throw CancellationError() } }
        #expect(JSONObject(["x": 1] as [String: JSONValue]) == ["x": 1] && JSONObject().isEmpty)
        #expect(object.indices.map { object[$0].key }.sorted() == ["a", "b"])
        #expect(object.startIndex < object.endIndex && !(object.endIndex < object.startIndex))
        #expect("\(object)" == #"{"a":2,"b":null}"#)
    }

    @Test func anyDecoderReadsIt() throws {
        for value in Self.all where !"\(value)".contains("null") && value != 1.5 {
            let list = try PropertyListEncoder().encode(["v": value])
            let back = try PropertyListDecoder().decode([String: JSONValue].self, from: list)["v"]
            #expect(back == value)
        }
        for value in Self.all {
            #expect(try JSONDecoder().decode([JSONValue].self, from: JSONEncoder().encode([value])) == [value])
        }
        // Property lists have numbers that JSON has not.
        for none in [Double.nan, .infinity] {
            let list = try PropertyListEncoder().encode([none])
            #expect(throws: DecodingError.self) { try PropertyListDecoder().decode([JSONValue].self, from: list) }
        }
    }

    @Test func aNumberThatTheEncoderCannotWriteIsAnErrorWithItsPath() throws {
        let long = JSONValue.number(try #require(JSONNumber("1." + String(repeating: "1", count: 60))))
        let reason = "a number has more digits than this encoder can write; serialized() writes them"
        let list = Written {
            var container = $0.container(keyedBy: Letter.self)
            try container.encode([long], forKey: .a)
        }
        #expect(refusal { try JSONEncoder().encode(list) } == "a[0]: \(reason)")
        #expect(try JSONEncoder().encodeBody([long]).body.data == Data("[\(long)]".utf8))
        for literal in ["1e300", "9223372036854775807", "18446744073709551615", "1.25", "1e-300"] {
            let value = JSONValue.number(try #require(JSONNumber(literal)))
            #expect(try JSONValue(parsing: JSONEncoder().encode([value])) == [value], "\(literal)")
        }
        let same: JSONValue = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(
            refusal { try JSONEncoder().encode(["k": same]) }
                == "k: two names differ in their bytes alone, which serialized() alone can write")
    }

    @Test(arguments: ["[", #"{"a":"#]) func theDepthOfATextIsLimited(_ opening: String) throws {
        func text(_ depth: Int) -> String {
            String(repeating: opening, count: depth) + "1" + String(repeating: opening == "[" ? "]" : "}", count: depth)
        }
        let response = HTTPResponse(status: .ok)
        let reason = "nested deeper than 512"
        #expect(throws: Never.self) { try JSONValue(parsing: text(512)) }
        #expect(throws: DecodingError.self) { try JSONValue(parsing: text(513)) }
        #expect(throws: Never.self) {
            try JSONDecoder().decode(JSONValue.self, from: Data(text(512).utf8), response: response)
        }
        let error = #expect(throws: JSONDecodingError.self) {
            try JSONDecoder().decode(JSONValue.self, from: Data(text(513).utf8), response: response)
        }
        #expect(error?.description.hasPrefix("expected JSON, found text that is not: \(reason)") == true)
        #expect(error?.offset == 512 * opening.utf8.count)
        // A line is a text of its own.
        let lines = Data("\(text(512))\n\(text(512))".utf8)
        #expect(try JSONLinesDecoder().decode([JSONValue].self, from: lines).count == 2)
    }
}
