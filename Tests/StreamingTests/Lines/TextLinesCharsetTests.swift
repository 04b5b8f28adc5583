// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

struct TextLinesCharsetTests {
    private static let text = "Grüße\r\n\nan €\rlast"
    private static let lines = ["Grüße", "", "an €", "last"]

    private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
    }

    private static func utf32(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> $0) }
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    private static let windows1252: [UInt8] = Array(text.utf16).map { $0 == 0x20AC ? 0x80 : UInt8($0) }

    private func read(_ reply: ScriptedReply) async throws -> [String] {
        try await NetworkClient(ScriptedTransport(reply))
            .lines(for: PlainRequest(path: "log", method: .get)).all()
    }

    @Test(arguments: [
        ("text/csv; charset=ISO-8859-1", windows1252), ("text/csv; charset=\"windows-1252\"", windows1252),
        ("text/csv", Array(text.utf8)), ("text/csv; charset=utf-8", Array(text.utf8)),
        ("text/csv; charset=us-ascii", Array(text.utf8)), ("text/csv; charset=us-ascii", windows1252),
        ("text/csv; charset=utf-16le", utf16(text, isBigEndian: false)),
        ("text/csv; charset=utf-16be", utf16(text, isBigEndian: true)),
        ("text/csv; charset=utf-16", utf16("\u{FEFF}" + text, isBigEndian: true)),
        ("text/csv; charset=utf-16", utf16("\u{FEFF}" + text, isBigEndian: false)),
        ("text/csv; charset=utf-16", utf16(text, isBigEndian: false)),
        ("text/csv; charset=utf-32", utf32("\u{FEFF}" + text, isBigEndian: true)),
        ("text/csv; charset=utf-32le", utf32(text, isBigEndian: false)),
        // The mark counts for more than the label (Encoding standard §6).
        ("text/csv; charset=ISO-8859-1", Array(("\u{FEFF}" + text).utf8)),
        ("text/csv; charset=utf-8", utf16("\u{FEFF}" + text, isBigEndian: true)),
        ("text/csv", utf16("\u{FEFF}" + text, isBigEndian: false)),
        ("text/csv", utf32("\u{FEFF}" + text, isBigEndian: false)),
        ("text/csv", utf32("\u{FEFF}" + text, isBigEndian: true)),
    ])
    func areReadInTheCharsetOfTheResponse(_ type: String, _ bytes: [UInt8]) async throws {
        let whole = ScriptedReply.pieces([Data(bytes)], fields: [.contentType: type])
        for rechunking in [Rechunking.whole, .oneByte, .everySplit] {
            for reply in whole.rechunked(rechunking) {
                let lines = try await read(reply)
                #expect(lines == Self.lines, "\(type), \(rechunking)")
            }
        }
    }

    @Test func aCharacterOfTwoUnitsMayBeSplit() async throws {
        for isBigEndian in [true, false] {
            let type = "text/plain; charset=utf-16\(isBigEndian ? "be" : "le")"
            let bytes = Self.utf16("\u{1F680}\n\u{1F680}", isBigEndian: isBigEndian)
            let whole = ScriptedReply.pieces([Data(bytes)], fields: [.contentType: type])
            for reply in whole.rechunked(.everySplit) {
                let lines = try await read(reply)
                #expect(lines == ["\u{1F680}", "\u{1F680}"])
            }
        }
    }

    @Test(
        arguments: [
            ("utf-16le", [0x61, 0x00, 0x0A, 0x00, 0x62], ["a", "\u{FFFD}"]),
            ("utf-16le", [0x3D, 0xD8, 0x0A, 0x00], ["\u{FFFD}"]),
            ("utf-32be", [0, 0x11, 0, 0, 0, 0, 0, 0x61], ["\u{FFFD}a"]),
            ("utf-16", [0xFE], ["\u{FFFD}"]), ("utf-8", [0x61, 0xFF, 0x0A], ["a\u{FFFD}"]),
        ] as [(String, [UInt8], [String])])
    func whatIsBrokenIsReplaced(_ charset: String, _ bytes: [UInt8], _ expected: [String]) async throws {
        let type = "text/plain; charset=\(charset)"
        for reply in ScriptedReply.pieces([Data(bytes)], fields: [.contentType: type]).rechunked(.everySplit) {
            let lines = try await read(reply)
            #expect(lines == expected)
        }
    }

    @Test func aCharsetThatNobodyCanReadIsNamed() async throws {
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await read(.stream("a\n", "text/plain; charset=Shift_JIS"))
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message == "the charset of the text is not known: Shift_JIS")
        #expect(error?.response?.status == .ok)
        let odd = await #expect(throws: NetworkClientError.self) {
            _ = try await read(.stream("a\n", "text/plain; charset=\"a secret\""))
        }
        #expect(odd?.message == "the charset of the text is not known")
    }
}
