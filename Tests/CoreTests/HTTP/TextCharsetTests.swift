// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

struct TextCharsetTests {
    @Test(
        arguments: [
            (
                .utf8,
                [
                    "utf-8", "UTF8", " 'utf-8' ", "\"utf-8\"", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8",
                    "x-unicode20utf8",
                ]
            ),
            (.ascii, ["us-ascii", "ASCII", "ansi_x3.4-1968"]),
            (
                .windows1252,
                [
                    "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100", "csisolatin1",
                    "Latin1", "l1", "cp819", "ibm819", "windows-1252", "cp1252", "x-cp1252",
                ]
            ), (.utf16, ["utf-16", "utf16", "unicode", "csunicode", "iso-10646-ucs-2", "ucs-2"]),
            (.utf16LittleEndian, ["utf-16le", "unicodefeff"]), (.utf16BigEndian, ["UTF-16BE", "unicodefffe"]),
            (.utf32, ["utf-32", "utf32"]), (.utf32LittleEndian, ["utf-32le"]), (.utf32BigEndian, ["utf-32be"]),
            (nil, ["", "shift_jis", "gbk", "utf-7", "utf 8x"]),
        ] as [(TextCharset?, [String])])
    func isKnownByItsLabels(charset: TextCharset?, labels: [String]) {
        for label in labels { #expect(TextCharset(label: label) == charset, "\(label)") }
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF], .utf8), ([0xEF, 0xBB, 0xBF, 0x61], .utf8), ([0xEF, 0xBB], nil),
            ([0xFE, 0xFF], .utf16BigEndian), ([0xFE, 0xFF, 0, 0x61], .utf16BigEndian), ([0xFE], nil),
            ([0xFF, 0xFE], .utf16LittleEndian), ([0xFF, 0xFE, 0x61, 0], .utf16LittleEndian),
            ([0xFF, 0xFE, 0, 0], .utf32LittleEndian), ([0xFF, 0xFE, 0], .utf16LittleEndian),
            ([0, 0, 0xFE, 0xFF], .utf32BigEndian), ([0, 0, 0xFE], nil), ([0, 0x61], nil), ([0xF0, 0x9F], nil),
            ([0xEE, 0xBB, 0xBF], nil), ([0x61], nil), ([], nil),
        ] as [([UInt8], TextCharset?)])
    func isKnownByItsByteOrderMark(bytes: [UInt8], charset: TextCharset?) {
        #expect(TextCharset(markOf: Data(bytes)) == charset)
        // A slice has other indices.
        #expect(TextCharset(markOf: (Data([1, 2]) + Data(bytes)).dropFirst(2)) == charset)
    }

    /// RFC 4627 §3.
    @Test(
        arguments: [
            ([0x7B, 0x7D], nil), ([0, 0, 0, 0x5B], .utf32BigEndian), ([0x5B, 0, 0, 0], .utf32LittleEndian),
            ([0, 0x5B, 0, 0x5D], .utf16BigEndian), ([0x5B, 0, 0x5D, 0], .utf16LittleEndian),
            ([0, 0x31], .utf16BigEndian), ([0x31, 0], .utf16LittleEndian), ([0x31], nil), ([0], nil), ([], nil),
            ([0, 0, 0, 0], nil), ([0, 0], nil), ([0x31, 0, 0], .utf16LittleEndian),
            ([0xFE, 0xFF, 0, 0x31], .utf16BigEndian), ([0xEF, 0xBB, 0xBF, 0x31], .utf8),
        ] as [([UInt8], TextCharset?)])
    func isKnownByTheZerosOfJSON(bytes: [UInt8], charset: TextCharset?) {
        #expect(TextCharset(ofJSON: Data(bytes)) == charset)
        #expect(TextCharset(ofJSON: (Data([1, 2]) + Data(bytes)).dropFirst(2)) == charset)
    }

    @Test(
        arguments: [
            (.utf8, [0x61, 0xC3, 0xA4], "aä"), (.utf8, [0xEF, 0xBB, 0xBF, 0x61], "a"), (.utf8, [0xE4], nil),
            (.utf8, [], ""), (.ascii, [0x61, 0xC3, 0xA4], "aä"), (.ascii, [0xE4], "ä"),
            (.windows1252, [0x61, 0x7F, 0x80, 0x8D, 0x9F, 0xA0, 0xFF], "a\u{7F}€\u{8D}Ÿ\u{A0}ÿ"),
            (.windows1252, [0x81, 0x82, 0x93, 0x94, 0x99], "\u{81}‚“”™"),
            (.utf16, [0x61, 0, 0xE4, 0], "aä"), (.utf16, [0xFE, 0xFF, 0, 0x61], "a"),
            (.utf16, [0xFF, 0xFE, 0x61, 0], "a"),
            (.utf16LittleEndian, [0x61, 0], "a"), (.utf16LittleEndian, [0xFF, 0xFE, 0x61, 0], "a"),
            (.utf16LittleEndian, [0x3D, 0xD8, 0, 0xDE], "😀"), (.utf16LittleEndian, [0x3D, 0xD8], nil),
            (.utf16LittleEndian, [0x61], nil), (.utf16LittleEndian, [0x61, 0, 0xFF, 0xFE], "a\u{FEFF}"),
            (.utf16BigEndian, [0x1, 0x61], "š"), (.utf16BigEndian, [0xFE, 0xFF, 0, 0x61], "a"),
            (.utf16BigEndian, [0, 0x61, 0], nil), (.utf16BigEndian, [], ""),
            (.utf32, [0x61, 0, 0, 0], "a"), (.utf32, [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "a"),
            (.utf32, [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "a"),
            (.utf32LittleEndian, [0, 0xF6, 0x1, 0, 0x61, 0, 0, 0], "😀a"),
            (.utf32LittleEndian, [0x61, 0, 0, 0, 0xFF, 0xFE, 0, 0], "a\u{FEFF}"),
            (.utf32LittleEndian, [0x61, 0, 0], nil), (.utf32LittleEndian, [0, 0, 0x11, 0], nil),
            (.utf32BigEndian, [0, 0x1, 0xF6, 0, 0, 0, 0, 0x62], "😀b"), (.utf32BigEndian, [0, 0, 0xD8, 0], nil),
            (.utf32BigEndian, [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "a"), (.utf32BigEndian, [], ""),
        ] as [(TextCharset, [UInt8], String?)])
    func bytesAreReadInIt(charset: TextCharset, bytes: [UInt8], text: String?) {
        #expect(charset.decode(Data(bytes)).map { Array($0.unicodeScalars) } == text.map { Array($0.unicodeScalars) })
    }

    @Test func allOfWindows1252IsThere() {
        let text = TextCharset.windows1252.decode(Data(0x80...0xFF))
        #expect(
            text
                == "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿"
                + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ")
    }

    @Test func theMarkCountsForMoreThanTheLabel() throws {
        #expect(try TextCharset.text(of: Data([0xFE, 0xFF, 0, 0x61]), label: "utf-8") == "a")
        #expect(try TextCharset.text(of: Data([0xE4]), label: "latin1") == "ä")
        #expect(try TextCharset.text(of: Data([0xC3, 0xA4]), label: nil) == "ä")
        let unknown = #expect(throws: TextCharset.Unreadable.self) {
            try TextCharset.text(of: Data([0x61]), label: "x-s3cret")
        }
        #expect(unknown?.reason == "the charset of the body is not known")
        let broken = #expect(throws: TextCharset.Unreadable.self) { try TextCharset.text(of: Data([0xE4]), label: nil) }
        #expect(broken?.reason == "the body is not text in the charset utf8")
    }
}
