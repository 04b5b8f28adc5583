// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Reads challenges and their parameters (RFC 9110 §11.2, §11.6.1), byte by byte, once.
///
/// The grammar is ambiguous until one looks ahead: after a scheme, `aaaa=` is an opaque value and `aaaa=b` a parameter; after a
/// comma, a token is a parameter's name when `=` follows it, else the next scheme.
package struct ChallengeParser {
    private var reader: FieldReader

    package init(_ text: String) {
        reader = FieldReader(Array(text.utf8))
    }

    package init(_ field: HTTPField) {
        reader = FieldReader(field.withUnsafeBytesOfValue { Array($0) })
    }

    private struct Draft {
        var scheme: String
        var parameters: [String: [UInt8]] = [:]
        var token68: String?
        var isValid = true

        var texts: [String: String] { parameters.mapValues { HTTPField.text(of: $0) } }

        /// A challenge has an opaque value or parameters (RFC 9110 §11.3), so a parameter behind an opaque value is
        /// ignored.
        mutating func add(_ name: String, _ value: [UInt8]) {
            guard token68 == nil else { return }
            if parameters.updateValue(value, forKey: name.lowercased()) != nil { isValid = false }
        }
    }

    package mutating func challenges() -> [AuthenticationChallenge] {
        var drafts: [Draft] = []
        while skipSeparators(), let name = reader.token() {
            let end = reader
            if skipEquals(), !drafts.isEmpty {
                guard let value = parameterValue() else {
                    drafts.removeLast()
                    break
                }
                drafts[drafts.count - 1].add(name, value)
            } else {
                reader = end
                drafts.append(Draft(scheme: name, token68: token68()))
            }
        }
        return drafts.filter(\.isValid).map {
            AuthenticationChallenge(
                scheme: $0.scheme, parameters: $0.texts, token68: $0.token68, realmBytes: $0.parameters["realm"])
        }
    }

    /// A list of parameters without a scheme: `Authentication-Info` (RFC 7615 §3).
    package mutating func parameters() -> [String: String] {
        var draft = Draft(scheme: "")
        while skipSeparators(), let name = reader.token() {
            guard skipEquals(), let value = parameterValue() else { break }
            draft.add(name, value)
        }
        return draft.isValid ? draft.texts : [:]
    }

    /// Skips spaces and commas, and says whether anything is left.
    private mutating func skipSeparators() -> Bool {
        repeat { reader.skipBlanks() } while reader.consume(UInt8(ascii: ","))
        return !reader.isAtEnd
    }

    /// Moves past an equals sign and the space around it, or stays where it is when there is none.
    private mutating func skipEquals() -> Bool {
        let start = reader
        reader.skipBlanks()
        guard reader.consume(UInt8(ascii: "=")) else {
            reader = start
            return false
        }
        reader.skipBlanks()
        return true
    }

    /// An opaque value (RFC 9110 §11.2), when nothing but one stands before the next comma.
    private mutating func token68() -> String? {
        let start = reader
        reader.skipBlanks()
        let isSeparated = reader.position > start.position
        let content = reader.read { $0.isLetter || $0.isDigit || "-._~+/".utf8.contains($0) }
        let padding = reader.read { $0 == UInt8(ascii: "=") }
        reader.skipBlanks()
        guard isSeparated, !content.isEmpty, reader.isAtEnd || reader.peek() == UInt8(ascii: ",") else {
            reader = start
            return nil
        }
        return String(decoding: content + padding, as: UTF8.self)
    }

    /// A token, which may be missing, or a quoted string. `nil` when its quotes are not closed, or when something else follows
    /// it: an answer to half a value would be wrong.
    private mutating func parameterValue() -> [UInt8]? {
        let isQuoted = reader.peek() == UInt8(ascii: "\"")
        let value = isQuoted ? reader.quotedString(mayBeCutOff: false) : Array((reader.token() ?? "").utf8)
        guard let next = reader.peek(), next != UInt8(ascii: ","), next != UInt8(ascii: ";"), !next.isBlank else {
            return value
        }
        return nil
    }
}
