// SPDX-License-Identifier: Apache-2.0

/// Where in a JSON body an item goes: `user[name]`, `tags[]`, `points[0][x]`, `[]` for a body that is an array.
///
/// A number between brackets is an index, `\` before it makes it a name, as before a bracket that belongs to a name.
package struct NestedKey: Hashable {
    package enum Step: Hashable {
        case member(String)
        case index(Int)
        case append
    }

    package let text: String
    package let steps: [Step]

    package init(_ text: String) throws {
        self.text = text
        var steps: [Step] = []
        var rest = Substring(text)
        let root = Self.word(from: &rest)
        if !root.text.isEmpty || rest.isEmpty { steps.append(.member(root.text)) }
        while !rest.isEmpty {
            guard rest.removeFirst() == "[" else { throw UsageError("`\(text)` has text behind a bracket") }
            let word = Self.word(from: &rest)
            guard rest.popFirst() == "]" else { throw UsageError("`\(text)` has a `[` without its `]`") }
            if word.text.isEmpty {
                steps.append(.append)
            } else if !word.isEscaped, word.text.allSatisfy({ ("0"..."9").contains($0) }) {
                guard let index = Int(word.text) else { throw UsageError("an index in `\(text)` is too large") }
                steps.append(.index(index))
            } else {
                steps.append(.member(word.text))
            }
        }
        guard steps.count <= JSONNode.deepest else { throw UsageError("`\(text.prefix(20))…` goes too deep") }
        self.steps = steps
    }

    /// The text up to the next bracket.
    private static func word(from rest: inout Substring) -> (text: String, isEscaped: Bool) {
        var word = ""
        var isEscaped = false
        while let character = rest.first, character != "[", character != "]" {
            rest.removeFirst()
            guard character == "\\", let next = rest.first, next == "[" || next == "]" || next == "\\" || next.isNumber
            else {
                word.append(character)
                continue
            }
            rest.removeFirst()
            word.append(next)
            isEscaped = true
        }
        return (word, isEscaped)
    }
}
