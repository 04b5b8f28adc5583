// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataTesting

@testable import StrataWebSocket

/// Frames as a server sends them, and what a client's reader makes of them.
enum Frames {
    static func frame(
        _ opcode: FrameOpcode, _ payload: some Collection<UInt8>, isFinal: Bool = true, isCompressed: Bool = false,
        mask: FrameMask? = nil
    ) -> Data {
        var bytes = Data()
        FrameHeader(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed, mask: mask)
            .append(to: &bytes)
        var payload = Data(payload)
        payload.withUnsafeMutableBytes { mask?.apply(to: $0) }
        return bytes + payload
    }

    static func text(_ text: String, isFinal: Bool = true) -> Data { frame(.text, text.utf8, isFinal: isFinal) }

    static func more(_ text: String, isFinal: Bool = true) -> Data { frame(.continuation, text.utf8, isFinal: isFinal) }

    static func close(_ code: UInt16, _ reason: some Collection<UInt8> = []) -> Data {
        frame(.close, [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + reason)
    }

    /// Everything that the bytes say, and what is wrong with them.
    static func read(
        _ pieces: [Data], _ role: FrameRole = .client, limits: MessageLimits = MessageLimits(),
        inflater: MessageInflater? = nil
    ) -> (events: [FrameEvent], failure: WebSocketFailure?) {
        var reader = FrameReader(role, limits: limits, inflater: inflater)
        var events: [FrameEvent] = []
        do {
            for piece in pieces {
                reader.push(piece)
                while let event = try reader.next() { events.append(event) }
            }
            return (events, nil)
        } catch {
            return (events, error)
        }
    }

    /// The same, which must not hang on where the bytes are cut.
    static func readAtEverySplit(
        _ bytes: Data, _ role: FrameRole = .client, limits: MessageLimits = MessageLimits(),
        inflater: () -> MessageInflater? = { nil }
    ) -> Set<Reading> {
        let ways =
            [[bytes]] + bytes.rechunked(.oneByte) + bytes.rechunked(.everySplit) + bytes.rechunked(.random(seed: 7))
        return Set(ways.map { Reading(read($0, role, limits: limits, inflater: inflater())) })
    }

    struct Reading: Hashable {
        let events: [String]
        let failure: WebSocketFailure?

        init(_ reading: (events: [FrameEvent], failure: WebSocketFailure?)) {
            events = reading.events.map { event in
                switch event {
                case .message(.text(let text)): "text \(text)"
                case .message(.data(let data)): "data \(data.base64EncodedString())"
                case .ping(let data): "ping \(data.base64EncodedString())"
                case .pong(let data): "pong \(data.base64EncodedString())"
                case .close(let closure): "close \(closure.code) \(closure.reason)"
                }
            }
            failure = reading.failure
        }
    }
}
