// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataWebSocket
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The connection of a WebSocket while it is recorded: it passes everything on, and reads the frames of both ends along. Pings and pongs are
/// not written down: a replay answers them. It has no executor: to mask messages takes time, which a loop has not.
final class SocketRecording: ByteConnection {
    private let connection: any ByteConnection
    private let recording: ExchangeRecording
    private let sent: Mutex<FrameReader>
    private let received: Mutex<FrameReader>
    private let isClosed = Atomic(false)

    init(_ connection: any ByteConnection, _ recording: ExchangeRecording, of response: TransportResponse) {
        self.connection = connection
        self.recording = recording
        // With windows and contexts as large as there can be, whatever was agreed on: what uses less is read as well.
        let isCompressed = response.head.headerFields[.secWebSocketExtensions] != nil
        sent = Mutex(FrameReader(.server, limits: .unlimited, inflater: isCompressed ? MessageInflater() : nil))
        var limits = MessageLimits()
        limits.bytes = recording.messageLimit ?? limits.bytes
        received = Mutex(FrameReader(.client, limits: limits, inflater: isCompressed ? MessageInflater() : nil))
    }

    deinit { end(.abandoned) }

    func read() async throws -> Data? {
        do {
            guard let bytes = try await connection.read() else {
                end(.complete)
                return nil
            }
            note(bytes, received, isSent: false)
            return bytes
        } catch {
            // A cancelled task takes nothing, and the connection stays.
            if !(error is CancellationError) { end(.failed(error)) }
            throw error
        }
    }

    /// Noted before: what answers it comes behind it.
    func write(_ bytes: Data) async throws {
        note(bytes, sent, isSent: true)
        do { try await connection.write(bytes) } catch {
            if !(error is CancellationError) { end(.failed(error)) }
            throw error
        }
    }

    func closeOutput() async throws { try await connection.closeOutput() }

    func cancel() {
        connection.cancel()
        end(.abandoned)
    }

    /// A socket that an end has closed is complete, however its connection goes.
    private func end(_ end: BodyEnd) { recording.end(isClosed.load(ordering: .acquiring) ? .complete : end) }

    private func note(_ bytes: Data, _ reader: borrowing Mutex<FrameReader>, isSent: Bool) {
        reader.withLock { reader in
            reader.push(bytes)
            // What breaks the rules is the socket's business; nothing is read from there on.
            while let event = try? reader.next() {
                switch event {
                case .message(.text(let text)): recording.add(.text, Data(text.utf8), isSent: isSent)
                case .message(.data(let data)): recording.add(.binary, data, isSent: isSent)
                case .close(let closure):
                    isClosed.store(true, ordering: .releasing)
                    recording.add(.close, closure.payload, isSent: isSent)
                case .message, .ping, .pong: break
                }
            }
        }
    }
}

/// A message of a socket, with its secrets masked.
struct RecordedMessage {
    let isSent: Bool
    /// Since the exchange began.
    let time: Duration
    let opcode: FrameOpcode
    let content: RecordedBody.Content

    init(
        _ opcode: FrameOpcode, _ payload: Data, isSent: Bool, time: Duration, _ body: BodyRecorder
    ) throws {
        self.isSent = isSent
        self.time = time
        self.opcode = opcode
        // Behind the status of a close is text.
        let status = opcode == .close ? payload.prefix(2) : Data()
        body.begin()
        body.add(Data(payload.dropFirst(status.count)), at: time)
        switch try body.finish().content {
        case .data(let data): content = .data(status + data)
        case .withheld where opcode == .close: content = .data(status)
        case let other: content = other
        }
    }
}
