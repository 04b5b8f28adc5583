// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension FieldReader {
    /// What stands in the quotes that open here, as text. Quotes that are not closed end with the value: servers forget them.
    mutating func quotedText() -> String? {
        quotedString(mayBeCutOff: true).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What stands in quotes in the head of a form's part. Browsers write `%22`, `%0D` and `%0A` for the characters
    /// that cannot stand there, and a backslash as it is. Other clients escape a quote with a backslash.
    mutating func formQuotedText() -> String? {
        guard consume(UInt8(ascii: "\"")) else { return nil }
        let end = endOfFormQuotes
        defer { position = min(end + 1, bytes.count) }
        return String(decoding: Self.resolvingFormEscapes(bytes[position..<end]), as: UTF8.self)
    }

    /// Where the quotes close whose content is next; at the end of the value when they are not closed.
    ///
    /// A quote after a backslash may be escaped, or may close a value whose last character is a backslash. It closes
    /// the value when no later quote does: when the next quote opens another parameter's value, or there is none.
    private var endOfFormQuotes: Int {
        var backslashed: Int?
        for index in position..<bytes.count where bytes[index] == UInt8(ascii: "\"") {
            let endsValue = index + 1 == bytes.count || bytes[index + 1] == UInt8(ascii: ";")
            if bytes[index - 1] != UInt8(ascii: "\\") { return endsValue ? index : backslashed ?? index }
            if endsValue, backslashed == nil { backslashed = index }
        }
        return backslashed ?? bytes.count
    }

    private static func resolvingFormEscapes(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var rest = content
        while let byte = rest.first {
            if let value = PercentEncoding.escapedByte(rest), [0x22, 0x0D, 0x0A].contains(value) {
                output.append(value)
                rest = rest.dropFirst(3)
            } else {
                rest = rest.dropFirst()
                if byte != UInt8(ascii: "\\") || rest.first != UInt8(ascii: "\"") { output.append(byte) }
            }
        }
        return output
    }

    /// A token as it is, anything else in quotes.
    static func quotedIfNeeded(_ value: String) -> String {
        if !value.isEmpty, value.utf8.allSatisfy(\.isTokenCharacter) { return value }
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
