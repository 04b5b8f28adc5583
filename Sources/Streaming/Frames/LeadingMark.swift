// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes the byte order mark from the start of a body, in whatever pieces it comes: it is no part of the text.
struct LeadingMark: Sendable {
    private static let mark = Data(TextCharset.byteOrderMark)

    /// How much of it has come; `nil` once that is decided.
    private var count: Int? = 0

    /// The piece without bytes that may belong to the mark. Earlier bytes that turned out not to belong to it are put
    /// before the piece.
    mutating func removed(from piece: Data) -> Data {
        guard let held = count else { return piece }
        let more = zip(piece, Self.mark.dropFirst(held)).prefix { $0 == $1 }.count
        if held + more == Self.mark.count {
            count = nil
            return piece.dropFirst(more)
        }
        guard more < piece.count else {
            count = held + more
            return Data()
        }
        let unfinished = takeUnfinished()
        return unfinished.isEmpty ? piece : unfinished + piece
    }

    /// The start of a mark that did not go on, which is text. At the end of the body, too.
    mutating func takeUnfinished() -> Data {
        defer { count = nil }
        return Self.mark.prefix(count ?? 0)
    }
}
