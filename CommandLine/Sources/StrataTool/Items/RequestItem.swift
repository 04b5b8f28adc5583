// SPDX-License-Identifier: Apache-2.0

/// One part of a request as it is written on the command line, in the grammar of HTTPie: `name=value`, `name==value`,
/// `name:=json`, `Header:value`, `name@file`, and `=@`, `:=@`, `==@`, `:@`, which take the value from a file.
///
/// The first separator in the text counts, and of several that begin there the longest. A backslash before `:`, `=`, `@` and `;`
/// takes their meaning from them.
package struct RequestItem: Hashable {
    package enum Kind: Hashable {
        /// `Name:value`; without a value the field is left out.
        case field
        /// `Name;`
        case emptyField
        /// `name==value`
        case query
        /// `name=value`
        case text
        /// `name:=json`
        case json
        /// `name@path`
        case file
    }

    package let kind: Kind
    package let name: String
    package let value: String
    /// The value is the path of the file that has it.
    package let isFromFile: Bool

    package init(_ kind: Kind, _ name: String, _ value: String, isFromFile: Bool = false) {
        self.kind = kind
        self.name = name
        self.value = value
        self.isFromFile = isFromFile
    }

    private static let separators: [(text: String, kind: Kind, isFromFile: Bool)] = [
        ("==@", .query, true), (":=@", .json, true), ("==", .query, false), (":=", .json, false), ("=@", .text, true),
        (":@", .field, true), ("=", .text, false), (":", .field, false), ("@", .file, false),
    ]

    private static let special: Set<Character> = [":", "=", "@", ";"]

    /// - Parameter place: which item it is, for the message; the text itself may hold a secret.
    package init(_ text: String, place: Int = 1) throws {
        let characters = Self.unescaped(text)
        for index in characters.indices where !characters[index].isEscaped {
            let rest = characters[index...]
            for separator in Self.separators where Self.rest(rest, beginsWith: separator.text) {
                let name = String(characters[..<index].map(\.character))
                let value = String(rest.dropFirst(separator.text.count).map(\.character))
                guard !name.isEmpty || separator.kind == .file else {
                    throw UsageError("item \(place) has no name before `\(separator.text)`")
                }
                self.init(separator.kind, name, value, isFromFile: separator.isFromFile)
                return
            }
        }
        if characters.count > 1, let last = characters.last, last.character == ";", !last.isEscaped {
            self.init(.emptyField, String(characters.dropLast().map(\.character)), "")
            return
        }
        throw UsageError(
            "item \(place) is none: it has no separator (`:` for a header field, `==` for the query, `=` and `:=` for data, `@` for a file)"
        )
    }

    private typealias Piece = (character: Character, isEscaped: Bool)

    private static func unescaped(_ text: String) -> [Piece] {
        var pieces: [Piece] = []
        var characters = text.makeIterator()
        while let character = characters.next() {
            guard character == "\\" else {
                pieces.append((character, false))
                continue
            }
            guard let next = characters.next() else {
                pieces.append((character, true))
                break
            }
            if !special.contains(next) { pieces.append((character, true)) }
            pieces.append((next, true))
        }
        return pieces
    }

    private static func rest(_ rest: ArraySlice<Piece>, beginsWith text: String) -> Bool {
        guard rest.count >= text.count else { return false }
        return zip(rest, text).allSatisfy { !$0.isEscaped && $0.character == $1 }
    }
}
