// SPDX-License-Identifier: Apache-2.0

public import StrataCore
public import StrataStreaming

/// A stream of messages that outlives its sockets.
///
///     let ticks = client.reconnectingWebSocket("live") { socket in
///         try await socket.send(json: Subscribe(id: "1"))
///     }
///     for try await message in ticks { … }
///
/// When a socket is lost, falls silent or is closed by a server that goes away (1001, 1011 to 1014, or no status), the next one is opened,
/// after the wait that the ``StrataStreaming/ReconnectionPolicy`` asks for, and the closure subscribes again. What the server sent meanwhile
/// is for the closure to ask for: a WebSocket has no identifier to go on from. Each socket goes through the client's middleware, and so has
/// fresh credentials.
///
/// - A close with 1000 ends the stream in good order.
/// - A refused handshake, and a close with another status, are final and throw, unless the policy says otherwise.
/// - Messages are pulled, and the sockets opened, by the loop. Leaving it, cancelling its task or ``close()`` ends the stream, for good.
///
/// A value: copies share the stream. It has one reader.
public struct ReconnectingWebSocket: AsyncSequence, Sendable {
    let settings: ReconnectingSettings
    private let connection: ReconnectingConnection

    init(_ settings: ReconnectingSettings) {
        self.settings = settings
        connection = ReconnectingConnection()
    }

    /// Sends a message over the present socket; waits for one while there is none.
    ///
    /// A message that was sent when a socket was lost may have arrived or not; it is not sent again.
    ///
    /// - Throws: as ``WebSocket/send(_:)-(String)``; `invalidRequest` when the stream is over.
    public func send(_ message: WebSocket.Message) async throws { try await connection.socket().send(message) }

    /// Sends a model as a message of text; otherwise as ``send(_:)``.
    public func send<Model: Encodable>(json model: Model) async throws {
        try await connection.socket().send(json: model)
    }

    /// Ends the stream, for good, and closes the present socket with 1000.
    public func close() async { await connection.close() }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(settings, ReaderLease(connection))
    }
}

extension NetworkClientProtocol {
    /// A stream of messages that outlives its sockets. Nothing is opened before it is read.
    ///
    /// - `path`, `protocols`, `options`: as in ``StrataCore/NetworkClientProtocol/webSocket(_:protocols:options:)``, for each socket.
    /// - `reconnection`: Its `scope` says whether there is another socket at all.
    /// - `subscribe`: gets each socket before a message is read; what it throws ends that socket.
    public func reconnectingWebSocket(
        _ path: RequestPath, protocols: [String] = [], options: WebSocket.Options = WebSocket.Options(),
        reconnection: ReconnectionPolicy = ReconnectionPolicy(),
        subscribe: @escaping @Sendable (WebSocket) async throws -> Void = { _ in }
    ) -> ReconnectingWebSocket {
        reconnectingWebSocket(
            for: NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get), protocols: protocols,
            options: options, reconnection: reconnection, subscribe: subscribe)
    }

    /// The same by a request, which may have a query, fields, options and coders of its own.
    public func reconnectingWebSocket<RequestModel: Sendable, ResponseModel: Sendable>(
        for request: NetworkRequest<RequestModel, ResponseModel>, protocols: [String] = [],
        options: WebSocket.Options = WebSocket.Options(), reconnection: ReconnectionPolicy = ReconnectionPolicy(),
        subscribe: @escaping @Sendable (WebSocket) async throws -> Void = { _ in }
    ) -> ReconnectingWebSocket {
        ReconnectingWebSocket(
            ReconnectingSettings(clock: configuration.clock, policy: reconnection) {
                let socket = try await webSocket(for: request, protocols: protocols, options: options)
                do { try await subscribe(socket) } catch {
                    // The server has closed it meanwhile: its status says what follows, when the socket is read.
                    if error is NetworkClientError, socket.closure != nil { return socket }
                    socket.leave()
                    throw error
                }
                return socket
            })
    }
}

/// What a stream was made with.
struct ReconnectingSettings: Sendable {
    let clock: any NetworkClock
    let policy: ReconnectionPolicy
    let open: @Sendable () async throws -> WebSocket

    /// Whether what ended a socket, or kept it from being opened, is taken for a lost connection.
    func isTransient(_ error: any Error) -> Bool {
        if error is CancellationError { return false }
        guard let error = error as? NetworkClientError else { return policy.reconnectsAfter(error) }
        if error.code == .unacceptableStatus, let head = error.response {
            return policy.transientStatuses.contains(head.status.code)
        }
        let codes: ClosedRange<UInt16> = 1011...1014
        if let closure = error.cause as? WebSocket.Closure, codes.contains(closure.code.rawValue) { return true }
        return policy.reconnectsAfter(error)
    }
}
