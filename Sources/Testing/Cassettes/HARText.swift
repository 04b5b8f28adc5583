// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The text of a HAR file. Entries keep the places of their values in it, and read them when they are asked for: most of a
/// large file is never looked at.
final class HARText: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What stands between the quotes at `range`, with its escapes resolved. Half of a surrogate pair, which browsers
    /// write, is U+FFFD.
    func string(_ range: Range<Int>) -> String { String(decoding: content(range), as: UTF8.self) }

    func isEqual(_ range: Range<Int>, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in range.count == text.count && bytes[range].elementsEqual(text) }
    }

    /// The same as bytes.
    func content(_ range: Range<Int>) -> ArraySlice<UInt8> { JSONEscapes.resolved(bytes[range]) }
}
