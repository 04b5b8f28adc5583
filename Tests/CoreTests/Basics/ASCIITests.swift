// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

/// Each question, asked of all 256 bytes.
struct ASCIITests {
    private func bytes(_ holds: (UInt8) -> Bool) -> [UInt8] { (UInt8.min...UInt8.max).filter(holds) }

    @Test func digitsAndLettersAreThoseOfASCII() {
        #expect(bytes(\.isDigit) == Array("0123456789".utf8))
        #expect(bytes(\.isLetter) == Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8))
    }

    @Test func aTokenIsMadeOfVisibleCharactersThatAreNoDelimiters() {
        let delimiters = Set("\"(),/:;<=>?@[\\]{}".utf8)
        #expect(bytes(\.isTokenCharacter) == (0x21...0x7E).filter { !delimiters.contains($0) })
    }

    @Test func whiteSpaceAndControlsAreThoseOfTheirStandards() {
        #expect(bytes(\.isBlank) == [0x09, 0x20])
        #expect(bytes(\.isWhitespace) == [0x09, 0x0A, 0x0D, 0x20])
        #expect(bytes(\.isControl) == Array(0x00...0x1F) + [0x7F])
        let controls = (0...0x2FF).compactMap(Unicode.Scalar.init).filter(\.isControl)
        #expect(controls == controls.filter { $0.properties.generalCategory == .control })
        #expect(controls.count == 32 + 33)
    }

    @Test func hexadecimalDigitsAreReadInBothCases() {
        for byte in UInt8.min...UInt8.max {
            let text = String(UnicodeScalar(byte))
            #expect(byte.hexValue == (byte < 0x80 ? UInt8(text, radix: 16) : nil), "\(byte)")
        }
        #expect(UInt16(0xAB).hexadecimal == "00ab")
        #expect(UInt8(0).hexadecimal == "00")
        #expect(UInt32.max.hexadecimal == "ffffffff")
    }

    @Test func onlyASCIILettersChangeToLowerCase() {
        let all = String(String.UnicodeScalarView((0...0x7F).compactMap(Unicode.Scalar.init)))
        let expected = all.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
        #expect(Array(all.asciiLowercased.utf8) == expected)
        for scalar in all.unicodeScalars {
            let text = String(scalar)
            #expect(text.asciiLowercased == text.lowercased(), "\(scalar.value)")
        }
        #expect("_[`@İÄſ\u{212A}".asciiLowercased == "_[`@İÄſ\u{212A}")
        #expect("aBcÄ"[...].asciiLowercased == "abcÄ")
    }

    @Test func blanksAreTrimmedAtBothEndsAlone() {
        func trimmed(_ text: String) -> String { String(Substring(text.utf8.trimmingBlanks)) }
        #expect(trimmed(" \ta \t b\t ") == "a \t b")
        #expect(trimmed("a") == "a")
        #expect(trimmed("\n a\r") == "\n a\r")
        #expect(trimmed(" \t ").isEmpty && trimmed("").isEmpty)
    }
}
