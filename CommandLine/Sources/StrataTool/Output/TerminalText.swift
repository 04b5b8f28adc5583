// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Text from a server, for a terminal: what would steer the terminal is shown and not obeyed.
package struct TerminalText {
    /// The start of a character whose end has not come.
    private var pending = Data()

    package init() {}

    /// The text of a piece, as far as its characters are whole.
    package mutating func feed(_ piece: Data) -> String {
        pending.append(piece)
        let whole = Self.wholePrefix(of: pending)
        let text = String(decoding: pending.prefix(whole), as: UTF8.self)
        pending = Data(pending.dropFirst(whole))
        return Self.safe(text)
    }

    package mutating func end() -> String {
        defer { pending = Data() }
        return Self.safe(String(decoding: pending, as: UTF8.self))
    }

    /// How many bytes there are before a character that is cut off.
    private static func wholePrefix(of data: Data) -> Int {
        for back in 1...3 where back <= data.count {
            let byte = data[data.endIndex - back]
            if byte & 0b1100_0000 == 0b1000_0000 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > back ? data.count - back : data.count
        }
        return data.count
    }

    /// The text with control characters, but for tabs and newlines, written as `\u{…}`.
    package static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            if !isControl(scalar) || (scalar == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n") {
                result.append(scalar)
            } else {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            }
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether a body can be shown at all.
    package static func isBinary(_ data: Data) -> Bool { data.prefix(1024).contains(0) }
}
