// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataStreaming
import Synchronization

/// The socket that a stream has now, for its reader and for those who send, and the way to end what is under way.
final class ReconnectingConnection: ReconnectingStream {
    private struct State {
        var isClosed = false
        var hasReader = false
        /// The present socket, or the next one.
        var socket = SharedResult<WebSocket>()
        var present: WebSocket?
        /// Ends what the reader waits for.
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    private static var isOver: NetworkClientError {
        NetworkClientError(.invalidRequest, "the stream of messages is over")
    }

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// The present socket, or the next one when it has been opened.
    func socket() async throws -> WebSocket { try await state.withLock(\.socket).value() }

    func admitReader() -> Bool {
        state.withLock { state in
            defer { state.hasReader = true }
            return !state.hasReader
        }
    }

    /// - Throws: `CancellationError` when the stream has been closed meanwhile.
    func open(_ socket: WebSocket) throws {
        let waiting = state.withLock { state -> SharedResult<WebSocket>? in
            if state.isClosed { return nil }
            state.present = socket
            return state.socket
        }
        guard let waiting else {
            socket.leave()
            throw CancellationError()
        }
        waiting.finish(.success(socket))
    }

    /// The socket is gone: who sends waits for the next one.
    func lose() {
        state.withLock { state in
            guard !state.isClosed, state.present != nil else { return }
            (state.present, state.socket) = (nil, SharedResult())
        }
    }

    func close() async {
        guard let socket = end() else { return }
        try? await socket.close()
    }

    /// Ends the stream in the background.
    func leave() { end()?.leave() }

    private func end() -> WebSocket? {
        let (socket, waiting, cancel) = state.withLock { state in
            defer { (state.isClosed, state.present, state.cancel) = (true, nil, nil) }
            return (state.present, state.socket, state.cancel)
        }
        waiting.finish(.failure(Self.isOver))
        state.withLock { state in
            state.socket = SharedResult()
            state.socket.finish(.failure(Self.isOver))
        }
        cancel?()
        return socket
    }

    func keepCancellation(_ cancel: (@Sendable () -> Void)?) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.cancel = cancel }
            return !state.isClosed
        }
    }
}
