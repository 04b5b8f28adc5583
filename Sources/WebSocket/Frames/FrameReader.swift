// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads frames out of bytes, however they are cut, and puts messages together of them (RFC 6455 §5, RFC 7692 §7).
///
///     reader.push(bytes)
///     while let event = try reader.next() { … }
///
/// It holds the bytes that were pushed last and one message. What breaks a rule, or a limit, is thrown as soon as the byte is there that
/// does, and again by each later call.
package struct FrameReader {
    private let role: FrameRole
    private let limits: MessageLimits
    private let inflater: MessageInflater?

    private var input = Data()
    private var position = 0
    /// The start of a header whose rest has not come.
    private var partOfHeader: [UInt8] = []
    private var frame: Frame?
    private var message: Assembly?
    private var control: [UInt8] = []
    private var isClosed = false
    private var failure: WebSocketFailure?

    private struct Frame {
        let header: FrameHeader
        var received = 0
    }

    /// A message that is arriving.
    private struct Assembly {
        let isText: Bool
        let isCompressed: Bool
        var bytes: [UInt8] = []
        var utf8 = UTF8Check()
        var frames = 0
        /// How many bytes of payload the frames so far have, before decompression: as announced, so that no limit hangs on how the bytes
        /// were cut.
        var encoded = 0
    }

    /// - Parameter inflater: `nil` when no compression was negotiated.
    package init(_ role: FrameRole, limits: MessageLimits = MessageLimits(), inflater: MessageInflater? = nil) {
        self.role = role
        self.limits = limits
        self.inflater = inflater
    }

    /// Whether the bytes may end here: no frame, and no message, has begun.
    package var isBetweenMessages: Bool {
        frame == nil && message == nil && partOfHeader.isEmpty && position == input.count
    }

    /// Takes the next bytes. The ones before must have been read: ``next()`` has returned `nil`.
    package mutating func push(_ bytes: Data) {
        input = bytes
        position = 0
    }

    /// The next event; `nil` when it takes more bytes, and always after the peer has closed.
    package mutating func next() throws(WebSocketFailure) -> FrameEvent? {
        if let failure { throw failure }
        do {
            while !isClosed {
                if frame == nil {
                    guard let header = try readHeader() else { break }
                    try begin(header)
                }
                try takePayload()
                guard let frame, frame.received == frame.header.length else { break }
                self.frame = nil
                if let event = try end(frame.header) { return event }
            }
        } catch {
            failure = error
            throw error
        }
        // Given back, so that a socket at rest holds no bytes.
        (input, position) = (Data(), 0)
        return nil
    }

    // MARK: Headers

    private mutating func readHeader() throws(WebSocketFailure) -> FrameHeader? {
        if position == input.count { return nil }
        let (start, role, before) = (position, role, partOfHeader)
        let result = input.withUnsafeBytes { input -> Result<(header: FrameHeader, size: Int)?, WebSocketFailure> in
            let rest = input[start...]
            return Result { () throws(WebSocketFailure) in
                if before.isEmpty { return try FrameHeader.read(UnsafeRawBufferPointer(rebasing: rest), role) }
                let joined = before + rest.prefix(FrameHeader.maximumSize)
                var result: Result<(header: FrameHeader, size: Int)?, WebSocketFailure> = .success(nil)
                joined.withUnsafeBytes { bytes in
                    result = Result { () throws(WebSocketFailure) in try FrameHeader.read(bytes, role) }
                }
                return try result.get()
            }
        }
        guard let (header, size) = try result.get() else {
            partOfHeader += input.dropFirst(position)
            position = input.count
            return nil
        }
        position += size - partOfHeader.count
        partOfHeader = []
        return header
    }

    /// Checks what hangs on the frames before.
    private mutating func begin(_ header: FrameHeader) throws(WebSocketFailure) {
        if header.isCompressed, inflater == nil || header.opcode.isControl || header.opcode == .continuation {
            throw .violation("a frame is marked as compressed, and may not be (RFC 7692 §6)")
        }
        frame = Frame(header: header)
        if header.opcode.isControl {
            if message != nil { try countFrame() }
            return
        }
        if header.opcode == .continuation {
            if message == nil { throw .violation("a continuation has no message to go on (RFC 6455 §5.4)") }
        } else {
            if message != nil { throw .violation("a message begins within another (RFC 6455 §5.4)") }
            message = Assembly(isText: header.opcode == .text, isCompressed: header.isCompressed)
        }
        try countFrame()
        guard let message else { return }
        // Compressed, a message may have a few bytes more than it has decoded.
        let room = message.isCompressed ? limits.bytes / 64 + 1024 : 0
        let (most, overflows) = limits.bytes.addingReportingOverflow(room)
        if header.length > (overflows ? .max : most) - message.encoded { throw tooLarge }
        self.message?.encoded += header.length
        if !message.isCompressed { reserve(header.length) }
    }

    private mutating func countFrame() throws(WebSocketFailure) {
        message?.frames += 1
        if let frames = message?.frames, frames > limits.fragments {
            throw WebSocketFailure(
                status: .policyViolation, code: .bodyTooLarge,
                message: "a message has more than \(limits.fragments) frames")
        }
    }

    private var tooLarge: WebSocketFailure { .tooLarge("a message has more than \(limits.bytes) bytes") }

    /// The announced length is the peer's word: memory is reserved for a part of it, and the rest as it comes.
    private mutating func reserve(_ length: Int) {
        guard let count = message?.bytes.count else { return }
        message?.bytes.reserveCapacity(count + min(length, 64 << 10))
    }

    // MARK: Payload

    private mutating func takePayload() throws(WebSocketFailure) {
        guard let frame else { return }
        let count = min(frame.header.length - frame.received, input.count - position)
        if count == 0 { return }
        if let mask = frame.header.mask {
            let (start, offset) = (position, frame.received)
            input.withUnsafeMutableBytes { bytes in
                mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + count)]), at: offset)
            }
        }
        let range = position..<(position + count)
        position += count
        self.frame?.received += count
        var result: Result<Void, WebSocketFailure> = .success(())
        let input = input
        input.withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[range])
            if frame.header.opcode.isControl {
                control.append(contentsOf: part)
            } else {
                result = Result { () throws(WebSocketFailure) in try append(part) }
            }
        }
        try result.get()
    }

    private mutating func append(_ part: UnsafeRawBufferPointer) throws(WebSocketFailure) {
        // Taken out, so that its bytes are not copied.
        guard var message else { return }
        self.message = nil
        defer { self.message = message }
        let start = message.bytes.count
        guard message.isCompressed else {
            message.bytes.append(contentsOf: part)
            return try Self.checkText(&message, from: start)
        }
        var failure: WebSocketFailure?
        do { try inflate(part, into: &message) } catch { failure = error }
        try Self.checkText(&message, from: start)
        if let failure { throw failure }
    }

    private func inflate(_ part: UnsafeRawBufferPointer, into message: inout Assembly) throws(WebSocketFailure) {
        var most = max(MessageLimits.expansionFloor, message.encoded.multipliedClamping(by: limits.expansion))
        most = min(most, limits.bytes)
        guard try inflater?.inflate(part, into: &message.bytes, upTo: most) == true else {
            if most == limits.bytes { throw tooLarge }
            throw .tooLarge("a message becomes more than \(limits.expansion) times as large by decompression")
        }
    }

    private static func checkText(_ message: inout Assembly, from start: Int) throws(WebSocketFailure) {
        guard message.isText else { return }
        var check = message.utf8
        let isValid = message.bytes.withUnsafeBytes { check.accepts(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        message.utf8 = check
        if !isValid { throw .notUTF8 }
    }

    // MARK: Ends

    private mutating func end(_ header: FrameHeader) throws(WebSocketFailure) -> FrameEvent? {
        if header.opcode.isControl {
            let payload = control
            control = []
            switch header.opcode {
            case .ping: return .ping(Data(payload))
            case .pong: return .pong(Data(payload))
            default:
                isClosed = true
                return .close(try WebSocket.Closure(payload: payload))
            }
        }
        guard header.isFinal, var message else { return nil }
        self.message = nil
        if message.isCompressed {
            let start = message.bytes.count
            let isWhole = try inflater?.finish(&message.bytes, upTo: limits.bytes)
            try Self.checkText(&message, from: start)
            if isWhole != true { throw tooLarge }
        }
        guard message.isText else { return .message(.data(Data(message.bytes))) }
        guard message.utf8.isComplete else { throw .notUTF8 }
        return .message(.text(String(decoding: message.bytes, as: UTF8.self)))
    }
}

extension Int {
    fileprivate func multipliedClamping(by factor: Int) -> Int {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? .max : product
    }
}
