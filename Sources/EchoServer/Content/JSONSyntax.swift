// SPDX-License-Identifier: Apache-2.0

/// Decides whether bytes are one JSON text (RFC 8259), without building a value.
///
/// `JSONDecoder` is no judge: it lets a comma stand before `]`, and looks at numbers only when they are decoded.
struct JSONSyntax {
    /// Beyond this depth a text is refused, so that no input exhausts the stack.
    private static let depthLimit = 512

    private var rest: ArraySlice<UInt8>

    static func isValid(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var syntax = JSONSyntax(rest: bytes[...])
        syntax.skipSpace()
        guard syntax.value(depth: 0) else { return false }
        syntax.skipSpace()
        return syntax.rest.isEmpty
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < Self.depthLimit, let first = rest.first else { return false }
        switch first {
        case UInt8(ascii: "{"): return list(to: "}", depth: depth) { $0.member(depth: depth + 1) }
        case UInt8(ascii: "["): return list(to: "]", depth: depth) { $0.value(depth: depth + 1) }
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return skip("true")
        case UInt8(ascii: "f"): return skip("false")
        case UInt8(ascii: "n"): return skip("null")
        default: return number()
        }
    }

    private mutating func list(to end: Unicode.Scalar, depth: Int, element: (inout Self) -> Bool) -> Bool {
        rest.removeFirst()
        skipSpace()
        if skip(end) { return true }
        while true {
            guard element(&self) else { return false }
            skipSpace()
            if skip(end) { return true }
            guard skip(",") else { return false }
            skipSpace()
        }
    }

    private mutating func member(depth: Int) -> Bool {
        guard string() else { return false }
        skipSpace()
        guard skip(":") else { return false }
        skipSpace()
        return value(depth: depth)
    }

    private mutating func string() -> Bool {
        guard skip("\"") else { return false }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return true
            case 0..<0x20: return false
            case UInt8(ascii: "\\"): guard escape() else { return false }
            default: break
            }
        }
        return false
    }

    /// What follows a backslash.
    private mutating func escape() -> Bool {
        guard let byte = rest.popFirst() else { return false }
        guard byte == UInt8(ascii: "u") else { return #""\/bfnrt"#.utf8.contains(byte) }
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        return digits.count == 4 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    private mutating func number() -> Bool {
        _ = skip("-")
        if !skip("0") {
            guard digits() else { return false }
        }
        if skip(".") {
            guard digits() else { return false }
        }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            guard digits() else { return false }
        }
        return true
    }

    /// At least one.
    private mutating func digits() -> Bool {
        let count = rest.prefix { (0x30...0x39).contains($0) }.count
        rest = rest.dropFirst(count)
        return count > 0
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool { skip(String(scalar)) }

    private mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }
}
