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

    /// What stands between the quotes of a string, with its escapes resolved. Half of a surrogate pair is U+FFFD; what is no
    /// escape loses its backslash.
    package static func resolved(_ content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard var escape = content.firstIndex(of: UInt8(ascii: "\\")) else { return content }
        var output: [UInt8] = []
        output.reserveCapacity(content.count)
        var rest = content
        while true {
            output += rest[..<escape]
            rest = rest[(escape + 1)...]
            let letter = rest.popFirst()
            if letter == UInt8(ascii: "u") {
                var units = [popCodeUnit(from: &rest)].compactMap { $0 }
                // Two in a row may be one character.
                while rest.starts(with: "\\u".utf8) {
                    var following = rest.dropFirst(2)
                    guard let unit = popCodeUnit(from: &following) else { break }
                    units.append(unit)
                    rest = following
                }
                output += String(decoding: units, as: UTF16.self).utf8
            } else {
                output.append(letter.map(byte) ?? UInt8(ascii: "\\"))
            }
            guard let next = rest.firstIndex(of: UInt8(ascii: "\\")) else { break }
            escape = next
        }
        output += rest
        return output[...]
    }

    /// The four digits behind `\u`.
    private static func popCodeUnit(from rest: inout ArraySlice<UInt8>) -> UInt16? {
        var unit: UInt16 = 0
        guard rest.count >= 4 else { return nil }
        for byte in rest.prefix(4) {
            guard let digit = byte.hexValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        rest = rest.dropFirst(4)
        return unit
    }
}
