// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A piece of memory that a body is gathered in. It goes back to its pool when the last `Data` over it is dropped.
///
/// Without a pool each large body would be mapped in, faulted and unmapped anew, which costs three times as much.
package struct Segment: @unchecked Sendable {
    // Unchecked because of the pointer; a segment has one owner at a time, first the loop, then the `Data` made of it.
    package let memory: UnsafeMutableRawPointer
    package var count = 0

    package static let capacity = 128 * 1024
    package var space: Int { Self.capacity - count }

    /// What is still free.
    package var room: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: memory + count, count: space)
    }

    /// Takes as much of `bytes` as there is room for, and says how much that was.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let taken = min(space, bytes.count)
        guard taken > 0, let source = bytes.baseAddress else { return 0 }
        (memory + count).copyMemory(from: source, byteCount: taken)
        count += taken
        return taken
    }
}

/// Segments that nobody uses, kept for the next body.
package final class SegmentPool: Sendable {
    private let free = Mutex<[Segment]>([])
    private let limit: Int

    /// - Parameter limit: how many unused segments are kept.
    package init(limit: Int) { self.limit = limit }

    deinit {
        free.withLock { free in
            for segment in free { segment.memory.deallocate() }
        }
    }

    package func take() -> Segment {
        free.withLock { $0.popLast() } ?? Segment(memory: .allocate(byteCount: Segment.capacity, alignment: 64))
    }

    package func giveBack(_ segment: Segment) {
        let isKept = free.withLock { free in
            guard free.count < limit else { return false }
            free.append(Segment(memory: segment.memory))
            return true
        }
        if !isKept { segment.memory.deallocate() }
    }

    /// The segment's bytes. When a large segment holds few bytes, they are copied, so that a reader who keeps all
    /// pieces does not keep large segments with them.
    package func data(_ segment: Segment) -> Data {
        guard segment.count > 16 * 1024 else {
            let data = Data(bytes: segment.memory, count: segment.count)
            giveBack(segment)
            return data
        }
        return Data(
            bytesNoCopy: segment.memory, count: segment.count,
            deallocator: .custom { _, _ in self.giveBack(segment) })
    }
}
