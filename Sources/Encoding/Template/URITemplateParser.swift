// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension URITemplate {
    /// RFC 6570 §2, in one pass over the bytes.
    struct Parser {
        private let bytes: [UInt8]
        private var position = 0

        init(_ template: String) { bytes = Array(template.utf8) }

        mutating func parse() throws(URITemplateError) -> [Part] {
            var parts: [Part] = []
            while position < bytes.count {
                parts.append(bytes[position] == UInt8(ascii: "{") ? try expression() : .literal(try literal()))
            }
            return parts
        }

        /// §2.1: what may not stand in a URI is percent-encoded; an escape stays as it is.
        private mutating func literal() throws(URITemplateError) -> [UInt8] {
            var output: [UInt8] = []
            while position < bytes.count, bytes[position] != UInt8(ascii: "{") {
                let byte = bytes[position]
                switch byte {
                case UInt8(ascii: "}"): throw error("a '}' without its '{'")
                case UInt8(ascii: "%"):
                    guard PercentEncoding.isEscape(bytes[position...]) else {
                        throw error("a '%' that begins no escape")
                    }
                    output.append(byte)
                case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                    UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"):
                    throw error("a character that has to be percent-encoded")
                case 0x80...: PercentEncoding.appendEscape(of: byte, to: &output)
                default: output.append(byte)
                }
                position += 1
            }
            return output
        }

        private mutating func expression() throws(URITemplateError) -> Part {
            position += 1
            guard position < bytes.count else { throw error("an expression without its end") }
            var form = Form(nil)
            if !Self.isNameCharacter(bytes[position]), bytes[position] != UInt8(ascii: "%") {
                form = Form(bytes[position])
                position += 1
            }
            guard let form else {
                position -= 1
                throw error("no such operator")
            }
            var specifiers: [Specifier] = []
            repeat { specifiers.append(try specifier()) } while consume(UInt8(ascii: ","))
            guard consume(UInt8(ascii: "}")) else { throw error("expected ',' or '}'") }
            return .expression(form, specifiers)
        }

        private mutating func specifier() throws(URITemplateError) -> Specifier {
            let name = try name()
            if consume(UInt8(ascii: "*")) { return Specifier(name: name, modifier: .explode) }
            guard consume(UInt8(ascii: ":")) else { return Specifier(name: name, modifier: .none) }
            let start = position
            while position < bytes.count, bytes[position].isDigit { position += 1 }
            let digits = String(decoding: bytes[start..<position], as: UTF8.self)
            guard let length = Int(digits), (1...9999).contains(length), !digits.hasPrefix("0") else {
                throw error("a prefix has 1 to 9999 characters")
            }
            return Specifier(name: name, modifier: .prefix(length))
        }

        /// §2.3: letters, digits, `_`, escapes, and single dots between them.
        private mutating func name() throws(URITemplateError) -> String {
            let start = position
            var mayEnd = false
            while position < bytes.count {
                let byte = bytes[position]
                if Self.isNameCharacter(byte) {
                    position += 1
                    mayEnd = true
                } else if PercentEncoding.isEscape(bytes[position...]) {
                    position += 3
                    mayEnd = true
                } else if byte == UInt8(ascii: "."), mayEnd {
                    position += 1
                    mayEnd = false
                } else {
                    break
                }
            }
            guard mayEnd else { throw error("expected the name of a variable") }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        private mutating func consume(_ byte: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == byte else { return false }
            position += 1
            return true
        }

        private static func isNameCharacter(_ byte: UInt8) -> Bool {
            byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_")
        }

        private func error(_ reason: String) -> URITemplateError { URITemplateError(reason: reason, offset: position) }
    }
}
