// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCore

struct JSONEscapesTests {
    private func resolved(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: JSONEscapes.resolved(bytes[...]), as: UTF8.self)
    }

    @Test(
        arguments: [
            ("", ""), ("plain ü", "plain ü"), (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"), (#"a\u00e9b"#, "aéb"),
            (#"\ud83d\ude00!"#, "😀!"), (#"\u0041\u0042"#, "AB"),
        ])
    func escapesBecomeWhatTheyStandFor(_ text: String, _ expected: String) {
        #expect(resolved(text) == expected)
    }

    @Test(
        arguments: [
            (#"\ud83d"#, "\u{fffd}"), (#"\ud83dx"#, "\u{fffd}x"), (#"\ud83d\u0041"#, "\u{fffd}A"),
            (#"\ud83d\n"#, "\u{fffd}\n"), (#"\ude00\ud83d"#, "\u{fffd}\u{fffd}"),
            (#"\ud83d\ud83d\ude00"#, "\u{fffd}😀"),
        ])
    func halfOfAPairIsTheReplacementCharacter(_ text: String, _ expected: String) {
        #expect(resolved(text) == expected)
    }

    @Test(
        arguments: [
            (#"a\"#, #"a\"#), (#"\x"#, "x"), (#"\u"#, ""), (#"\u12"#, "12"), (#"\u12G4"#, "12G4"), (#"\u+123"#, "+123"),
            (#"\u0041\u00"#, "A00"),
        ])
    func whatIsNoEscapeLosesItsBackslash(_ text: String, _ expected: String) {
        #expect(resolved(text) == expected)
    }

    /// Whatever is written comes back.
    @Test func whatIsAppendedIsResolved() {
        let text = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0) })) + "\"\\😀"
        var bytes: [UInt8] = []
        JSONEscapes.append(text, to: &bytes)
        #expect(Array(JSONEscapes.resolved(bytes[...])) == Array(text.utf8))
    }
}
