// SPDX-License-Identifier: Apache-2.0

/// Finds where secrets stand in a text: behind their names or schemes, before the host of a URL, in elements of XML, by how
/// they look, and inside of other values.
///
/// A text may come from an attacker: whatever is in it, no byte is looked at more than a fixed number of times.
struct SecretSearch {
    /// How many strings and encodings deep the search goes. What is deeper counts as secret.
    static let maximumDepth = 4

    let redaction: Redaction
    let options: RequestOptions?
    var delimiters: Delimiters
    /// Whether the names of members count, too, where parameters stand.
    let isBody: Bool
    var startsWithParameter: Bool
    /// Inside of how many strings the text stands.
    let depth: Int
    /// Whether values are found that stand behind a colon on a line, or in XML.
    var looksAtLines = true

    /// The ranges of all secrets, in no order. One may be a part of another.
    func secrets(in text: [UInt8]) -> [Range<Int>] {
        let found =
            Self.userInformation(in: text) + Self.credentials(in: text) + Self.shapes(in: text) + values(in: text)
        return looksAtLines && (isBody || delimiters.areOfText)
            ? found + namedValues(in: text) + markupValues(in: text) : found
    }

    /// Where the values of secret `name=value` pairs stand, and those that hide a secret.
    private func values(in text: [UInt8], looksInside: Bool = true) -> [Range<Int>] {
        var found: [Range<Int>] = []
        // Where the name of a parameter begins, and where the last word does: of `(token=` both are a name.
        var parameter: Int? = startsWithParameter ? 0 : nil
        var word: Int? = delimiters.areOfText && !startsWithParameter ? 0 : nil
        var searchedEnd = 0
        var position = 0
        while position < text.count {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "=") else {
                if delimiters.ofNames.contains(byte) {
                    parameter = Delimiters.beforeParameters.contains(byte) ? position : nil
                    word = nil
                }
                if delimiters.beforeWords.contains(byte) { word = position }
                continue
            }
            let isNamed =
                parameter.map { isSecret(text[$0..<position - 1], isParameter: true) } == true
                || word.map { isSecret(text[$0..<position - 1], isParameter: false) } == true
            let isPair = parameter != nil || word != nil
            parameter = nil
            word = nil
            if isNamed {
                if delimiters.areOfText { position = text[position...].drop(while: \.isBlank).startIndex }
                let end = endOfValue(from: position, in: text)
                found.append(position..<end)
                position = end
            } else if isPair, !looksInside {
                // What the value holds was encoded once more, perhaps.
                parameter = position
            } else if isPair, position >= searchedEnd {
                let value = text[position...].prefix { !delimiters.ofNames.contains($0) }
                searchedEnd = value.endIndex
                if hidesSecret(value) {
                    found.append(value.indices)
                    position = value.endIndex
                }
            }
        }
        return found
    }

    /// - Parameter isParameter: whether the name stands where the parameters of a query or a form do.
    private func isSecret(_ name: ArraySlice<UInt8>, isParameter: Bool) -> Bool {
        let name = PercentEncoding.decodedText(name)
        if isParameter, redaction.isSensitiveQueryItem(name, options: options) { return true }
        return (isBody || !isParameter) && redaction.isSensitiveMember(name, options: options)
    }

    /// Where the value ends that begins at `start`. A semicolon does not end it, for it may be part of a secret.
    private func endOfValue(from start: Int, in text: [UInt8]) -> Int {
        let rest = text[start...]
        var end = rest.prefix { !delimiters.ofValues.contains($0) }.endIndex
        // Hidden already, by what may have delimiters in it.
        if rest.starts(with: redaction.replacement.utf8) { end = max(end, start + redaction.replacement.utf8.count) }
        return delimiters.areOfText ? max(end, Self.endOfQuotes(rest)) : end
    }

    /// Where the quotes close that open at the start of the text; its end when they do not close, and its start when
    /// there are none.
    static func endOfQuotes(_ text: ArraySlice<UInt8>) -> Int {
        var rest = text
        // A quote that is doubled goes on (RFC 4180 §2).
        while let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            rest.removeFirst()
            while let byte = rest.popFirst(), byte != quote {
                if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
            }
        }
        return rest.startIndex
    }

    /// Whether a value is a pair, a URL or JSON with a secret in it, encoded or not.
    private func hidesSecret(_ value: ArraySlice<UInt8>) -> Bool {
        guard value.contains(where: { Delimiters.insideValues.contains($0) }) else { return false }
        var inside = self
        inside.delimiters = .inText
        inside.startsWithParameter = true
        var text = Array(value)
        for level in depth..<max(Self.maximumDepth, depth + 1) {
            if !Self.userInformation(in: text).isEmpty || !Self.credentials(in: text).isEmpty
                || !Self.shapes(in: text).isEmpty || !inside.values(in: text, looksInside: false).isEmpty
                || !inside.namedValues(in: text).isEmpty || !inside.markupValues(in: text).isEmpty
                || hasSecretMember(text, depth: level)
            {
                return true
            }
            let decoded = PercentEncoding.decode(text)
            if decoded == text { return false }
            text = decoded
        }
        return true
    }

    private func hasSecretMember(_ text: [UInt8], depth: Int) -> Bool {
        guard text.contains(UInt8(ascii: "\"")) else { return false }
        let text = String(decoding: text, as: UTF8.self)
        return redaction.members(in: text, options: options, depth: depth) != text
    }

    /// Where `user:password` of `//user:password@` stands, or of `//user:password` when the text ends there: it may have been
    /// cut off.
    private static func userInformation(in text: [UInt8]) -> [Range<Int>] {
        let slash = UInt8(ascii: "/")
        var found: [Range<Int>] = []
        var position = 0
        while position + 1 < text.count {
            guard text[position] == slash, text[position + 1] == slash else {
                position += 1
                continue
            }
            // Not the empty segment of a path.
            let isReference = position == 0 || Delimiters.beforeReferences.contains(text[position - 1])
            position += 2
            guard isReference else { continue }
            let authority = text[position...].prefix { !Delimiters.ofAuthority.contains($0) }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                if at > position { found.append(position..<at) }
            } else if authority.endIndex == text.endIndex, isNoHost(authority) {
                found.append(authority.indices)
            }
            position = authority.endIndex
        }
        return found
    }

    /// Whether an authority without an `@` cannot be a host and a port, which has no letters (RFC 3986 §3.2.3).
    private static func isNoHost(_ authority: ArraySlice<UInt8>) -> Bool {
        authority.first != UInt8(ascii: "[")
            && authority.drop { $0 != UInt8(ascii: ":") }.contains(where: \.isLetter)
    }
}

