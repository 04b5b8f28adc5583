// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    @inlinable
    package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    @inlinable
    package var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

    /// RFC 9110 §5.6.2: what a token is made of.
    @inlinable
    package var isTokenCharacter: Bool {
        if isDigit || isLetter { return true }
        return switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// A space or a tab: RFC 9110 §5.6.3, optional white space.
    @inlinable
    package var isBlank: Bool { self == 0x20 || self == 0x09 }

    @inlinable
    package var isControl: Bool { self < 0x20 || self == 0x7F }

    /// A blank or a part of a line end: the white space of JSON (RFC 8259 §2), and what the MIME Sniffing standard calls
    /// HTTP white space.
    @inlinable
    package var isWhitespace: Bool { isBlank || self == 0x0A || self == 0x0D }

    @inlinable
    package var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1: the general category `Cc`.
    package var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// All digits of the width in base 16, in lower case.
    @inlinable
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}

extension BidirectionalCollection where Element == UInt8 {
    /// Without the blanks at both ends.
    @inlinable
    package var trimmingBlanks: SubSequence {
        guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank })
        else { return self[endIndex..<endIndex] }
        return self[first...last]
    }
}

extension StringProtocol {
    /// The text with ASCII letters in lower case; nothing else changes, whatever the locale.
    package var asciiLowercased: String {
        var text = String(self)
        func isUpperCase(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }
        guard text.withUTF8({ $0.contains(where: isUpperCase) }) else { return text }
        return String(unsafeUninitializedCapacity: text.utf8.count) { output in
            text.withUTF8 { bytes in
                for (index, byte) in bytes.enumerated() { output[index] = isUpperCase(byte) ? byte | 0x20 : byte }
                return bytes.count
            }
        }
    }
}
