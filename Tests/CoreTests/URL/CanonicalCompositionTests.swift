// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import StrataCore

struct CanonicalCompositionTests {
    /// Of the classes 1, 202, 216, 220, 230 and 232, and two of one class, whose order is kept.
    private static let marks = "\u{338}\u{327}\u{31b}\u{323}\u{307}\u{301}\u{315}".unicodeScalars.map { $0 }

    private static func orders(_ marks: [Unicode.Scalar]) -> [[Unicode.Scalar]] {
        guard !marks.isEmpty else { return [[]] }
        return marks.indices.flatMap { index in
            var rest = marks
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }

    /// As Foundation composes them.
    @Test(arguments: ["a", "c", "o", "s", "\u{f6}", "\u{1a1}", "\u{1e69}", "\u{3b1}", "\u{627}", "\u{1100}\u{1161}"])
    func marksInEachOrderAreComposed(letter: String) {
        for left in Self.marks.indices {
            for right in (left..<Self.marks.count).dropFirst() {
                for third in Self.marks.indices where third != left && third != right {
                    for marks in Self.orders([Self.marks[left], Self.marks[right], Self.marks[third]]) {
                        var text = letter
                        text.unicodeScalars.append(contentsOf: marks)
                        let composed = CanonicalComposition.composed(text[...])
                        let expected = text.precomposedStringWithCanonicalMapping
                        #expect(
                            composed.map { Array($0.unicodeScalars) } == Array(expected.unicodeScalars),
                            "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
                    }
                }
            }
        }
    }
}
