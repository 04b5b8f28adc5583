// SPDX-License-Identifier: Apache-2.0

/// Replaces the values of secret members in JSON, or in what was JSON before it was cut off.
struct JSONRedactor {
    private let bytes: [UInt8]
    private let replacement: String
    private let isSecret: (String) -> Bool
    private var position = 0

    init(_ text: String, replacement: String, isSecret: @escaping (String) -> Bool) {
        bytes = Array(text.utf8)
        self.replacement = replacement
        self.isSecret = isSecret
    }

    mutating func redacted() -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                output.append(bytes[position])
                position += 1
                continue
            }
            let start = position
            skipString()
            let name = bytes[start..<position]
            skipSpace()
            if position < bytes.count, bytes[position] == UInt8(ascii: ":"), isSecret(Self.unescaped(name)) {
                position += 1
                skipSpace()
                output += bytes[start..<position]
                skipValue()
                output += Array("\"\(replacement)\"".utf8)
            } else {
                output += bytes[start..<position]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) { position += 1 }
    }

    /// Past the closing quote, or to the end when there is none.
    private mutating func skipString() {
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position + 1, bytes.count)
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
            case UInt8(ascii: ","), 0x20, 0x09, 0x0a, 0x0d:
                if depth == 0 { return }
                position += 1
            default: position += 1
            }
        }
    }

    /// A name with its `\uXXXX` and other escapes resolved, so that none hides behind them.
    private static func unescaped(_ quoted: ArraySlice<UInt8>) -> String {
        var output: [UInt8] = []
        var rest = quoted.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                output.append(byte)
                continue
            }
            if escape == UInt8(ascii: "u"), rest.count >= 4,
                let code = UInt32(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(code)
            {
                output += Array(String(scalar).utf8)
                rest = rest.dropFirst(4)
            } else {
                output.append(escape)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
