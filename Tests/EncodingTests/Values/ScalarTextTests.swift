// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

/// The one text of a value, and the values that a text is read as.
struct ScalarTextTests {
    private enum Word: String, Codable { case one }

    private let id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    private let bytes = Data([0xFB, 0xFF, 0x01, 0x2A])

    private func text(_ value: some Encodable, _ options: FormOptions = FormOptions()) throws -> String? {
        try QueryEncoder(options).items(from: value, named: "v").first?.value
    }

    private func read<Value: Decodable>(_ text: String, _ options: FormOptions = FormOptions()) throws -> Value? {
        try FormDecoder(options).decode(
            [String: Value].self, from: [URLFormItem(name: "v", value: text)])["v"]
    }

    @Test func eachTypeHasItsText() throws {
        let (id, url) = (try #require(id), try #require(URL(string: "https://h/a?b=c")))
        let rows: [(any Encodable, String)] = [
            ("", ""), (5.0, "5"), (-0.0, "-0"), (0.1, "0.1"), (1e21, "1e+21"), (Float(2), "2"), (Float(0.1), "0.1"),
            (Double.infinity, "inf"), (Decimal(string: "1.50") ?? 0, "1.5"), (url, "https://h/a?b=c"),
            (id, "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), (TimeZone(identifier: "Europe/Paris"), "Europe/Paris"),
            (Locale(identifier: "de_DE"), "de_DE"), (Word.one, "one"), (JSONValue.string("x"), "x"),
            (JSONValue.number(try #require(JSONNumber("1.10"))), "1.10"), (JSONValue.bool(false), "false"),
        ]
        for (value, expected) in rows { #expect(try text(value) == expected) }
        #expect(try text(JSONValue.null) == nil)
    }

    @Test(
        arguments: [
            (.words, "true", "false"), (.numbers, "1", "0"),
        ] as [(FormOptions.Bools, String, String)])
    func aBoolIsAWordOrANumber(_ bools: FormOptions.Bools, _ yes: String, _ no: String) throws {
        for (value, expected) in [(true, yes), (false, no)] {
            #expect(try text(value, .init(bools: bools)) == expected)
            #expect(try text(JSONValue.bool(value), .init(bools: bools)) == expected)
        }
    }

    @Test func everyNotationOfABoolIsRead() throws {
        for text in ["true", "1", "on", "yes"] { #expect(try read(text) == true) }
        for text in ["false", "0", "off", "no"] { #expect(try read(text) == false) }
        for text in ["True", "y", "2", "onn"] {
            #expect(throws: DecodingError.self) { try read(text) as Bool? }
        }
    }

    @Test func dataHasThreeNotations() throws {
        for (options, expected) in [
            (FormOptions(), "+/8BKg=="), (FormOptions(data: .base64URL), "-_8BKg"),
            (FormOptions(data: .hexadecimal), "fbff012a"),
        ] {
            #expect(try text(bytes, options) == expected)
            #expect(try read(expected, options) == bytes)
            #expect(throws: DecodingError.self) { try read("!", options) as Data? }
        }
        #expect(try read("FBff012A", FormOptions(data: .hexadecimal)) == bytes)
        for text in ["fbff012", "fb ff", "fg", "0x"] {
            #expect(throws: DecodingError.self) { try read(text, FormOptions(data: .hexadecimal)) as Data? }
        }
    }

    @Test func datesHaveThreeNotations() throws {
        let date = Date(timeIntervalSince1970: 1_709_208_000.25)
        for (dates, expected) in [
            (FormOptions.Dates.iso8601, "2024-02-29T12:00:00.25Z"), (.secondsSince1970, "1709208000.25"),
            (.millisecondsSince1970, "1709208000250"),
        ] {
            #expect(try text(date, .init(dates: dates)) == expected)
            #expect(try read(expected, .init(dates: dates)) == date)
        }
        // The product of 1.001 with a thousand is a bit less than 1001.
        let milliseconds = FormOptions(dates: .millisecondsSince1970)
        #expect(try text(Date(timeIntervalSinceReferenceDate: 1.001), milliseconds) == "978307201001")
        #expect(try text(Date(timeIntervalSince1970: 0x1p-11), milliseconds) == "0.48828125")
        #expect(refusal { try text(Date(timeIntervalSince1970: .nan)) } == "v: no calendar has this date")
        #expect(
            refusal { try text(["a": Date(timeIntervalSince1970: .infinity)], milliseconds) }
                == "v.a: no calendar has this date")
    }

    @Test func theTextIsReadAsTheTypeThatIsAskedFor() throws {
        #expect(try read("1.10") == Decimal(string: "1.1"))
        #expect(try read("NaN") as Decimal? == .nan)
        #expect(try read("https://h/a") == URL(string: "https://h/a"))
        #expect(try read("0.25") == Duration.milliseconds(250))
        #expect(try read("Europe/Paris") == TimeZone(identifier: "Europe/Paris"))
        #expect(try read("de_DE") == Locale(identifier: "de_DE"))
        #expect(try read("inf") == Double.infinity)
        #expect(try read("-inf") == -Float.infinity)
        #expect(try (read("nan") as Double?)?.isNaN == true)
        #expect(try read("1e3") == 1000.0)
        #expect(throws: DecodingError.self) { try read("1.2x") as Decimal? }
        #expect(throws: DecodingError.self) { try read("no zone") as TimeZone? }
        #expect(throws: DecodingError.self) { try read("+inf") as Double? }
    }

    /// A key with brackets is one name only where nothing can be nested under it.
    @Test func theKeysOfADictionaryOfScalarsAreAnything() throws {
        let (id, url) = (try #require(id), try #require(URL(string: "https://h")))
        let zone = try #require(TimeZone(identifier: "Europe/Paris"))
        let dictionaries: [any Encodable] = [
            ["a[b]": 1], ["a[b]": "x"], ["a[b]": true], ["a[b]": 1.5], ["a[b]": Float(1)], ["a[b]": UInt8(1)],
            ["a[b]": Decimal(1)], ["a[b]": Date(timeIntervalSince1970: 0)], ["a[b]": Data()], ["a[b]": url],
            ["a[b]": Duration.zero], ["a[b]": zone], ["a[b]": Locale(identifier: "de")], ["a[b]": id],
            ["a[b]": Word.one], ["a[b]": Int?.some(1)], ["a[b]": Word?.some(.one)],
        ]
        for value in dictionaries { #expect(try FormEncoder().items(from: value).map(\.name) == ["a[b]"]) }
        let models: [any Encodable] = [
            ["a[b]": [1]], ["a[b]": ["c": 1]], ["a[b]": JSONValue.array([1])], ["a[b]": [Word?.some(.one)]],
        ]
        for value in models {
            #expect(
                refusal { try FormEncoder().items(from: value) }
                    == #"a[b]: the key "a[b]" cannot be told from the notation of nested values"#)
        }
        // They are read back as they are.
        func readBack<Value: Decodable>(_ type: Value.Type, _ value: String = "1") throws -> [String] {
            try Array(FormDecoder().decode([String: Value].self, from: "a[b]=\(value)").keys)
        }
        #expect(try readBack(Int.self) == ["a[b]"])
        #expect(try readBack(String?.self) == ["a[b]"])
        #expect(try readBack(Word.self, "one") == ["a[b]"])
        #expect(try readBack(UUID.self, id.uuidString) == ["a[b]"])
        #expect(try readBack(Duration.self) == ["a[b]"])
        #expect(try readBack(TimeZone.self, "Europe/Paris") == ["a[b]"])
        #expect(try readBack(Locale.self, "de") == ["a[b]"])
        #expect(try readBack(Decimal.self) == ["a[b]"])
        #expect(try readBack(Date.self, "2001-01-01T00:00:00Z") == ["a[b]"])
        #expect(try readBack(Data.self, "AA==") == ["a[b]"])
        #expect(try readBack(URL.self, "https://h") == ["a[b]"])
        #expect(try readBack(Bool.self) == ["a[b]"])
        #expect(try readBack(Double.self) == ["a[b]"])
        #expect(try readBack([String: Int].self) == ["a"])
    }

    @Test func theKeysOfADictionaryAreTheirTexts() throws {
        let id = try #require(id)
        let rows: [(any Encodable, String)] = [
            ([Word.one: 1], "one=1"), ([id: 1], "\(id.uuidString)=1"), ([true: 1], "true=1"), ([2.5: 1], "2.5=1"),
            ([UInt8(10): 1, UInt8(9): 2], "10=1&9=2"), ([Duration.seconds(1): Word.one], "1=one"),
            ([Date(timeIntervalSince1970: 0): 1], "1970-01-01T00:00:00Z=1"), ([Word.one: ["x": 1]], "one[x]=1"),
            ([Word: Int](), ""),
        ]
        for (value, expected) in rows {
            #expect(try FormEncoder().string(from: value).removingPercentEncoding == expected)
        }
        #expect(
            try FormEncoder(.init(nils: .empty, bools: .numbers)).string(from: [true: Int?.none, false: 1])
                == "0=1&1=")
        #expect(try FormDecoder().decode([Word: Int].self, from: "one=1") == [.one: 1])
        #expect(try FormDecoder().decode([UUID: Word].self, from: "\(id)=one") == [id: .one])
        #expect(try FormDecoder().decode([Bool: Int].self, from: "true=1&no=2") == [true: 1, false: 2])
        #expect(throws: DecodingError.self) { try FormDecoder().decode([Bool: Int].self, from: "true=1&1=2") }
        #expect(throws: DecodingError.self) { try FormDecoder().decode([Word: Int].self, from: "two=1") }
        let notOne = refusal { try FormEncoder().string(from: ["a": [Word?.none: 1]]) }
        #expect(notOne == "a: a key of a dictionary that is not one text")
        #expect(
            refusal {
                try FormEncoder(.init(dates: .custom(write: { _ in "d" }, read: { _ in Date() })))
                    .string(from: ["a": [Date(timeIntervalSince1970: 0): 1, Date(timeIntervalSince1970: 1): 2]])
            }
                == #"a: two keys of a dictionary have the text "d""#)
    }
}
