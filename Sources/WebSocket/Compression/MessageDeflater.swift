// SPDX-License-Identifier: Apache-2.0

import CStrataZlib
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Compresses messages (RFC 7692 §7.2.1), all of a connection by one window, or each by its own.
///
/// Its memory is asked for with the first message.
package final class MessageDeflater {
    /// Messages of fewer bytes are sent as they are.
    let minimumSize: Int
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let windowBits: Int32
    private let level: Int32
    private let keepsContext: Bool
    private var isOpen = false

    private static let room = 16 << 10

    /// - Parameter windowBits: 8 to 15.
    package init(windowBits: Int = 15, keepsContext: Bool = true, level: Int = 6, minimumSize: Int = 0) {
        // zlib has no raw deflate of 8 bits. With 9 it refers to at most 250 bytes back, which a window of 8 bits holds.
        self.windowBits = Int32(min(max(windowBits, 9), 15))
        self.keepsContext = keepsContext
        self.level = Int32(min(max(level, 1), 9))
        // zlib writes nothing for a message of no bytes.
        self.minimumSize = max(1, minimumSize)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { deflateEnd(stream) }
        stream.deallocate()
    }

    /// - Parameter isLast: whether the message ends with these bytes.
    /// - Returns: what comes out, perhaps nothing.
    func deflate(_ piece: Data, isLast: Bool) throws -> Data {
        if !isOpen {
            guard strata_raw_deflate_init(stream, level, windowBits) == Z_OK else {
                throw NetworkClientError(.internalFailure, "there is no memory to compress a message")
            }
            isOpen = true
        }
        var output = Data()
        piece.withUnsafeBytes { bytes in
            var rest = bytes[...]
            repeat {
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
                rest = rest.dropFirst(part.count)
                stream.pointee.next_in = UnsafeMutablePointer(mutating: part.bindMemory(to: UInt8.self).baseAddress)
                stream.pointee.avail_in = UInt32(part.count)
                deflateAvailable(rest.isEmpty && isLast ? Z_SYNC_FLUSH : Z_NO_FLUSH, into: &output)
            } while !rest.isEmpty
        }
        guard isLast else { return output }
        // An empty block without compression, which the receiver puts there again.
        output.removeLast(min(4, output.count))
        if !keepsContext { deflateReset(stream) }
        return output
    }

    private func deflateAvailable(_ flush: Int32, into output: inout Data) {
        withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 1) { room in
            repeat {
                stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                // Z_BUF_ERROR, when nothing was left to do, is none.
                _ = CStrataZlib.deflate(stream, flush)
                output.append(contentsOf: room[..<(room.count - Int(stream.pointee.avail_out))])
                // When the room is full, there may be more.
            } while stream.pointee.avail_out == 0
        }
    }
}
