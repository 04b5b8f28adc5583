// SPDX-License-Identifier: Apache-2.0

/// The beginning of a line whose end has not come yet.
///
/// A line that comes in one piece, as nearly all do, does not get here.
struct LineBuffer: ~Copyable {
    private var buffer = ByteBuffer(capacity: 64)
    /// Whether the line was handed out and is kept for its reader alone.
    private var isTaken = false

    var isEmpty: Bool { count == 0 }
    var count: Int { isTaken ? 0 : buffer.count }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        if isTaken { removeAll() }
        buffer.append(piece)
    }

    /// - Returns: the whole line. It is there until something is appended or removed.
    mutating func complete(with piece: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        buffer.append(piece)
        isTaken = true
        return buffer.bytes
    }

    mutating func removeAll() {
        isTaken = false
        // Longer lines are rare, and connections many.
        buffer.removeAll(keeping: 1024)
    }

    /// Whether what there is goes on from `text`, or may become it.
    func begins(like text: StaticString) -> Bool {
        zip(buffer.bytes, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
            .allSatisfy { $0 == $1 }
    }
}
