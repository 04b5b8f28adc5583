// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Walks over JSON text (RFC 8259) in one pass and without recursion: it finds where values begin and end.
///
/// It accepts exactly what the grammar does, so that a value which was skipped is known to be well formed; only the
/// UTF-8 inside of strings is left to whoever reads them. The work is linear in the bytes whatever the nesting.
package struct JSONScanner {
    /// Where the text stops being JSON.
    package struct Failure: Error, Equatable {
        /// Offset in bytes.
        package var offset: Int
        package var reason: String
    }

    package let bytes: [UInt8]
    package private(set) var position: Int

    package init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
        if position == 0, bytes.starts(with: TextCharset.byteOrderMark) { self.position = 3 }
    }

    /// The next byte that is not white space; it is not consumed.
    package mutating func peek() -> UInt8? {
        while position < bytes.count {
            guard bytes[position].isWhitespace else { return bytes[position] }
            position += 1
        }
        return nil
    }

    /// Consumes `byte`, which has to be next after any white space.
    package mutating func expect(_ byte: UInt8) throws(Failure) {
        guard peek() == byte else { throw failure("expected '\(Character(Unicode.Scalar(byte)))'") }
        position += 1
    }

    /// Consumes `byte` when it is next.
    package mutating func consume(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    /// Nothing but white space may be left.
    package mutating func expectEnd() throws(Failure) {
        guard peek() == nil else { throw failure("expected the end of the text") }
    }

    func failure(_ reason: String) -> Failure {
        Failure(offset: position, reason: position >= bytes.count ? reason + ", but the text ends" : reason)
    }
}

// MARK: - Whole values

extension JSONScanner {
    package enum Kind: String {
        case object, array, string, number, bool, null

        /// `an object`, `a string`, `null`.
        package var inWords: String {
            switch self {
            case .object, .array: "an \(rawValue)"
            case .null: rawValue
            default: "a \(rawValue)"
            }
        }
    }

    /// What the value that comes next is, by its first byte.
    package mutating func peekKind() throws(Failure) -> Kind {
        guard let byte = peek() else { throw failure("expected a value") }
        switch byte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        default: throw failure("expected a value")
        }
    }

    /// Walks over the next value, however deep, and returns where it stands.
    @discardableResult
    package mutating func skipValue() throws(Failure) -> Range<Int> {
        _ = peek()
        let start = position
        // One entry for each container that is open: whether it is an object.
        var open: [Bool] = []
        repeat {
            switch try peekKind() {
            case .object:
                position += 1
                if !consume(UInt8(ascii: "}")) {
                    open.append(true)
                    try skipKey()
                    continue
                }
            case .array:
                position += 1
                if !consume(UInt8(ascii: "]")) {
                    open.append(false)
                    continue
                }
            case .string: try skipString()
            case .number: try skipNumber()
            case .bool: try skipLiteral(bytes[position] == UInt8(ascii: "t") ? "true" : "false")
            case .null: try skipLiteral("null")
            }
            try closeContainers(&open)
        } while !open.isEmpty
        return start..<position
    }

    /// Walks over the rest of containers that were entered by hand, behind a value in the innermost.
    ///
    /// - Parameter open: for each of them whether it is an object, the innermost last.
    mutating func finish(_ open: inout [Bool]) throws(Failure) {
        try closeContainers(&open)
        while !open.isEmpty {
            try skipValue()
            try closeContainers(&open)
        }
    }

    /// After a value: either a comma and the next one, or the end of the container, perhaps of several.
    private mutating func closeContainers(_ open: inout [Bool]) throws(Failure) {
        while let isObject = open.last {
            if consume(UInt8(ascii: ",")) {
                if isObject { try skipKey() }
                return
            }
            try expect(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
            open.removeLast()
        }
    }

    /// Walks over a member's key and the colon; returns what stands between the quotes.
    @discardableResult
    package mutating func skipKey() throws(Failure) -> Range<Int> {
        guard peek() == UInt8(ascii: "\"") else { throw failure("expected a key in double quotes") }
        let key = try skipString()
        try expect(UInt8(ascii: ":"))
        return key
    }
}

// MARK: - Tokens

