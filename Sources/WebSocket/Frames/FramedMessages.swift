// SPDX-License-Identifier: Apache-2.0

package import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The bytes of a WebSocket over a connection that has its messages alone: the frames that are written become messages, and the messages
/// that come become frames of a server.
///
/// A message is asked for when somebody reads, so that a slow reader slows the peer. The peer's pings are the connection's own business; for
/// a ping that is written, a pong comes when the peer has answered.
package final class FramedMessages: ByteConnection {
    private struct State {
        /// Frames to be read.
        var ready: [Data] = []
        /// What comes behind them.
        var end: Result<Void, any Error>?
        /// Whether a message has been asked for.
        var isReceiving = false
        var reader: (number: UInt64, continuation: CheckedContinuation<Data?, any Error>)?
        var lastReader: UInt64 = 0

        mutating func take() -> Result<Data?, any Error>? {
            ready.isEmpty ? end?.map { nil } : .success(ready.removeFirst())
        }
    }

    private let messages: any MessageConnection
    private let state = Mutex(State())
    private let written: Mutex<FrameReader>

    package init(_ messages: any MessageConnection) {
        self.messages = messages
        // The limits are for what a peer sends; this is the caller's own.
        written = Mutex(FrameReader(.server, limits: .unlimited))
    }

    // MARK: Reading

    package func read() async throws -> Data? {
        let number = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var begins = false
                let result = state.withLock { state -> Result<Data?, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let result = state.take() { return result }
                    state.reader = (number, continuation)
                    begins = !state.isReceiving
                    state.isReceiving = true
                    return nil
                }
                if let result { return continuation.resume(with: result) }
                if begins { Task { await self.receive() } }
            }
        } onCancel: {
            let reader = state.withLock { $0.reader?.number == number ? $0.reader.take() : nil }
            reader?.continuation.resume(throwing: CancellationError())
        }
    }

    private func receive() async {
        do {
            guard let message = try await messages.receive() else { return end(.success(())) }
            let frame = Self.frame(of: message)
            if case .close = message { end(.success(()), behind: frame) } else { hand(frame, isReceived: true) }
        } catch {
            end(.failure(error))
        }
    }

    /// - Parameter isReceived: whether it is the message that was asked for. A pong is not.
    private func hand(_ frame: Data, isReceived: Bool) {
        let reader = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            if isReceived { state.isReceiving = false }
            if state.end != nil { return nil }
            if let reader = state.reader.take() { return reader.continuation }
            state.ready.append(frame)
            return nil
        }
        reader?.resume(returning: frame)
    }

    /// The first end counts.
    private func end(_ end: Result<Void, any Error>, behind frame: Data? = nil) {
        let (reader, result) = state.withLock {
            state -> (CheckedContinuation<Data?, any Error>?, Result<Data?, any Error>?) in
            state.isReceiving = false
            if state.end == nil {
                if let frame { state.ready.append(frame) }
                state.end = end
            }
            guard let reader = state.reader.take() else { return (nil, nil) }
            return (reader.continuation, state.take())
        }
        if let reader, let result { reader.resume(with: result) }
    }

    private static func frame(of message: SocketMessage) -> Data {
        let (opcode, payload): (FrameOpcode, Data) =
            switch message {
            case .text(let text): (.text, Data(text.utf8))
            case .data(let data): (.binary, data)
            case .close(let code, let reason):
                (.close, WebSocket.Closure(.init(rawValue: code), reason: reason).payload)
            }
        return frame(opcode, payload)
    }

    private static func frame(_ opcode: FrameOpcode, _ payload: Data) -> Data {
        var frame = Data()
        FrameHeader(opcode, length: payload.count).append(to: &frame)
        return frame + payload
    }

    // MARK: Writing

    package func write(_ bytes: Data) async throws {
        let events = try written.withLock { reader in
            reader.push(bytes)
            var events: [FrameEvent] = []
            while let event = try reader.next() { events.append(event) }
            return events
        }
        for event in events {
            switch event {
            case .message(.text(let text)): try await messages.send(.text(text))
            case .message(.data(let data)): try await messages.send(.data(data))
            case .close(let closure):
                try await messages.send(.close(code: closure.code.rawValue, reason: closure.reason))
            case .ping(let payload):
                Task {
                    // When it fails, so does what is read.
                    try await messages.ping()
                    hand(Self.frame(.pong, payload), isReceived: false)
                }
            case .pong: break
            }
        }
    }

    /// A WebSocket ends by its close.
    package func closeOutput() async throws {}

    package func cancel() {
        messages.cancel()
        let reader = state.withLock { state in
            (state.ready, state.end) = ([], state.end ?? .failure(CancellationError()))
            return state.reader.take()
        }
        reader?.continuation.resume(throwing: CancellationError())
    }
}
