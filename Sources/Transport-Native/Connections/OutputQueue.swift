// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What waits until the socket takes it, in order.
struct OutputQueue {
    private enum Piece {
        case bytes(Data)
        case file(FileBodySource)

        var count: Int {
            switch self {
            case .bytes(let data): data.count
            case .file(let file): Int(file.length)
            }
        }
    }

    /// The oldest of what waits.
    enum First {
        case bytes(UnsafeRawBufferPointer)
        /// What is left of a file, which knows how much that is.
        case file(FileBodySource)
    }

    private var pieces: [Piece] = []
    /// The first piece, and how much of it has gone.
    private var first = 0
    private var offset = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ piece: Data) { append(.bytes(piece)) }

    /// A file that goes out without being read into memory.
    mutating func append(_ file: FileBodySource) { append(.file(file)) }

    private mutating func append(_ piece: Piece) {
        guard piece.count > 0 else { return }
        pieces.append(piece)
        count += piece.count
    }

    mutating func removeAll() {
        (pieces, first, offset, count) = ([], 0, 0, 0)
    }

    /// Hands the oldest to `send`, which says how many bytes of it have gone.
    mutating func withFirst(_ send: (First) -> Int) {
        guard first < pieces.count else { return }
        let gone: Int
        switch pieces[first] {
        case .bytes(let data):
            let offset = offset
            gone = data.withUnsafeBytes { send(.bytes(UnsafeRawBufferPointer(rebasing: $0[offset...]))) }
        case .file(let file): gone = send(.file(file))
        }
        count -= gone
        offset += gone
        guard offset == pieces[first].count else { return }
        // Pieces that have gone are removed in batches, so that each is moved a few times at most.
        pieces[first] = .bytes(Data())
        (first, offset) = (first + 1, 0)
        guard first * 2 >= pieces.count else { return }
        pieces.removeFirst(first)
        first = 0
    }
}
