// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import Testing

/// The grammar of RFC 8259, as each of its readers sees it.
struct JSONScannerTests {
    private func failure(_ text: Data) -> String? {
        do {
            _ = try JSONValue(parsing: text)
            return nil
        } catch DecodingError.dataCorrupted(let context) {
            return context.debugDescription
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        "null", "true", "false", " 1 ", "0", "-0", "-1.5e+10", "1E5", "1e-5", "0.0", "10", #""""#, #""a""#, "[]", "{}",
        "[ ]", "{ }", "\t[\r\n1 ,\n2 ]\n", #"{"a":1,"b":[],"":{"c":null}}"#, "[[[]],[{}],{}]", "[1,2,[3,{}],4]",
        #""\"\\\/\b\f\n\r\t\u0041\uD83D\uDE00\uabCD""#, "\u{FEFF}1", "\"\u{7F}é\u{10FFFF}\"",
        #"{"a":{"b":{}},"c":[]}"#,
        #"{"\u0061":[true,false,null,-1]}"#,
    ])
    func whatTheGrammarHasIsRead(_ text: String) throws {
        #expect(failure(Data(text.utf8)) == nil)
        #expect(try JSONKeyPath("").slice(of: Data(text.utf8)).count > 0)
        let line = Data(text.utf8.filter { $0 != 0x0A && $0 != 0x0D })
        #expect(try JSONLinesDecoder().decode([JSONValue].self, from: line).count == 1)
    }

