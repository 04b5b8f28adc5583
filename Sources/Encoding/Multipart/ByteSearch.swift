// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Looks for a text in bytes that come in pieces, in linear time (Knuth, Morris, Pratt).
struct ByteSearch {
    private let pattern: [UInt8]
    /// For each length of a match: the length of the longest shorter one with which it ends.
    private let fallback: [Int]
    private var matched = 0

    /// - Parameter text: not empty.
    init(for text: String) {
        pattern = Array(text.utf8)
        var fallback = [0, 0]
        var length = 0
        for byte in pattern.dropFirst() {
            while length > 0, pattern[length] != byte { length = fallback[length] }
            if pattern[length] == byte { length += 1 }
            fallback.append(length)
        }
        self.fallback = fallback
    }

    /// Whether the text ends within this piece, or has ended in one before.
    mutating func finds(in piece: Data) -> Bool {
        if matched == pattern.count { return true }
        for byte in piece {
            while matched > 0, pattern[matched] != byte { matched = fallback[matched] }
            if pattern[matched] == byte { matched += 1 }
            if matched == pattern.count { return true }
        }
        return false
    }
}
