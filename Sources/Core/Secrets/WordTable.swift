// SPDX-License-Identifier: Apache-2.0

/// Words of small letters, found by their first: for names that are looked up often and are seldom there.
struct WordTable: ExpressibleByArrayLiteral {
    private var words: [[[UInt8]]] = Array(repeating: [], count: 26)

    init(arrayLiteral elements: String...) {
        for element in elements {
            let bytes = Array(element.utf8)
            words[Int(bytes[0] - UInt8(ascii: "a"))].append(bytes)
        }
    }

    /// Whether a text, whatever the case of its letters, is one of the words.
    func contains(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        candidates(for: text).contains { $0.count == text.count && Self.starts(text, with: $0) }
    }

    /// Whether a text begins with one of the words.
    func containsStart(of text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        candidates(for: text).contains { $0.count <= text.count && Self.starts(text, with: $0) }
    }

    private func candidates(for text: Slice<UnsafeBufferPointer<UInt8>>) -> [[UInt8]] {
        guard let first = text.first, first.isLetter else { return [] }
        return words[Int(first | 0x20) - Int(UInt8(ascii: "a"))]
    }

    private static func starts(_ text: Slice<UnsafeBufferPointer<UInt8>>, with word: [UInt8]) -> Bool {
        for (index, letter) in word.enumerated() {
            let byte = text[text.startIndex + index]
            guard byte == letter || byte.isLetter && byte | 0x20 == letter else { return false }
        }
        return true
    }
}