extension SecretSearch {
    /// Where the parts of URLs, forms and plain text begin and end.
    struct Delimiters {
        typealias Bytes = PercentEncoding.Allowed

        let ofValues: Bytes
        /// What ends a name. It also ends the part of a value that is searched when the value's name is not secret.
        let ofNames: Bytes
        /// What may stand before a name in other places than among parameters. There, names count that are secret in
        /// any text.
        let beforeWords: Bytes
        /// Whether a value may stand in quotes.
        var areOfText: Bool { ofValues.contains(UInt8(ascii: "\"")) }

        static let inForm = Delimiters(ofValues: Bytes("&"), ofNames: Bytes("&?;"), beforeWords: Bytes("#\r\n"))
        static let inURL = Delimiters(ofValues: Bytes("&#"), ofNames: Bytes("&#?;"), beforeWords: Bytes("/\r\n"))
        /// In a text, a URL ends at the first character that no URL may have; a `'` may be part of one (RFC 3986 §2.2).
        /// Strings in double quotes are read as JSON.
        static let inText = Delimiters(
            ofValues: Bytes("&#\"<> \t\r\n"), ofNames: Bytes("&#\"<> \t\r\n?;"), beforeWords: Bytes(" \t,('{>/"))

        static let beforeParameters = Bytes("?&;#\r\n")
        /// `&` and `'` may be part of a password (RFC 3986 §3.2.1).
        static let ofAuthority = Bytes("/?#\"<> \t\r\n")
        /// What stands before a reference, with its scheme or without (RFC 3986 §4.2).
        static let beforeReferences = Bytes(":=\"'<>([{,;?&#| \t\r\n")
        /// Without any of these, a value holds no pair, URL or JSON, and nothing is encoded.
        static let insideValues = Bytes("=/\"%")
    }
}
