// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Reads the parts that field values are made of (RFC 9110 §5.6): tokens, quoted strings, parameters.
struct FieldReader {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    func peek() -> UInt8? { isAtEnd ? nil : bytes[position] }

    mutating func consume(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    mutating func skipWhitespace() {
        while let byte = peek(), Self.isWhitespace(byte) { position += 1 }
    }

    /// The MIME Sniffing standard's HTTP white space.
    private static func isWhitespace(_ byte: UInt8) -> Bool { byte.isBlank || byte == 0x0A || byte == 0x0D }

    /// The bytes before the first that is in `stops`.
    mutating func read(until stops: UInt8...) -> ArraySlice<UInt8> {
        let start = position
        while let byte = peek(), !stops.contains(byte) { position += 1 }
        return bytes[start..<position]
    }

    /// A token of at least one character.
    mutating func token() -> String? {
        let start = position
        while let byte = peek(), byte.isTokenCharacter { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// What the quotes hold, from the opening one on, escapes resolved; an end that is missing is taken as there.
    mutating func quotedString() -> String? {
        guard consume(UInt8(ascii: "\"")) else { return nil }
        var content: [UInt8] = []
        while let byte = peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                content.append(peek() ?? byte)
                position = min(position + 1, bytes.count)
            default: content.append(byte)
            }
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// What the quotes of a form's field name hold: browsers write `%22`, `%0D` and `%0A` for what cannot stand in it, and
    /// a backslash as it is; other clients escape a quote with a backslash.
    mutating func formQuotedString() -> String? {
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

    /// The next parameter by the MIME Sniffing standard (§4.4), behind its `;`; those that mean nothing are skipped.
    mutating func mediaTypeParameter() -> MediaType.Parameter? {
        while !isAtEnd {
            position += 1
            skipWhitespace()
            let name = read(until: UInt8(ascii: ";"), UInt8(ascii: "="))
            guard consume(UInt8(ascii: "=")) else { continue }
            let value: String
            if peek() == UInt8(ascii: "\"") {
                value = quotedString() ?? ""
                _ = read(until: UInt8(ascii: ";"))
            } else {
                var raw = read(until: UInt8(ascii: ";"))
                while raw.last.map(Self.isWhitespace) == true { raw.removeLast() }
                if raw.isEmpty { continue }
                value = String(decoding: raw, as: UTF8.self)
            }
            guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { continue }
            return .init(name: String(decoding: name, as: UTF8.self).asciiLowercased, value: value)
        }
        return nil
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
