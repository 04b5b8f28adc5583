// SPDX-License-Identifier: Apache-2.0

/// Reads the value of a field from left to right: tokens, quoted strings, and what stands between delimiters (RFC 9110 §5.6).
package struct FieldReader {
    package let bytes: [UInt8]
    package var position = 0

    @inlinable
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    @inlinable
    package var isAtEnd: Bool { position >= bytes.count }

    @inlinable
    package func peek() -> UInt8? { isAtEnd ? nil : bytes[position] }

    /// Moves past `byte` when it is next, and says whether it was.
    @inlinable
    package mutating func consume(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    /// The bytes before the first that `condition` does not accept.
    @inlinable
    package mutating func read(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let byte = peek(), condition(byte) { position += 1 }
        return bytes[start..<position]
    }

    @inlinable
    package mutating func skipBlanks() { _ = read(while: \.isBlank) }

    /// Skips line ends too, which a lenient parser takes for blanks (MIME Sniffing standard §4.4).
    @inlinable
    package mutating func skipWhitespace() { _ = read(while: \.isWhitespace) }

    /// A token of at least one character; `nil` when another byte is next.
    @inlinable
    package mutating func token() -> String? {
        let token = read(while: \.isTokenCharacter)
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// What stands in the quotes that open here, with its escapes resolved; `nil` when no quote is next.
    ///
    /// - Parameter mayBeCutOff: whether quotes that are not closed count as closed at the end of the value. If not, the result is
    ///   `nil` for them.
    package mutating func quotedString(mayBeCutOff: Bool) -> [UInt8]? {
        guard consume(UInt8(ascii: "\"")) else { return nil }
        var content: [UInt8] = []
        while let byte = peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return content
            case UInt8(ascii: "\\") where !isAtEnd:
                content.append(bytes[position])
                position += 1
            default: content.append(byte)
            }
        }
        return mayBeCutOff ? content : nil
    }
}
