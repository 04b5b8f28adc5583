// SPDX-License-Identifier: Apache-2.0

/// Replaces the values of secret members in JSON, and secrets inside of its strings. In an object that names a secret, as
/// `{"name": "password", "value": "…"}` does, it replaces the value, and so it does in each of several arrays of
/// a name and a value, as in `[["password", "…"]]`. The text may be cut off anywhere, and may be no JSON.
package struct JSONRedactor {
    private let bytes: [UInt8]
    private let replacement: String
    private let isSecret: (String) -> Bool
    private let redactString: (String) -> String
    private var position = 0
    /// Where objects begin that name a secret, and how they name it.
    private var namingObjects: [Int: String] = [:]
    /// Where objects begin that are an OAuth request: there, `code`, `key` and `ticket` are secrets, too.
    private var grants: Set<Int> = []
    /// Where the objects and arrays begin that are open at the position.
    private var open: [Int] = []
    /// Whether nothing stands between the position and the array's start.
    private var beginsArray = false

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
        findNames()
    }

    package mutating func redacted() -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                output.append(bytes[position])
                skipByte()
                continue
            }
            let start = position
            let isFirst = beginsArray
            beginsArray = false
            let content = skipString()
            let text = Self.unescaped(content)
            skipSpace()
            if isAtColon, let mask = mask(forMember: text) {
                position += 1
                skipSpace()
                output += bytes[start..<position]
                let value = position
                skipValue()
                output += Array("\"\(mask(bytes[value..<position]))\"".utf8)
            } else {
                let redacted = redactString(text)
                output += bytes[start..<content.startIndex]
                if redacted == text { output += content } else { JSONEscapes.append(redacted, to: &output) }
                output += bytes[content.endIndex..<position]
                if isFirst, isSecret(text), let value = secondOfTwo() {
                    output += bytes[position..<value.startIndex]
                    output += Array("\"\(mask(of: value, named: text))\"".utf8)
                    position = value.endIndex
                }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private var isAtColon: Bool { position < bytes.count && bytes[position] == UInt8(ascii: ":") }

    /// What makes the mask of a secret member's value; `nil` for a member that is none.
    private func mask(forMember name: String) -> ((ArraySlice<UInt8>) -> String)? {
        if isSecret(name) { return { _ in replacement } }
        guard let object = open.last else { return nil }
        let letters = SecretNames.normalized(name)
        if grants.contains(object), SecretNames.parameters.contains(letters) { return { _ in replacement } }
        guard let secret = namingObjects[object], Self.valueNames.contains(letters) else { return nil }
        return { mask(of: $0, named: secret) }
    }

    /// The mask of a value whose name stands beside it. The scheme of credentials is kept: it is no secret.
    private func mask(of value: ArraySlice<UInt8>, named name: String) -> String {
        guard SecretNames.normalized(name).hasSuffix("authorization"), value.first == UInt8(ascii: "\"") else {
            return replacement
        }
        let text = Self.unescaped(value.dropFirst().prefix { $0 != UInt8(ascii: "\"") })
        let redacted = redactString(text)
        return redacted == text || redacted.contains { "\"\\".contains($0) } ? replacement : redacted
    }

    /// The second and last element of an array whose first ends at the position, or what may be that because the text is cut off; `nil`
    /// for arrays and objects. The array is one of several, or the whole text: a member may have a list of names.
    private func secondOfTwo() -> ArraySlice<UInt8>? {
        guard open.count < 2 || bytes[open[open.count - 2]] == UInt8(ascii: "["), position < bytes.count,
            bytes[position] == UInt8(ascii: ",")
        else { return nil }
        var rest = self
        rest.position += 1
        rest.skipSpace()
        let start = rest.position
        guard start < bytes.count else { return nil }
        if bytes[start] == UInt8(ascii: "\"") { rest.skipString() } else { rest.skipScalar() }
        guard rest.position > start else { return nil }
        let value = bytes[start..<rest.position]
        rest.skipSpace()
        return rest.position == bytes.count || bytes[rest.position] == UInt8(ascii: "]") ? value : nil
    }

    /// What names a secret in an object, and what holds it.
    private static let nameNames: Set<String> = [
        "attribute", "field", "fieldname", "header", "id", "k", "key", "label", "n", "name", "param", "parameter",
        "property", "var", "variable",
    ]
    private static let valueNames: Set<String> = [
        "content", "current", "data", "default", "defaultvalue", "new", "newvalue", "old", "oldvalue", "stringvalue",
        "text", "v", "val", "value", "values",
    ]

    /// What says of which kind an object is, and the kinds of which the value is a secret: events of a stream are of kinds, too.
    private static let kindNames: Set<String> = ["kind", "type"]
    private static let secretKinds: Set<String> = [
        "apikey", "credential", "credentials", "passphrase", "password", "privatekey", "secret",
    ]

    /// The members of which an OAuth request has one (RFC 6749 §4, RFC 7636 §4.5).
    private static let grantNames: Set<String> = ["codeverifier", "granttype", "redirecturi"]

    private mutating func findNames() {
        defer { (position, open, beginsArray) = (0, [], false) }
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                skipByte()
                continue
            }
            let content = skipString()
            skipSpace()
            guard isAtColon, let object = open.last, content.count <= 16 else { continue }
            let name = SecretNames.normalized(Self.unescaped(content))
            if Self.grantNames.contains(name) { grants.insert(object) }
            let isKind = Self.kindNames.contains(name)
            guard isKind || Self.nameNames.contains(name) else { continue }
            position += 1
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { continue }
            let value = Self.unescaped(skipString())
            if isKind ? Self.secretKinds.contains(SecretNames.normalized(value)) : isSecret(value) {
                namingObjects[object] = value
            }
        }
    }

    /// Moves past a byte outside of strings.
    private mutating func skipByte() {
        let byte = bytes[position]
        if !byte.isWhitespace { beginsArray = byte == UInt8(ascii: "[") }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(position)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
        default: break
        }
        position += 1
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

    /// Moves past what is neither in quotes nor in brackets.
    private mutating func skipScalar() {
        while position < bytes.count, !bytes[position].isWhitespace, !",]}[{\":".utf8.contains(bytes[position]) {
            position += 1
        }
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
        String(decoding: JSONEscapes.resolved(content), as: UTF8.self)
    }
}
