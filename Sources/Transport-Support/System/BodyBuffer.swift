// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The bytes of a body between a loop and the reader, gathered into pieces that are large enough to wake the reader
/// for.
package struct BodyBuffer {
    private let pool: SegmentPool
    /// The whole body, when it is small and came at once, as most bodies do.
    private var whole: Data?
    private var full: [Segment] = []
    private var tail: Segment?
    package private(set) var count = 0

    private static let smallBody = 16 * 1024

    package init(pool: SegmentPool) { self.pool = pool }

    package var isEmpty: Bool { count == 0 }
    /// Whether all of it is one piece, or nothing.
    package var isOnePiece: Bool { full.isEmpty || (full.count == 1 && tail == nil) }

    /// - Parameter expected: the body's length, when it is announced.
    package mutating func append(_ bytes: UnsafeRawBufferPointer, expected: Int64?) {
        if count == 0, bytes.count <= Self.smallBody, expected == Int64(bytes.count), let start = bytes.baseAddress {
            whole = Data(bytes: start, count: bytes.count)
            count = bytes.count
            return
        }
        var rest = bytes
        while !rest.isEmpty {
            var segment = tail ?? pool.take()
            let taken = segment.append(rest)
            count += taken
            rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
            if segment.space == 0 {
                full.append(segment)
                tail = nil
            } else {
                tail = segment
            }
        }
    }

    /// Has `read` put bytes behind the others.
    ///
    /// - Returns: what became of that, and how many bytes there was room for.
    package mutating func fill<Result>(
        atMost limit: Int, _ read: (UnsafeMutableRawBufferPointer) -> Result, count: (Result) -> Int
    ) -> (Result, room: Int) {
        var segment = tail ?? pool.take()
        let room = UnsafeMutableRawBufferPointer(rebasing: segment.room[..<min(limit, segment.space)])
        let result = read(room)
        let added = count(result)
        segment.count += added
        self.count += added
        if segment.count == 0 {
            pool.giveBack(segment)
            tail = nil
        } else if segment.space == 0 {
            full.append(segment)
            tail = nil
        } else {
            tail = segment
        }
        return (result, room.count)
    }

    /// The oldest piece.
    package mutating func popFirst() -> Data? {
        guard count > 0 else { return nil }
        let piece: Data
        if let data = whole {
            whole = nil
            piece = data
        } else if !full.isEmpty {
            piece = pool.data(full.removeFirst())
        } else if let segment = tail {
            tail = nil
            piece = pool.data(segment)
        } else {
            return nil
        }
        count -= piece.count
        return piece
    }

    package mutating func removeAll() {
        for segment in full { pool.giveBack(segment) }
        if let tail { pool.giveBack(tail) }
        (full, tail, whole, count) = ([], nil, nil, 0)
    }
}
