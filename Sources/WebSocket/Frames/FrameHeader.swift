// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What stands before a frame's payload (RFC 6455 §5.2).
package struct FrameHeader: Equatable, Sendable {
    /// Whether the frame is the last of its message.
    package var isFinal: Bool
    /// RSV1, the mark of permessage-deflate (RFC 7692 §6).
    package var isCompressed: Bool
    package var opcode: FrameOpcode
    /// As it stands on the wire; `nil` for a frame that is not masked.
    package var mask: FrameMask?
    package var length: Int

    package init(
        _ opcode: FrameOpcode, length: Int, isFinal: Bool = true, isCompressed: Bool = false, mask: FrameMask? = nil
    ) {
        self.opcode = opcode
        self.length = length
        self.isFinal = isFinal
        self.isCompressed = isCompressed
        self.mask = mask
    }

    /// The most bytes that a header has.
    static let maximumSize = 14

    /// Appends the header, its length in as few bytes as there can be.
    package func append(to output: inout Data) {
        output.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        let bit: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case ...125: output.append(bit | UInt8(length))
        case ...0xffff:
            output.append(bit | 126)
            for shift in [8, 0] { output.append(UInt8(truncatingIfNeeded: length >> shift)) }
        default:
            output.append(bit | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                output.append(UInt8(truncatingIfNeeded: length >> shift))
            }
        }
        if let mask { output.append(contentsOf: mask.bytes) }
    }

    /// The header at the beginning of the bytes, and how many it has; `nil` when more are needed.
    ///
    /// - Throws: for what no frame may be, whatever came before: as soon as the bytes that say so are there.
    static func read(
        _ bytes: UnsafeRawBufferPointer, _ role: FrameRole
    ) throws(WebSocketFailure) -> (header: FrameHeader, size: Int)? {
        guard let first = bytes.first else { return nil }
        if first & 0x30 != 0 {
            throw .violation("a frame has a reserved bit that nothing was negotiated for (RFC 6455 §5.2)")
        }
        guard let opcode = FrameOpcode(rawValue: first & 0x0f) else {
            throw .violation("a frame has the reserved opcode \(first & 0x0f) (RFC 6455 §5.2)")
        }
        let isFinal = first & 0x80 != 0
        if opcode.isControl, !isFinal { throw .violation("a control frame is fragmented (RFC 6455 §5.5)") }
        guard bytes.count > 1 else { return nil }
        let isMasked = bytes[1] & 0x80 != 0
        if isMasked != (role == .server) {
            throw .violation("a frame \(isMasked ? "of the server is" : "of the client is not") masked (RFC 6455 §5.1)")
        }
        let short = bytes[1] & 0x7f
        if opcode.isControl, short > 125 {
            throw .violation("a control frame has more than 125 bytes (RFC 6455 §5.5)")
        }
        let extra = short == 126 ? 2 : short == 127 ? 8 : 0
        let size = 2 + extra + (isMasked ? 4 : 0)
        if short == 127, bytes.count > 2, bytes[2] & 0x80 != 0 {
            throw .violation("the length of a frame has its highest bit set (RFC 6455 §5.2)")
        }
        guard bytes.count >= size else { return nil }
        var length = extra == 0 ? Int(short) : 0
        for index in 2..<(2 + extra) { length = length << 8 | Int(bytes[index]) }
        if extra > 0, length <= (extra == 2 ? 125 : 0xffff) {
            throw .violation("the length of a frame takes more bytes than it needs (RFC 6455 §5.2)")
        }
        let mask = isMasked ? FrameMask(bytes[(size - 4)..<size]) : nil
        let header = FrameHeader(
            opcode, length: length, isFinal: isFinal, isCompressed: first & 0x40 != 0, mask: mask)
        return (header, size)
    }
}
