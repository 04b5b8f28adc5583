// SPDX-License-Identifier: Apache-2.0

extension SecretSearch {
    /// Where the values stand of secret names that a colon, an arrow or an equals sign beside a blank separates from them:
    /// YAML, TOML, field lines, literals of programming languages, and sentences.
    func namedValues(in text: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var position = 0
        while let separator = Self.separator(in: text, from: position) {
            position = separator.end
            guard let name = Self.name(endingAt: separator.start, in: text), isSecretName(name.words) else { continue }
            let value = Self.value(from: separator.end, of: name, in: text)
            position = max(position, value.upperBound)
            if !value.isEmpty, !isHidden(text[value]) { found.append(value) }
        }
        return found
    }

    /// A mark, and where the name in front of it ends and the value behind it begins.
    private static func separator(in text: [UInt8], from position: Int) -> (start: Int, end: Int)? {
        let (colon, equals, more) = (UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: ">"))
        var position = position
        while position < text.count {
            let start = position
            position += 1
            guard text[start] == colon || text[start] == equals else { continue }
            var end = position
            while end < text.count, text[end] == equals || text[end] == more { end += 1 }
            // Of a URL, or of a pair without blanks, which is found elsewhere.
            if text[start] == colon, text[end...].starts(with: "//".utf8) { continue }
            let isBesideBlank = start > 0 && text[start - 1].isBlank || end < text.count && text[end].isBlank
            if text[start] == equals, end == position, !isBesideBlank { continue }
            return (start, end)
        }
        return nil
    }

    private struct Name {
        /// The last word, the last two and the last three: `API key`.
        var words: [ArraySlice<UInt8>] = []
        var start: Int
        /// What the name stands in, and what it stands behind without being in it: of `-H 'Token: x'` the quote ends the value.
        var openQuote: UInt8?
    }

    private static let longestName = 64

    private static func name(endingAt end: Int, in text: [UInt8]) -> Name? {
        var before = text[..<end].suffix(longestName * 2)
        while before.last?.isBlank == true { before.removeLast() }
        guard let last = before.last else { return nil }
        let isQuoted = isQuote(last)
        if isQuoted { before.removeLast() }
        var name = Name(start: before.endIndex)
        let nameEnd = before.endIndex
        while name.words.count < 3 {
            let word = before.suffix(longestName).reversed().prefix(while: isNameByte).count
            guard word > 0 else { break }
            before = before.dropLast(word)
            name.start = before.endIndex
            name.words.append(text[name.start..<nameEnd])
            guard before.last == UInt8(ascii: " ") else { break }
            before.removeLast()
        }
        if !isQuoted, name.start > 0, isQuote(text[name.start - 1]) { name.openQuote = text[name.start - 1] }
        return name.words.isEmpty ? nil : name
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte >= 0x80 || "_-.$@[]".utf8.contains(byte)
    }

    private func isSecretName(_ words: [ArraySlice<UInt8>]) -> Bool {
        words.contains { redaction.isSensitiveMember(String(decoding: $0, as: UTF8.self), options: options) }
    }

    /// Hidden already as a member of JSON.
    private func isHidden(_ value: ArraySlice<UInt8>) -> Bool { value.elementsEqual(redaction.replacement.utf8) }

    /// A value in quotes, and what follows without a delimiter; else the rest of the line, and the lines that are indented
    /// below it.
    private static func value(from start: Int, of name: Name, in text: [UInt8]) -> Range<Int> {
        let begin = text[start...].drop(while: \.isBlank).startIndex
        guard begin < text.count else { return begin..<begin }
        if isQuote(text[begin]) {
            let quotesEnd = endOfQuotes(text[begin...])
            let end = text[quotesEnd...].prefix { !delimitersOfQuoted.contains($0) }.endIndex
            // The quotes stay, if there is nothing else.
            let isWhole = end == quotesEnd && end - begin >= 2 && text[end - 1] == text[begin]
            return isWhole ? (begin + 1)..<(end - 1) : begin..<end
        }
        let line = text[begin...].prefix { !$0.isLineEnd && $0 != name.openQuote }
        if let scheme = schemeLength(line, behind: name.words), scheme < line.count {
            return (begin + scheme)..<line.endIndex
        }
        let isBlock = line.isEmpty || line.first == UInt8(ascii: "|") || line.first == UInt8(ascii: ">")
        return begin..<(isBlock ? endOfBlock(from: line.endIndex, below: name.start, in: text) : line.endIndex)
    }

    private static let delimitersOfQuoted = PercentEncoding.Allowed(",;}])> \t\r\n&")

    /// The scheme of credentials is no secret: `Bearer ` and the like behind `Authorization`.
    private static func schemeLength(_ value: ArraySlice<UInt8>, behind words: [ArraySlice<UInt8>]) -> Int? {
        guard let name = words.first, name.count >= 13,
            String(decoding: name, as: UTF8.self).asciiLowercased.hasSuffix("authorization")
        else { return nil }
        let scheme = value.prefix(while: \.isTokenCharacter)
        let blanks = value[scheme.endIndex...].prefix(while: \.isBlank)
        return scheme.isEmpty || blanks.isEmpty ? nil : scheme.count + blanks.count
    }

    /// Where the lines end that belong to the line of a name: those that are indented more, and list items that are
    /// indented as much.
    private static func endOfBlock(from lineEnd: Int, below name: Int, in text: [UInt8]) -> Int {
        let indent = indentation(of: name, in: text)
        var end = lineEnd
        while end < text.count {
            let line = text[end...].drop(while: \.isLineEnd)
            let content = line.drop(while: \.isBlank)
            let depth = content.startIndex - line.startIndex
            guard !content.isEmpty, depth > indent || (depth == indent && content.first == UInt8(ascii: "-")) else {
                break
            }
            end = content.prefix { !$0.isLineEnd }.endIndex
        }
        return end
    }

    private static func indentation(of position: Int, in text: [UInt8]) -> Int {
        let line = text[..<position].suffix(longestIndentation)
        let start = line.lastIndex(where: \.isLineEnd).map { $0 + 1 } ?? line.startIndex
        return text[start..<position].prefix(while: \.isBlank).count
    }

    private static let longestIndentation = 256
}

extension UInt8 {
    fileprivate var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