    @Test(arguments: [
        ("", "expected a value, but the text ends", 0), (" ", "expected a value, but the text ends", 1),
        ("x", "expected a value", 0), ("+1", "expected a value", 0), (".5", "expected a value", 0),
        ("]", "expected a value", 0), ("/", "expected a value", 0), (":", "expected a value", 0),
        ("1 2", "expected the end of the text", 2), ("{}}", "expected the end of the text", 2),
        ("01", "expected the end of the text", 1), ("-", "expected a digit, but the text ends", 1),
        ("-x", "expected a digit", 1), ("1.", "expected a digit, but the text ends", 2), ("1.x", "expected a digit", 2),
        ("1e", "expected a digit, but the text ends", 2), ("1e+", "expected a digit, but the text ends", 3),
        ("1e+-1", "expected a digit", 3), ("[1e]", "expected a digit", 3), ("--1", "expected a digit", 1),
        ("nul", "expected null", 0), ("nulL", "expected null", 0), ("[tru]", "expected true", 1),
        ("fals", "expected false", 0), ("[", "expected a value, but the text ends", 1),
        ("[1", "expected ']', but the text ends", 2), ("[1 2]", "expected ']'", 3), ("[1}", "expected ']'", 2),
        ("[1,]", "expected a value", 3), ("[,1]", "expected a value", 1),
        ("{", "expected a key in double quotes, but the text ends", 1), ("{a:1}", "expected a key in double quotes", 1),
        ("{'a':1}", "expected a key in double quotes", 1), (#"{"a"}"#, "expected ':'", 4),
        (#"{"a" 1}"#, "expected ':'", 5), (#"{"a":}"#, "expected a value", 5),
        (#"{"a":1"#, "expected '}', but the text ends", 6),
        (#"{"a":1]"#, "expected '}'", 6), (#"{"a":1,}"#, "expected a key in double quotes", 7),
        (#"{"a":1 "b":2}"#, "expected '}'", 7), (#"{1:2}"#, "expected a key in double quotes", 1),
        (#"""#, "expected '\"', but the text ends", 1), (#""a"#, "expected '\"', but the text ends", 2),
        ("\"a\u{1F}\"", "a control character has to be escaped in a string", 2),
        ("\"\n\"", "a control character has to be escaped in a string", 1), (#""\x""#, "no such escape", 2),
        (#""\"#, "expected an escape, but the text ends", 2),
        (#""\u12"#, "expected four hexadecimal digits, but the text ends", 5),
        (#""\u12g4""#, "expected four hexadecimal digits", 5),
        (#""\u123"#, "expected four hexadecimal digits, but the text ends", 6),
        (#""\uD83D""#, "an escape names half of a surrogate pair", 1),
        (#""a\uD83Dx""#, "an escape names half of a surrogate pair", 2),
        (#""\uD83D\n12345""#, "an escape names half of a surrogate pair", 1),
        (#""\uD83Dxu123456""#, "an escape names half of a surrogate pair", 1),
        (#""\uDE00\uD83D""#, "an escape names half of a surrogate pair", 1),
        (#""\uDC00\uDC00""#, "an escape names half of a surrogate pair", 1),
        (#""\uD83D\uDBFF""#, "an escape names half of a surrogate pair", 1),
        (#""\uD83D\uE000""#, "an escape names half of a surrogate pair", 1),
    ])
    func whereATextStopsBeingJSONIsSaid(_ text: String, _ reason: String, _ offset: Int) {
        #expect(failure(Data(text.utf8)) == "not JSON: \(reason) (byte \(offset))")
        // Strings are looked into by whoever reads them.
        guard !reason.contains("surrogate") else { return }
        let error = #expect(throws: JSONKeyPathError.self) { try JSONKeyPath("").slice(of: Data(text.utf8)) }
        #expect(error?.description == "key path \"\": the body is not JSON: \(reason) (byte \(offset))")
        #expect(error?.failedStep == 0)
    }

    @Test(arguments: [
        (#""\uD800\uDC00""#, "\u{10000}"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\uD83D\uDE00""#, "😀"),
        (#""\uD7FF\uE000""#, "\u{D7FF}\u{E000}"), (#""x\u00e9\\u0041y""#, #"xé\u0041y"#), (#""\u0000""#, "\u{0}"),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    ])
    func escapesAreResolved(_ text: String, _ expected: String) throws {
        #expect(try JSONValue(parsing: text).string?.unicodeScalars.elementsEqual(expected.unicodeScalars) == true)
        #expect(
            try JSONValue(parsing: "{\(text):1}").object?.keys.first?.unicodeScalars.elementsEqual(
                expected.unicodeScalars) == true)
    }

    @Test func aStringThatIsNotUTF8IsSaidToBeNone() {
        for (bytes, offset) in [([0x22, 0xFF, 0x22], 1), ([0x5B, 0x22, 0x5C, 0x6E, 0xC3, 0x22, 0x5D], 2)]
            as [([UInt8], Int)]
        {
            #expect(failure(Data(bytes)) == "not JSON: a string is not UTF-8 (byte \(offset))")
        }
    }

    /// A byte order mark stands at the beginning alone.
    @Test func aByteOrderMarkIsNoPartOfAValue() {
        #expect(failure(Data("[\u{FEFF}1]".utf8)) == "not JSON: expected a value (byte 1)")
        #expect(failure(Data("\u{FEFF}".utf8)) == "not JSON: expected a value, but the text ends (byte 3)")
        #expect(failure(Data("\u{FEFF}\u{FEFF}1".utf8)) == "not JSON: expected a value (byte 3)")
    }

    @Test func thePartsOfATextAreWalkedOneByOne() throws {
        var scanner = JSONScanner(Array(#" {"a\n" : [1, {}, "x"] , "b":-1.5} "#.utf8))
        var kinds = [try scanner.peekKind()]
        try scanner.expect(UInt8(ascii: "{"))
        var ranges = [try scanner.skipKey()]
        #expect(try scanner.text(in: ranges[0]) == "a\n")
        let consumed = [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "[")].map { scanner.consume($0) }
        #expect(consumed == [false, true, false])
        kinds.append(try scanner.peekKind())
        ranges.append(try scanner.skipNumber())
        try scanner.expect(UInt8(ascii: ","))
        ranges.append(try scanner.skipValue())
        try scanner.expect(UInt8(ascii: ","))
        kinds.append(try scanner.peekKind())
        ranges.append(try scanner.skipString())
        #expect(ranges == [3..<6, 11..<12, 14..<16, 19..<20])
        #expect(kinds.map(\.inWords) == ["an object", "a number", "a string"])
        #expect(scanner.position == 21)
        for (reason, work) in [
            ("expected '}'", { try scanner.expect(UInt8(ascii: "}")) }),
            ("expected the end of the text", { try scanner.expectEnd() }),
        ] {
            let error = #expect(throws: JSONScanner.Failure.self) { try work() }
            #expect(error?.reason == reason && error?.offset == 21)
        }
        try scanner.expect(UInt8(ascii: "]"))
        #expect(scanner.position == 22)
        let others: [JSONScanner.Kind] = [.array, .bool, .null]
        #expect(others.map(\.inWords) == ["an array", "a bool", "null"])
    }
}
