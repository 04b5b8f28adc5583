// SPDX-License-Identifier: Apache-2.0

/// A text that equals another when their bytes are the same. Names on the wire are told apart like this (RFC 8259 §8.3);
/// a `String` equals another that is canonically equivalent, such as é in one scalar and in two.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // As every hash of a text ends, so that no text looks like the start of another.
        hasher.combine(0xFF as UInt8)
    }
}
