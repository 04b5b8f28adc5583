// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// A place inside a JSON text: `data.list`, `items.0.name`, `items[0].name`.
///
/// Steps are separated by dots. A step of digits is an index where the value is an array, and a key where it is an
/// object; `[0]` behind a step is always an index. A backslash takes the next character literally: `hosts.example\.com`.
/// Every text is a key path: what does not form an index in brackets belongs to the key. The empty text is the whole.
public struct JSONKeyPath: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// A key, or an index when it is made of digits and meets an array.
        case name(String)
        case index(Int)

        /// The index of the element that the step means. For a negative or too large number it is one that no array
        /// has.
        var index: Int? {
            switch self {
            case .index(let index): return index
            case .name(let name):
                let digits = name.utf8.first == UInt8(ascii: "-") ? name.utf8.dropFirst() : name.utf8[...]
                guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
                return digits.count == name.utf8.count ? Int(name) ?? .max : .max
            }
        }
    }

    package let steps: [Step]

    /// - Parameter text: the notation above.
    public init(_ text: String) {
        steps = text.isEmpty ? [] : Self.parse(text)
    }

    /// Keys taken literally: no character in them has a meaning.
    public init(keys: [String]) {
        steps = keys.map { .name($0) }
    }

    package init(steps: [Step]) { self.steps = steps }
}

extension JSONKeyPath: ExpressibleByStringInterpolation {
    /// What is interpolated is notation, too; for keys that may hold dots or brackets there is ``init(keys:)``.
    @_documentation(visibility: internal)
    public init(stringLiteral value: String) { self.init(value) }
}

extension JSONKeyPath: CustomStringConvertible {
    /// The notation that gives this path again. An empty key at its beginning has one only when another key follows.
    public var description: String {
        var text = ""
        for (offset, step) in steps.enumerated() {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .name(let name):
                if offset > 0 { text += "." }
                for scalar in name.unicodeScalars {
                    if ".[]\\".unicodeScalars.contains(scalar) { text += "\\" }
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }
}

extension JSONKeyPath {
    private struct Character {
        var scalar: Unicode.Scalar
        var isLiteral: Bool
    }

    private static func parse(_ text: String) -> [Step] {
        var steps: [Step] = []
        var segment: [Character] = []
        var escaped = false
        for scalar in text.unicodeScalars {
            if escaped || (scalar != "." && scalar != "\\") {
                segment.append(Character(scalar: scalar, isLiteral: escaped))
                escaped = false
            } else if scalar == "\\" {
                escaped = true
            } else {
                appendSteps(of: segment, to: &steps)
                segment = []
            }
        }
        if escaped { segment.append(Character(scalar: "\\", isLiteral: true)) }
        appendSteps(of: segment, to: &steps)
        return steps
    }

    /// What stands between two dots: a key, then indices in brackets. `[0].a` begins with an index.
    private static func appendSteps(of segment: [Character], to steps: inout [Step]) {
        var key = segment[...]
        var indices: [Int] = []
        while let index = takeIndex(from: &key) { indices.append(index) }
        if !(key.isEmpty && !indices.isEmpty && steps.isEmpty) {
            var name = String.UnicodeScalarView()
            name.append(contentsOf: key.lazy.map(\.scalar))
            steps.append(.name(String(name)))
        }
        steps += indices.reversed().map { .index($0) }
    }

    /// Removes `[digits]` from the end.
    private static func takeIndex(from key: inout ArraySlice<Character>) -> Int? {
        guard let close = key.last, close.scalar == "]", !close.isLiteral,
            let open = key.lastIndex(where: { $0.scalar == "[" }), !key[open].isLiteral
        else { return nil }
        let digits = key[(open + 1)..<(key.endIndex - 1)]
        guard digits.allSatisfy({ ("0"..."9").contains($0.scalar) && !$0.isLiteral }),
            let index = Int(String(String.UnicodeScalarView(digits.map(\.scalar))))
        else { return nil }
        key = key[..<open]
        return index
    }
}
