// SPDX-License-Identifier: Apache-2.0

/// Splits a command line into words as a POSIX shell does, with `$'…'` of bash, which browsers write. Nothing is expanded and
/// nothing is run: a variable, a command in it, a pipe and a redirection are errors that name them.
package struct ShellWords {
    private var rest: Substring
    private var words: [String] = []
    private var word: String?

    package static func split(_ text: String) throws -> [String] {
        var splitter = ShellWords(rest: text[...])
        try splitter.run()
        return splitter.words
    }

    private init(rest: Substring) { self.rest = rest }

    private mutating func run() throws {
        while let character = rest.popFirst() {
            switch character {
            case " ", "\t", "\n", "\r\n", "\r": endWord()
            case "'": try singleQuoted()
            case "\"": try doubleQuoted()
            case "\\":
                guard let next = rest.popFirst() else { throw UsageError("the command ends with a backslash") }
                // A newline after it is none.
                if next != "\n", next != "\r\n" { append(next) }
            case "$": try dollar()
            case "`": throw UsageError("the command has another in it (`…`), which is not run")
            case "#" where word == nil:
                while let next = rest.first, !next.isNewline { _ = next; rest.removeFirst() }
            case "|", ";", "&", "<", ">", "(", ")":
                throw UsageError("the command has a `\(character)` for the shell: quote it if it belongs to a word")
            default: append(character)
            }
        }
        endWord()
    }

    private mutating func append(_ character: Character) { word = (word ?? "") + String(character) }

    private mutating func endWord() {
        if let word { words.append(word) }
        word = nil
    }

    private mutating func singleQuoted() throws {
        word = word ?? ""
        while let character = rest.popFirst() {
            if character == "'" { return }
            append(character)
        }
        throw UsageError("the command has a `'` without its end")
    }

    private mutating func doubleQuoted() throws {
        word = word ?? ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return
            case "\\":
                guard let next = rest.popFirst() else { break }
                if next == "\n" || next == "\r\n" { continue }
                if !"$`\"\\".contains(next) { append("\\") }
                append(next)
            case "$" where rest.first.map(Self.beginsVariable) == true: try dollar()
            case "`": throw UsageError("the command has another in it (`…`), which is not run")
            default: append(character)
            }
        }
        throw UsageError("the command has a `\"` without its end")
    }

    private static func beginsVariable(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_{(*@#?$!-".contains(character)
    }

    private mutating func dollar() throws {
        guard let next = rest.first else { return append("$") }
        if next == "'" {
            rest.removeFirst()
            return try ansiQuoted()
        }
        guard Self.beginsVariable(next) else { return append("$") }
        let name = rest.drop { "{(".contains($0) }.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        throw UsageError(
            "`$\(name)` is for the shell, and is not expanded here: put the whole command into double quotes, so that yours does"
        )
    }

    /// `$'…'`
    private mutating func ansiQuoted() throws {
        word = word ?? ""
        // Escapes may be the bytes of a character.
        var bytes: [UInt8] = []
        while let character = rest.popFirst() {
            switch character {
            case "'":
                word! += String(decoding: bytes, as: UTF8.self)
                return
            case "\\":
                guard let escape = rest.popFirst() else { break }
                bytes += try escaped(escape)
            default: bytes += Array(String(character).utf8)
            }
        }
        throw UsageError("the command has a `$'` without its end")
    }

    private static let escapes: [Character: UInt8] = [
        "a": 7, "b": 8, "e": 27, "E": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, "'": 39, "\"": 34,
        "?": 63,
    ]

    private mutating func escaped(_ escape: Character) throws -> [UInt8] {
        if let byte = Self.escapes[escape] { return [byte] }
        switch escape {
        case "x": return [UInt8(truncatingIfNeeded: digits(2, radix: 16) ?? 0)]
        case "u", "U":
            guard let first = digits(escape == "u" ? 4 : 8, radix: 16) else { return Array("\\\(escape)".utf8) }
            var code = first
            // Two halves of a character beyond the first 65,536, as JavaScript has them.
            if (0xD800..<0xDC00).contains(first), rest.hasPrefix("\\u") {
                let before = rest
                rest = rest.dropFirst(2)
                if let second = digits(4, radix: 16), (0xDC00..<0xE000).contains(second) {
                    code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
                } else {
                    rest = before
                }
            }
            return Array(String(Character(Unicode.Scalar(code) ?? "\u{FFFD}")).utf8)
        case "0"..."7":
            rest = String(escape) + rest
            return [UInt8(truncatingIfNeeded: digits(3, radix: 8) ?? 0)]
        default: return Array("\\\(escape)".utf8)
        }
    }

    private mutating func digits(_ count: Int, radix: Int) -> UInt32? {
        let digits = rest.prefix(count).prefix { $0.isASCII && Int(String($0), radix: radix) != nil }
        rest = rest.dropFirst(digits.count)
        return UInt32(digits, radix: radix)
    }
}
