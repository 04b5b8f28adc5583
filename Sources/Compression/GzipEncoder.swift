// SPDX-License-Identifier: Apache-2.0

import CStrataZlib
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Compresses bytes piece by piece.
final class GzipEncoder {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    enum Flush {
        /// Output comes when there is enough of it.
        case none
        /// What was put in comes out.
        case piece
        /// There is no more input.
        case end

        fileprivate var code: Int32 {
            switch self {
            case .none: Z_NO_FLUSH
            case .piece: Z_SYNC_FLUSH
            case .end: Z_FINISH
            }
        }
    }

    init(level: Int32) throws {
        stream.initialize(to: z_stream())
        guard strata_gzip_init(stream, level) == Z_OK else {
            throw NetworkClientError(.uploadFailed, "there is no memory to compress the request's body")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The whole of `data` as one member.
    static func compress(_ data: Data, level: Int32) throws -> Data {
        try GzipEncoder(level: level).encode(data, .end)
    }

    /// - Returns: what comes out, perhaps nothing.
    func encode(_ piece: Data, _ flush: Flush) throws -> Data {
        var output = Data()
        try piece.withUnsafeBytes { bytes in
            var rest = bytes[...]
            repeat {
                let part = rest.prefix(Self.step)
                rest = rest.dropFirst(Self.step)
                try encode(UnsafeRawBufferPointer(rebasing: part), rest.isEmpty ? flush : .none, into: &output)
            } while !rest.isEmpty
        }
        return output
    }

    /// zlib counts by 32 bits.
    private static let step = 1 << 30
    private static let room = 32 * 1024

    private func encode(_ input: UnsafeRawBufferPointer, _ flush: Flush, into output: inout Data) throws {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        try withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 1) { room in
            repeat {
                stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                guard deflate(stream, flush.code) != Z_STREAM_ERROR else {
                    throw NetworkClientError(.uploadFailed, "the request's body could not be compressed")
                }
                output.append(contentsOf: room[..<(room.count - Int(stream.pointee.avail_out))])
                // When the room is full, there may be more.
            } while stream.pointee.avail_out == 0
        }
    }
}
