// SPDX-License-Identifier: Apache-2.0

import CStrataZlib

/// gzip (RFC 1952), also of several members, and deflate (RFC 1950), also without the zlib header that many servers leave out.
final class InflateDecoder: ContentDecoder {
    enum Format {
        case gzip, deflate
    }

    private enum Phase {
        /// deflate: the first bytes tell whether there is a zlib header.
        case undecided([UInt8])
        case inflating
        /// gzip: one member is whole, another may follow.
        case betweenMembers
        /// What follows is no part of the body.
        case done
    }

    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let format: Format
    private var phase: Phase
    private var isOpen = false

    init(_ format: Format) throws {
        self.format = format
        phase = format == .gzip ? .inflating : .undecided([])
        stream.initialize(to: z_stream())
        if format == .gzip { try open(windowBits: 15 + 16) }
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
    }

    var isComplete: Bool {
        switch phase {
        case .betweenMembers, .done: true
        case .undecided, .inflating: false
        }
    }

    func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws
        -> (consumed: Int, produced: Int)
    {
        switch phase {
        case .undecided(let start):
            return try decide(start, input, output)
        case .inflating:
            return try inflateMore(input, output)
        case .betweenMembers:
            // Like gzip(1), ignore bytes after a member that do not begin another one.
            guard input.first == 0x1f, inflateReset(stream) == Z_OK else {
                phase = .done
                return (input.count, 0)
            }
            phase = .inflating
            return try inflateMore(input, output)
        case .done:
            return (input.count, 0)
        }
    }

    private func decide(
        _ start: [UInt8], _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
    ) throws -> (consumed: Int, produced: Int) {
        let taken = min(input.count, 2 - start.count)
        let start = start + Array(input[..<taken])
        guard start.count == 2 else {
            phase = .undecided(start)
            return (taken, 0)
        }
        // RFC 1950 §2.2: method 8, and a check of both bytes.
        let hasHeader = start[0] & 0x0f == 8 && (Int(start[0]) << 8 | Int(start[1])) % 31 == 0
        try open(windowBits: hasHeader ? 15 : -15)
        phase = .inflating
        let (_, produced) = try start.withUnsafeBytes { try inflateMore($0, output) }
        return (taken, produced)
    }

    private func inflateMore(_ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer) throws
        -> (consumed: Int, produced: Int)
    {
        let (available, room) = (min(input.count, Int(Int32.max)), min(output.count, Int(Int32.max)))
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(available)
        stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.avail_out = UInt32(room)
        let result = inflate(stream, Z_NO_FLUSH)
        switch result {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: phase = format == .gzip ? .betweenMembers : .done
        default: throw DecodingFailure()
        }
        return (available - Int(stream.pointee.avail_in), room - Int(stream.pointee.avail_out))
    }

    private func open(windowBits: Int32) throws {
        guard strata_inflate_init(stream, windowBits) == Z_OK else { throw DecodingFailure() }
        isOpen = true
    }
}
