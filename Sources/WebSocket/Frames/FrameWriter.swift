// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Turns messages into frames (RFC 6455 §5, RFC 7692 §7.2.1): a message that is long in several fragments, between which control frames
/// may go.
package struct FrameWriter {
    private let role: FrameRole
    private let deflater: MessageDeflater?
    private let fragmentSize: Int
    private let mask: @Sendable () -> FrameMask
    /// The message under way.
    private var message: Part?

    private struct Part {
        let opcode: FrameOpcode
        let payload: Data
        let isCompressed: Bool
        var offset = 0
        var isFirst = true
    }

    /// - Parameters:
    ///   - deflater: `nil` when no compression was negotiated.
    ///   - fragmentSize: how many bytes of a message one frame takes, before compression.
    ///   - mask: a new key for each frame.
    package init(
        _ role: FrameRole, deflater: MessageDeflater? = nil, fragmentSize: Int = 256 << 10,
        mask: @escaping @Sendable () -> FrameMask = { .random() }
    ) {
        self.role = role
        self.deflater = deflater
        self.fragmentSize = max(1, fragmentSize)
        self.mask = mask
    }

    /// Whether a message has frames that are not written yet: no other may begin.
    package var isWithinMessage: Bool { message != nil }

    /// Begins a message, whose frames ``appendFragment(to:)`` writes.
    package mutating func begin(_ opcode: FrameOpcode, _ payload: Data) {
        let isCompressed = deflater.map { payload.count >= $0.minimumSize } ?? false
        message = Part(opcode: opcode, payload: payload, isCompressed: isCompressed)
    }

    /// Writes the next fragment of the message under way.
    ///
    /// - Returns: whether it was the last.
    /// - Throws: when there is no memory to compress it.
    package mutating func appendFragment(to output: inout Data) throws -> Bool {
        guard var part = message else { return true }
        message = nil
        var isLast = false
        while !isLast {
            let end = min(part.offset + fragmentSize, part.payload.count)
            isLast = end == part.payload.count
            var piece = part.payload[(part.payload.startIndex + part.offset)..<(part.payload.startIndex + end)]
            part.offset = end
            if part.isCompressed, let deflater {
                piece = try deflater.deflate(piece, isLast: isLast)
                // What the compressor keeps goes with what comes.
                if piece.isEmpty, !isLast { continue }
            }
            append(
                FrameHeader(
                    part.isFirst ? part.opcode : .continuation, length: piece.count, isFinal: isLast,
                    isCompressed: part.isFirst && part.isCompressed), piece, to: &output)
            part.isFirst = false
            break
        }
        if !isLast { message = part }
        return isLast
    }

    /// Writes a control frame: at any time, also between two fragments.
    ///
    /// - Parameter payload: at most 125 bytes.
    package func appendControl(_ opcode: FrameOpcode, _ payload: Data, to output: inout Data) {
        append(FrameHeader(opcode, length: payload.count), payload, to: &output)
    }

    private func append(_ header: FrameHeader, _ payload: Data, to output: inout Data) {
        var header = header
        if role == .client { header.mask = mask() }
        header.append(to: &output)
        let start = output.count
        output.append(payload)
        guard let mask = header.mask else { return }
        output.withUnsafeMutableBytes { mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }
}
