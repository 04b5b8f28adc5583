// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

/// The texts of values in a path and in header fields.
struct QueryTextsTests {
    private struct Model: Encodable { var id = 1 }
    private struct Nothing: Encodable {
        func encode(to encoder: any Encoder) throws {}
    }
    private struct Empty: Encodable {}

    private let encoder = QueryEncoder(.init(bools: .numbers, dates: .secondsSince1970))
    private let noPlace = "v: an object or a nested list has no place here"

    @Test func aPlaceForOneTextHasOne() throws {
        let rows: [(any Encodable, String?)] = [
            (1, "1"), ("", ""), (true, "1"), (Date(timeIntervalSince1970: 5), "5"), (Int?.none, nil),
            (Int?.some(2), "2"),
            (JSONValue.null, nil), (JSONValue.bool(true), "1"), ([Int: Int]?.none, nil),
        ]
        for (value, text) in rows { #expect(try encoder.text(of: value, named: "v") == text) }
        let oneValue = "v: one value, not a list, has a place here"
        let refused: [(any Encodable, String)] = [
            ([1], oneValue), ([Int](), oneValue), (Nothing(), oneValue), ([1] as JSONValue, oneValue),
            (Model(), noPlace),
            (Empty(), noPlace), (["k": 1], noPlace), ([String: Int](), noPlace), (["k": 1] as JSONValue, noPlace),
        ]
        for (value, reason) in refused { #expect(refusal { try encoder.text(of: value, named: "v") } == reason) }
    }

    @Test func aPlaceForSeveralTextsHasThoseOfTheElements() throws {
        let rows: [(any Encodable, [String])] = [
            (1, ["1"]), ([1, 2], ["1", "2"]), ([1, nil, 3], ["1", "3"]), ([Int](), []), (Int?.none, []),
            (Nothing(), []),
            ([true, false], ["1", "0"]), (["a", 1.5, nil] as JSONValue, ["a", "1.5"]), (Set(["x"]), ["x"]),
        ]
        for (value, texts) in rows {
            #expect(try encoder.texts(of: value, named: "v") == texts)
            #expect(try encoder.fieldTexts(of: value, named: "v") == texts)
        }
        let refused: [any Encodable] = [Model(), [Model()], [[1]], ["k": 1], Empty(), [String: Int](), [[Int]()]]
        for value in refused { #expect(refusal { try encoder.texts(of: value, named: "v") } == noPlace) }
    }

    /// RFC 9110 §5.6.7.
    @Test func aDateIsWrittenAsHTTPHasThemInAFieldOfDates() throws {
        let date = Date(timeIntervalSince1970: 784_111_777)
        for name in [
            "Date", "If-Modified-Since", "If-Range", "If-Unmodified-Since", "Last-Modified", "Retry-After", "Expires",
            "Accept-Datetime", "Memento-Datetime", "Sunset", "sunset",
        ] {
            #expect(try encoder.fieldTexts(of: date, named: name) == ["Sun, 06 Nov 1994 08:49:37 GMT"], "\(name)")
        }
        #expect(try encoder.fieldTexts(of: date, named: "X-Date") == ["784111777"])
        #expect(try encoder.fieldTexts(of: "x", named: "Date") == ["x"])
    }
}
