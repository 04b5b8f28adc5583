// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataEncoding
import Testing

/// Where in the text, what is shown of it, and what a missing key may be called instead.
struct JSONDecodingErrorPlacesTests {
    private func failure<Model: Decodable>(_ type: Model.Type, _ text: String) throws -> JSONDecodingError {
        try #require(throws: JSONDecodingError.self) {
            try JSONDecoder().decode(type, from: Data(text.utf8), response: HTTPResponse(status: .ok))
        }
    }

    @Test(arguments: [
        ("[1,\n\n\"x\"]", 5, 3, 1, "[1,  \"x\"]"), ("\n[\"x\"]", 2, 2, 2, " [\"x\"]"),
        ("[\"x\"]\n", 1, 1, 2, "[\"x\"] "),
        ("[1,\r\n\t\"é!\"\r\n]", 6, 2, 2, "[1,   \"é!\"  ]"), ("\"x\"", 0, 1, 1, "\"x\""), (" 1", 1, 1, 2, " 1"),
        ("{}", 0, 1, 1, "{}"), ("[1,", 3, 1, 4, "[1,"), ("", 0, 1, 1, ""), ("  ", 2, 1, 3, "  "),
    ])
    func thePlaceIsCountedInBytes(_ text: String, _ offset: Int, _ line: Int, _ column: Int, _ snippet: String) throws {
        let error = try failure([Int].self, text)
        #expect(error.offset == offset && error.line == line && error.column == column, "\(error.debugDescription)")
        #expect(error.snippet == snippet)
        #expect(error.description.hasSuffix(" (line \(line), column \(column))"))
    }

    @Test func whatIsShownIsCutAtBothEnds() throws {
        let filler = String(repeating: "1,", count: 200)
        let error = try failure([Int].self, "[\(filler)\"x\",\(filler)2]")
        // 60 bytes before, 200 in all.
        #expect(
            error.snippet == "…" + String(repeating: "1,", count: 30) + "\"x\"," + String(repeating: "1,", count: 68)
                + "…")
        #expect(error.offset == 401 && error.path == "[200]" && error.expected == "Int" && error.found == "a string")
    }

    private struct Account: Decodable {
        var user2ID: Int
    }
    private struct Odd: Decodable {
        var value: Int
        enum CodingKeys: String, CodingKey { case value = "_" }
    }

    @Test func aKeyOfAnotherStyleIsNamedOnce() throws {
        func found<Model: Decodable>(_ type: Model.Type, _ text: String) throws -> String {
            try failure(type, text).found
        }
        let without = "an object without that key"
        let hint = #"\#(without), but with "user_2_id": see the decoder's key strategy"#
        #expect(try found(Account.self, #"{"user_2_id": 1}"#) == hint)
        #expect(try found(Account.self, #"{"x": 1, "user_2_id": [{}], "y": "user2id"}"#) == hint)
        // Of several the first in the order of their texts.
        let several = #"{"user_2_id": 1, "user.2.id": 1, "user2id": 1, "USER-2-ID": 2}"#
        #expect(try found(Account.self, several) == hint.replacing("user_2_id", with: "USER-2-ID"))
        #expect(try found(Account.self, #"{"user_id": 1, "user_3_id": 2}"#) == without)
        #expect(try found(Account.self, #"{"user 2 id": 1, "user2:id": 2}"#) == without)
        #expect(try found(Odd.self, #"{"-": 1, "": 2}"#) == without)
        #expect(try found(Account.self, "{}") == without)
        #expect(try failure(Account.self, "{}").expected == #"a value for key "user2ID""#)
    }

    @Test(arguments: [#"["\ud83d"]"#, #"["a", "\ude00x"]"#]) func aStringThatIsNoUnicodeIsThePlace(_ text: String)
        throws
    {
        let column = text.hasPrefix(#"["a""#) ? 7 : 2
        let place = "[\(column == 2 ? 0 : 1)]"
        #expect(
            try failure([String].self, text).description
                == "\(place): expected String, found a string that it cannot hold (line 1, column \(column))")
        let value = try failure(JSONValue.self, text)
        #expect(value.found == "a string that it cannot hold" && value.column == column)
    }

    @Test func theWrongKindsAreCalledWhatTheyAre() throws {
        let rows = [
            ("null", "null"), ("true", "a bool"), ("{}", "an object"), ("[]", "an array"), (#""x""#, "a string"),
            ("1.5", "a number that it cannot hold"),
        ]
        for (text, found) in rows {
            let error = try failure([String: Int].self, #"{"k": \#(text)}"#)
            #expect(error.description == "k: expected Int, found \(found) (line 1, column 7)")
        }
        #expect(
            try failure([[String: Int]].self, "[1]").description
                == "[0]: expected an object, found a number (line 1, column 2)")
        #expect(
            try failure([String: [Int]].self, #"{"k": 1}"#).description
                == "k: expected an array, found a number (line 1, column 7)")
    }
}
