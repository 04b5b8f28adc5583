// SPDX-License-Identifier: Apache-2.0

/// Replaces the values of secret members in JSON, and secrets inside of its strings. The text may be cut off anywhere,
/// and may be no JSON.
package struct JSONRedactor {
    private let bytes: [UInt8]
    private let replacement: String
    private let isSecret: (String) -> Bool
    private let redactString: (String) -> String
    private var position = 0

    /// - Parameters:
    ///   - isSecret: gets the name of a member.
    ///   - redactString: gets the text of a string with its escapes resolved, and returns it without secrets.
    package init(
        _ text: String, replacement: String, isSecret: @escaping (String) -> Bool,
        redactString: @escaping (String) -> String
    ) {
        bytes = Array(text.utf8)
        self.replacement = replacement
        self.isSecret = isSecret
        self.redactString = redactString
    }

    package mutating func redacted() -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                output.append(bytes[position])
                position += 1
                continue
            }
            let start = position
            let content = skipString()
            let text = Self.unescaped(content)
            skipSpace()
            if position < bytes.count, bytes[position] == UInt8(ascii: ":"), isSecret(text) {
                position += 1
                skipSpace()
                output += bytes[start..<position]
                skipValue()
                output += Array("\"\(replacement)\"".utf8)
            } else {
                let redacted = redactString(text)
                output += bytes[start..<content.startIndex]
                if redacted == text { output += content } else { JSONEscapes.append(redacted, to: &output) }
                output += bytes[content.endIndex..<position]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position].isWhitespace { position += 1 }
    }

    /// Moves past the closing quote, or to the end when there is none, and returns what stands between the quotes.
    @discardableResult
    private mutating func skipString() -> ArraySlice<UInt8> {
        let start = position + 1
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        end = min(end, bytes.count)
        position = min(end + 1, bytes.count)
        return bytes[start..<end]
    }

    private mutating func skipValue() {
        var depth = 0
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                position += 1
                if depth == 0 { return }
            case let byte where byte == UInt8(ascii: ",") || byte.isWhitespace:
                if depth == 0 { return }
                position += 1
            default: position += 1
            }
        }
    }

    /// A string with its escapes resolved (RFC 8259 §7), so that nothing hides behind them.
    private static func unescaped(_ content: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        var rest = content
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                output.append(byte)
                continue
            }
            guard escape == UInt8(ascii: "u") else {
                output.append(JSONEscapes.byte(for: escape))
                continue
            }
            // Two in a row may be one character.
            var units = [popCodeUnit(from: &rest)].compactMap { $0 }
            while rest.starts(with: "\\u".utf8) {
                var following = rest.dropFirst(2)
                guard let unit = popCodeUnit(from: &following) else { break }
                units.append(unit)
                rest = following
            }
            output += String(decoding: units, as: UTF16.self).utf8
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The four digits behind `\u`.
    private static func popCodeUnit(from rest: inout ArraySlice<UInt8>) -> UInt16? {
        let digits = rest.prefix(4)
        guard digits.count == 4, let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16) else {
            return nil
        }
        rest = rest.dropFirst(4)
        return unit
    }
}
