// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding

/// Indents and colours a JSON text. Numbers, escapes, the order and repetitions of members stay as they came.
package struct JSONFormat {
    package let isIndented: Bool
    package let palette: Palette

    package init(isIndented: Bool, palette: Palette) {
        self.isIndented = isIndented
        self.palette = palette
    }

    /// `nil` when the text is no JSON.
    package func format(_ data: Data) -> String? {
        guard (try? JSONValue(parsing: data)) != nil else { return nil }
        var writer = Writer(format: self, bytes: [UInt8](data))
        writer.write()
        return writer.output
    }

    /// Goes over the tokens of a text that has been found to be JSON.
    private struct Writer {
        let format: JSONFormat
        let bytes: [UInt8]
        var index = 0
        var depth = 0
        var output = ""

        init(format: JSONFormat, bytes: [UInt8]) {
            self.format = format
            self.bytes = bytes
        }

        mutating func write() {
            while index < bytes.count {
                let byte = bytes[index]
                switch byte {
                case 0x20, 0x09, 0x0A, 0x0D:
                    if !format.isIndented { output.append(Character(Unicode.Scalar(byte))) }
                    index += 1
                case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte)
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    breakLine()
                    emit(byte)
                case UInt8(ascii: ","):
                    emit(byte)
                    breakLine()
                case UInt8(ascii: ":"):
                    emit(byte)
                    if format.isIndented { output += " " }
                case UInt8(ascii: "\""): string()
                default: word()
                }
            }
        }

        private mutating func emit(_ byte: UInt8) {
            output.append(Character(Unicode.Scalar(byte)))
            index += 1
        }

        private mutating func breakLine() {
            if format.isIndented { output += "\n" + String(repeating: "    ", count: max(depth, 0)) }
        }

        private mutating func open(_ byte: UInt8) {
            emit(byte)
            guard format.isIndented else {
                depth += 1
                return
            }
            var next = index
            while next < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[next]) { next += 1 }
            if next < bytes.count, bytes[next] == byte + 2 {
                index = next
                emit(bytes[next])
            } else {
                depth += 1
                breakLine()
            }
        }

        private mutating func string() {
            var end = index + 1
            while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
                end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            end = min(end + 1, bytes.count)
            let text = TerminalText.safe(String(decoding: bytes[index..<end], as: UTF8.self))
            index = end
            while end < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[end]) { end += 1 }
            let isKey = end < bytes.count && bytes[end] == UInt8(ascii: ":")
            if isKey, format.isIndented { index = end }
            output += format.palette.paint(text, isKey ? .key : .string)
        }

        private mutating func word() {
            var end = index
            while end < bytes.count, !" \t\n\r,:[]{}\"".utf8.contains(bytes[end]) { end += 1 }
            let text = String(decoding: bytes[index..<max(end, index + 1)], as: UTF8.self)
            index = max(end, index + 1)
            output += format.palette.paint(text, text.first?.isLetter == true ? .literal : .number)
        }
    }
}
