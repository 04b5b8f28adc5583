// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension FieldReader {
    /// What stands in the quotes that open here, as text. Quotes that are not closed end with the value: servers forget them.
    mutating func quotedText() -> String? {
        quotedString(mayBeCutOff: true).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What the quotes of a form's field name hold: browsers write `%22`, `%0D` and `%0A` for what cannot stand in it, and
    /// a backslash as it is; other clients escape a quote with a backslash.
    mutating func formQuotedText() -> String? {
        guard consume(UInt8(ascii: "\"")) else { return nil }
        let end = endOfFormQuotes
        defer { position = min(end + 1, bytes.count) }
        return String(decoding: Self.resolvingFormEscapes(bytes[position..<end]), as: UTF8.self)
    }

    /// Where the quotes close whose content is next; an end that is missing is taken as there.
    ///
    /// A value may end in `\"` because its last character is a backslash. That is so when no later quote ends a value: then
    /// it is the opening one of the next parameter, or there is none.
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
