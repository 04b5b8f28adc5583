// SPDX-License-Identifier: Apache-2.0

import CStrataZlib
import StrataCore

/// Decompresses messages (RFC 7692 §7.2.2), all of a connection by one window, or each by its own.
///
/// Its memory is asked for with the first compressed message.
package final class MessageInflater {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let windowBits: Int32
    private let keepsContext: Bool
    private var isOpen = false
    /// Whether the bytes so far end with a final block (RFC 7692 §7.2.3.4).
    private var isAtFinalBlock = false
    /// How many final blocks the message has had. Each costs a copy of the window.
    private var finalBlocks = 0

    private static let maximumFinalBlocks = 64
    private static let room = 16 << 10

    /// - Parameters:
    ///   - windowBits: of the peer's compressor, 8 to 15.
    ///   - keepsContext: whether a message may refer to those before.
    package init(windowBits: Int = 15, keepsContext: Bool = true) {
        // zlib reads 8 too, and 9 costs 256 bytes more; both read what was written with less.
        self.windowBits = Int32(min(max(windowBits, 9), 15))
        self.keepsContext = keepsContext
        stream.initialize(to: z_stream())
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
    }

    /// - Parameter limit: how many bytes `output` may have.
    /// - Returns: `false` when there are more.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: inout [UInt8], upTo limit: Int
    ) throws(WebSocketFailure) -> Bool {
        try open()
        var rest = input[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            rest = rest.dropFirst(part.count)
            stream.pointee.next_in = UnsafeMutablePointer(mutating: part.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(part.count)
            guard try inflateAvailable(into: &output, upTo: limit) else { return false }
        }
        return true
    }

    /// Ends the message: what its compressor has left out is put behind it (RFC 7692 §7.2.2).
    ///
    /// - Returns: as ``inflate(_:into:upTo:)``.
    func finish(_ output: inout [UInt8], upTo limit: Int) throws(WebSocketFailure) -> Bool {
        try open()
        defer { finalBlocks = 0 }
        if !isAtFinalBlock {
            let tail: [UInt8] = [0, 0, 0xff, 0xff]
            let size = output.count
            var result: Result<Bool, WebSocketFailure> = .success(true)
            tail.withUnsafeBytes { tail in
                result = Result { () throws(WebSocketFailure) in try inflate(tail, into: &output, upTo: limit) }
            }
            guard try result.get() else { return false }
            // An empty block, then between two blocks, at the boundary of a byte: otherwise the tail was taken for something else.
            guard output.count == size, stream.pointee.data_type & 128 != 0, stream.pointee.data_type & 63 == 0 else {
                throw .notDeflate("a compressed message is cut off (RFC 7692 §7.2.2)")
            }
        }
        isAtFinalBlock = false
        if !keepsContext { inflateReset(stream) }
        return true
    }

    private func open() throws(WebSocketFailure) {
        if isOpen { return }
        guard strata_inflate_init(stream, -windowBits) == Z_OK else {
            throw WebSocketFailure(
                status: .internalError, code: .internalFailure, message: "there is no memory to decompress a message")
        }
        isOpen = true
    }

    private func inflateAvailable(into output: inout [UInt8], upTo limit: Int) throws(WebSocketFailure) -> Bool {
        var result: Result<Bool, WebSocketFailure> = .success(true)
        withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 1) { room in
            result = Result { () throws(WebSocketFailure) in
                repeat {
                    stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
                    stream.pointee.avail_out = UInt32(room.count)
                    let code = CStrataZlib.inflate(stream, Z_SYNC_FLUSH)
                    let produced = room.count - Int(stream.pointee.avail_out)
                    // What there is before a failure counts, so that the failure does not hang on how the bytes were cut.
                    let taken = min(produced, limit - output.count)
                    output.append(contentsOf: room[..<taken])
                    if taken < produced { return false }
                    switch code {
                    case Z_OK: isAtFinalBlock = false
                    case Z_STREAM_END: try goOn(room)
                    // Nothing more can come of what is there.
                    case Z_BUF_ERROR: return true
                    default: throw .notDeflate("a message is not compressed as it says (RFC 7692 §7.2.2)")
                    }
                } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
                return true
            }
        }
        return try result.get()
    }

    /// Goes on behind a final block, with the window as it is.
    private func goOn(_ room: UnsafeMutableRawBufferPointer) throws(WebSocketFailure) {
        finalBlocks += 1
        guard finalBlocks <= Self.maximumFinalBlocks else {
            throw .notDeflate("a compressed message has more than \(Self.maximumFinalBlocks) final blocks")
        }
        let (input, count) = (stream.pointee.next_in, stream.pointee.avail_in)
        let isReady = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32 << 10) { window in
            var size: UInt32 = 0
            return inflateGetDictionary(stream, window.baseAddress, &size) == Z_OK && inflateReset(stream) == Z_OK
                && (size == 0 || inflateSetDictionary(stream, window.baseAddress, size) == Z_OK)
        }
        guard isReady else { throw .notDeflate("a message is not compressed as it says (RFC 7692 §7.2.2)") }
        (stream.pointee.next_in, stream.pointee.avail_in) = (input, count)
        // So that the loop does not take room that was never offered for full.
        stream.pointee.avail_out = max(stream.pointee.avail_out, 1)
        isAtFinalBlock = true
    }
}
