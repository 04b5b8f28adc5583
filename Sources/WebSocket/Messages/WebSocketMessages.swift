// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataStreaming

/// The messages of a socket. Made by ``WebSocket/messages``.
public struct WebSocketMessages: AsyncSequence, Sendable {
    private let socket: WebSocket

    init(_ socket: WebSocket) { self.socket = socket }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lease: MessageLease(socket)) }

    /// Closes the socket when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let lease: MessageLease

        /// - Throws: as ``WebSocket/receive()``.
        public mutating func next() async throws -> WebSocket.Message? {
            try await lease.socket.receive()
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> WebSocket.Message? {
            try await next()
        }
    }
}

/// The messages of a socket as models. Made by ``WebSocket/messages(decoding:)``.
public struct DecodedMessages<Element: Decodable>: AsyncSequence, Sendable {
    private let socket: WebSocket

    init(_ socket: WebSocket) { self.socket = socket }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(messages: WebSocketMessages.AsyncIterator(lease: MessageLease(socket)), origin: socket.origin)
    }

    /// Closes the socket when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var messages: WebSocketMessages.AsyncIterator
        fileprivate let origin: ElementOrigin

        /// - Throws: as ``WebSocket/receive()``; `decodingFailed`, with the message as the error's body.
        public mutating func next() async throws -> Element? {
            try await messages.next().map { try messages.lease.socket.decode($0, of: origin) }
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? { try await next() }
    }
}

/// A loop's hold on a socket: closes it when it is dropped.
final class MessageLease: Sendable {
    let socket: WebSocket

    init(_ socket: WebSocket) { self.socket = socket }

    deinit { socket.leave() }
}
