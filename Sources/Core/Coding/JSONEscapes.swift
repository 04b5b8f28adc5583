// SPDX-License-Identifier: Apache-2.0

/// The escapes in JSON strings (RFC 8259 §7).
package enum JSONEscapes {
    /// The byte that a backslash and `letter` stand for. `\u`, which four digits follow, is not among them.
    @inlinable
    package static func byte(for letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "r"): 0x0D
        default: letter
        }
    }

    /// Appends `text` with everything escaped that may not stand between the quotes of a string.
    package static func append(_ text: String, to output: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x0A: output.append(contentsOf: "\\n".utf8)
            case 0x0D: output.append(contentsOf: "\\r".utf8)
            case 0x09: output.append(contentsOf: "\\t".utf8)
            case ..<0x20: output.append(contentsOf: "\\u00\(byte.hexadecimal)".utf8)
            default: output.append(byte)
            }
        }
    }
}
