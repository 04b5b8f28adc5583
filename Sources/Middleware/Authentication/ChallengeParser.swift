// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// Reads challenges and their parameters (RFC 9110 §11.2, §11.6.1), byte by byte, once.
///
/// The grammar is ambiguous until one looks ahead: after a scheme, `aaaa=` is an opaque value and `aaaa=b` a parameter; after a
/// comma, a token is a parameter's name when `=` follows it, else the next scheme.
struct ChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    init(_ field: HTTPField) {
        bytes = field.withUnsafeBytesOfValue { Array($0) }
    }

    private struct Draft {
        var scheme: String
        var parameters: [String: [UInt8]] = [:]
        var token68: String?
        var isValid = true

        var texts: [String: String] { parameters.mapValues { HTTPField.text(of: $0) } }

        /// A parameter after an opaque value belongs to nothing, and is ignored.
        mutating func add(_ name: String, _ value: [UInt8]) {
            guard token68 == nil else { return }
            if parameters.updateValue(value, forKey: name.lowercased()) != nil { isValid = false }
        }
    }

    mutating func challenges() -> [AuthenticationChallenge] {
        var drafts: [Draft] = []
        while skipSeparators(), let name = token() {
            let end = position
            if skipEquals(), !drafts.isEmpty {
                guard let value = parameterValue() else {
                    drafts.removeLast()
                    break
                }
                drafts[drafts.count - 1].add(name, value)
            } else {
                position = end
                drafts.append(Draft(scheme: name, token68: token68()))
            }
        }
        return drafts.filter(\.isValid).map {
            AuthenticationChallenge(
                scheme: $0.scheme, parameters: $0.texts, token68: $0.token68, realmBytes: $0.parameters["realm"])
        }
    }

    /// A list of parameters without a scheme: `Authentication-Info` (RFC 7615 §3).
    mutating func parameters() -> [String: String] {
        var draft = Draft(scheme: "")
        while skipSeparators(), let name = token() {
            guard skipEquals(), let value = parameterValue() else { break }
            draft.add(name, value)
        }
        return draft.isValid ? draft.texts : [:]
    }

    /// Spaces and commas; whether anything is left.
    private mutating func skipSeparators() -> Bool {
        while let byte = peek, byte == UInt8(ascii: ",") || byte.isBlank { position += 1 }
        return peek != nil
    }

    private mutating func skipSpace() {
        while let byte = peek, byte.isBlank { position += 1 }
    }

    /// An equals sign, with the space around it.
    private mutating func skipEquals() -> Bool {
        let start = position
        skipSpace()
        guard peek == UInt8(ascii: "=") else {
            position = start
            return false
        }
        position += 1
        skipSpace()
        return true
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func token() -> String? {
        let start = position
        while let byte = peek, byte.isTokenCharacter { position += 1 }
        return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// An opaque value, when nothing but one stands before the next comma.
    private mutating func token68() -> String? {
        let start = position
        skipSpace()
        let first = position
        while let byte = peek, Self.isToken68(byte) { position += 1 }
        let hasContent = position > first
        while peek == UInt8(ascii: "=") { position += 1 }
        let end = position
        skipSpace()
        guard hasContent, first > start, peek == nil || peek == UInt8(ascii: ",") else {
            position = start
            return nil
        }
        return String(decoding: bytes[first..<end], as: UTF8.self)
    }

    /// A token, which may be missing, or a quoted string; `nil` when its quotes are not closed, or when something else follows
    /// it: half a value would be answered wrongly.
    private mutating func parameterValue() -> [UInt8]? {
        let value = peek == UInt8(ascii: "\"") ? quotedString() : Array((token() ?? "").utf8)
        guard let next = peek, next != UInt8(ascii: ","), next != UInt8(ascii: ";"), !next.isBlank else { return value }
        return nil
    }

    private mutating func quotedString() -> [UInt8]? {
        position += 1
        var value: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return value
            case UInt8(ascii: "\\"):
                guard let escaped = peek else { return nil }
                value.append(escaped)
                position += 1
            default: value.append(byte)
            }
        }
        return nil
    }

    /// RFC 9110 §11.2, without the closing `=`.
    private static func isToken68(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._~+/".utf8.contains(byte)
    }
}