extension JSONScanner {
    /// Walks over the string whose opening quote is next; returns what stands between the quotes, escapes unresolved.
    @discardableResult
    package mutating func skipString() throws(Failure) -> Range<Int> {
        try expect(UInt8(ascii: "\""))
        let start = position
        while true {
            skipPlainText()
            guard position < bytes.count else { throw failure("expected '\"'") }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position - 1
            case UInt8(ascii: "\\"):
                position += 1
                try skipEscape()
            default: throw failure("a control character has to be escaped in a string")
            }
        }
    }

    /// Through the buffer: strings are most of a text, and an index into the array is checked for each byte.
    private mutating func skipPlainText() {
        position = bytes.withUnsafeBufferPointer { bytes in
            var end = position
            while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""),
                bytes[end] != UInt8(ascii: "\\")
            {
                end += 1
            }
            return end
        }
    }

    private mutating func skipEscape() throws(Failure) {
        guard position < bytes.count else { throw failure("expected an escape") }
        switch bytes[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            for _ in 0..<4 {
                guard position < bytes.count, bytes[position].hexValue != nil else {
                    throw failure("expected four hexadecimal digits")
                }
                position += 1
            }
        default: throw failure("no such escape")
        }
    }

    @discardableResult
    package mutating func skipNumber() throws(Failure) -> Range<Int> {
        let start = position
        _ = consumeHere(UInt8(ascii: "-"))
        if !consumeHere(UInt8(ascii: "0")) { try skipDigits() }
        if consumeHere(UInt8(ascii: ".")) { try skipDigits() }
        if consumeHere(UInt8(ascii: "e")) || consumeHere(UInt8(ascii: "E")) {
            if !consumeHere(UInt8(ascii: "+")) { _ = consumeHere(UInt8(ascii: "-")) }
            try skipDigits()
        }
        return start..<position
    }

    private mutating func consumeHere(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipDigits() throws(Failure) {
        let start = position
        while position < bytes.count, bytes[position].isDigit { position += 1 }
        guard position > start else { throw failure("expected a digit") }
    }

    mutating func skipLiteral(_ literal: StaticString) throws(Failure) {
        let count = literal.utf8CodeUnitCount
        let matches = literal.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard matches else { throw failure("expected \(literal)") }
        position += count
    }
}

// MARK: - Text of strings

extension JSONScanner {
    /// The text between the quotes of a string, escapes resolved.
    ///
    /// - Throws: when the bytes are not UTF-8, or when an escape names half of a surrogate pair.
    package func text(in range: Range<Int>) throws(Failure) -> String {
        guard bytes[range].contains(UInt8(ascii: "\\")) else {
            return try validated(bytes[range], at: range.lowerBound)
        }
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == UInt8(ascii: "\\") else {
                output.append(bytes[index])
                index += 1
                continue
            }
            if bytes[index + 1] == UInt8(ascii: "u") {
                let scalar = try scalar(at: &index, before: range.upperBound)
                output.append(contentsOf: scalar.utf8)
            } else {
                output.append(JSONEscapes.byte(for: bytes[index + 1]))
                index += 2
            }
        }
        return try validated(output[...], at: range.lowerBound)
    }

    /// Reads `\uXXXX`, or two of them that form a surrogate pair, at `index`, and moves it behind.
    private func scalar(at index: inout Int, before end: Int) throws(Failure) -> Unicode.Scalar {
        let first = codeUnit(at: index)
        if let scalar = Unicode.Scalar(first) {
            index += 6
            return scalar
        }
        if first < 0xDC00, index + 12 <= end, bytes[index + 6] == UInt8(ascii: "\\"),
            bytes[index + 7] == UInt8(ascii: "u")
        {
            let second = codeUnit(at: index + 6)
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            {
                index += 12
                return scalar
            }
        }
        throw Failure(offset: index, reason: "an escape names half of a surrogate pair")
    }

    private func codeUnit(at index: Int) -> UInt32 {
        bytes[index + 2..<index + 6].reduce(0) { $0 << 4 | UInt32($1.hexValue ?? 0) }
    }

    private func validated(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(offset: offset, reason: "a string is not UTF-8")
        }
        return text
    }
}
