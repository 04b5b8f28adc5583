// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes that wait on disk instead of in memory: first in, first out.
struct SpillFile: ~Copyable {
    private let file: TemporaryFile
    private var readOffset: Int64 = 0
    private var writeOffset: Int64 = 0

    init() throws { file = try TemporaryFile() }

    var isEmpty: Bool { readOffset == writeOffset }

    mutating func append(_ data: Data) throws {
        try file.write(data, at: writeOffset)
        writeOffset += Int64(data.count)
    }

    /// The next bytes, at most `limit`; `nil` when there are none. A file that was read to its end gives its space back.
    mutating func next(upTo limit: Int) throws -> Data? {
        guard !isEmpty else { return nil }
        let piece = try file.read(Int(min(writeOffset - readOffset, Int64(limit))), at: readOffset)
        readOffset += Int64(piece.count)
        if isEmpty {
            file.removeContents()
            readOffset = 0
            writeOffset = 0
        }
        return piece
    }
}
