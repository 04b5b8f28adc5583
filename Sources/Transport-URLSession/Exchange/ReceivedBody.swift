// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What has arrived of a body and waits for its reader, in bounded memory.
///
/// Above the high-water mark the transfer is held back, or, where that is not possible, further bytes go to a temporary
/// file.
struct ReceivedBody: ~Copyable {
    /// What happens above the high-water mark.
    enum Overflow {
        /// The sender is slowed down.
        case holdsTransfer
        /// The sender cannot be slowed down: the rest waits on disk.
        case spills
    }

    /// What the transfer is to do.
    enum Flow: Equatable {
        case unchanged, hold, go
    }

    static let highWater = 256 * 1024
    private static let pieceSize = 64 * 1024
    private static let crumbSize = 4 * 1024

    private let overflow: Overflow
    private var pieces: [Data] = []
    private var firstPiece = 0
    /// How many bytes wait in memory.
    private(set) var byteCount = 0
    private var spill: SpillFile?
    private(set) var isHeld = false

    init(overflow: Overflow) { self.overflow = overflow }

    var isEmpty: Bool { byteCount == 0 && isSpillEmpty }

    private var isSpillEmpty: Bool {
        switch spill {
        case .some(let spill): spill.isEmpty
        case .none: true
        }
    }

    /// Takes what arrived.
    ///
    /// - Throws: when the temporary file cannot be written.
    mutating func append(_ data: Data) throws -> Flow {
        guard !data.isEmpty else { return .unchanged }
        switch overflow {
        case .holdsTransfer:
            appendToMemory(data)
            guard byteCount >= Self.highWater, !isHeld else { return .unchanged }
            isHeld = true
            return .hold
        case .spills:
            if isSpillEmpty, byteCount + data.count <= Self.highWater {
                appendToMemory(data)
            } else {
                if spill == nil { spill = try SpillFile() }
                try spill?.append(data)
            }
            return .unchanged
        }
    }

    /// The next piece; `nil` when nothing waits. Small pieces are handed out together.
    mutating func next() throws -> (piece: Data, flow: Flow)? {
        guard byteCount > 0 else {
            return try spill?.next(upTo: Self.pieceSize).map { ($0, .unchanged) }
        }
        var piece = popFirst()
        while firstPiece < pieces.count, piece.count + pieces[firstPiece].count <= Self.pieceSize {
            piece.append(popFirst())
        }
        if firstPiece * 2 >= pieces.count {
            pieces.removeFirst(firstPiece)
            firstPiece = 0
        }
        guard isHeld, byteCount <= Self.highWater / 2 else { return (piece, .unchanged) }
        isHeld = false
        return (piece, .go)
    }

    /// Forgets everything; nobody will read it.
    mutating func removeAll() {
        pieces = []
        firstPiece = 0
        byteCount = 0
        spill = nil
    }

    private mutating func appendToMemory(_ data: Data) {
        // Small pieces are joined, so that the number of pieces is bounded, and not only the number of bytes.
        if firstPiece < pieces.count, pieces[pieces.count - 1].count + data.count <= Self.crumbSize {
            pieces[pieces.count - 1].append(data)
        } else {
            pieces.append(data)
        }
        byteCount += data.count
    }

    private mutating func popFirst() -> Data {
        let piece = pieces[firstPiece]
        pieces[firstPiece] = Data()
        firstPiece += 1
        byteCount -= piece.count
        return piece
    }
}
