// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// A WebSocket of a session, on Apple's platforms: libcurl below FoundationNetworking refuses to open one. Its exchange has the handshake, the limits and the end; the task has whole messages.
final class SessionSocket: MessageConnection {
    private let exchange: URLExchange
    private let maximumMessageBytes: Int
    private let task = Mutex<URLSessionWebSocketTask?>(nil)
    /// How the peer has closed.
    private let closure = Mutex<SocketMessage?>(nil)

    init(_ exchange: URLExchange, maximumMessageBytes: Int) {
        self.exchange = exchange
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// Makes the task, on the session's control queue.
    func begin(_ request: URLRequest, in session: URLSession) -> URLSessionWebSocketTask {
        let made = session.webSocketTask(with: request)
        made.maximumMessageSize = maximumMessageBytes
        task.withLock { $0 = made }
        return made
    }

    // MARK: What the session says

    func open(_ response: HTTPURLResponse?, subprotocol: String?) {
        var head =
            response.map(ResponseTranslation.head) ?? HTTPResponse(status: .switchingProtocols)
        head.headerFields[.secWebSocketProtocol] = head.headerFields[.secWebSocketProtocol] ?? subprotocol
        exchange.receiveHead(HTTPResponse(status: .switchingProtocols, headerFields: head.headerFields))
        // Nobody waits for the peer yet.
        exchange.setAwaitingBody(true)
    }

    func close(_ code: URLSessionWebSocketTask.CloseCode, _ reason: Data?) {
        let code = UInt16(exactly: code.rawValue) ?? 0
        // Without a status the session says 1005, or invalid.
        let status = code == 0 ? 1005 : code
        closure.withLock { $0 = .close(code: status, reason: String(decoding: reason ?? Data(), as: UTF8.self)) }
    }

    /// The task is over. A server that opens no socket ends it with an error, and its response is what counts.
    func finish(_ response: HTTPURLResponse?, _ error: (any Error)?) {
        let head = response.map(ResponseTranslation.head)
        let isRefusal = head.map { $0.status != .switchingProtocols } ?? false
        let isClosed = closure.withLock { $0 != nil }
        exchange.finish(head: isRefusal ? head : nil, error: isRefusal || isClosed ? nil : error.map(Self.failure))
    }

    // MARK: The caller's side

    func receive() async throws -> SocketMessage? {
        // Silence counts while somebody waits.
        exchange.setAwaitingBody(false)
        defer { exchange.setAwaitingBody(true) }
        do {
            let message = try await opened().receive()
            exchange.noteActivity()
            if case .string(let text) = message { return .text(text) }
            if case .data(let data) = message { return .data(data) }
            throw NetworkClientError(.protocolViolation, "URLSession has a message of a new kind")
        } catch {
            if (error as? POSIXError)?.code == .EMSGSIZE {
                exchange.fail(NetworkClientError(.bodyTooLarge, "a message has more than \(maximumMessageBytes) bytes"))
            } else if let error = error as? NetworkClientError {
                exchange.fail(error)
            }
            // What ended the task comes by the delegate.
            _ = try await exchange.next()
            return closure.withLock { $0 }
        }
    }

    func send(_ message: SocketMessage) async throws {
        do {
            switch message {
            case .text(let text): try await opened().send(.string(text))
            case .data(let data): try await opened().send(.data(data))
            case .close(let code, let reason):
                let named = URLSessionWebSocketTask.CloseCode(rawValue: Int(code))
                try opened().cancel(
                    with: code == 1005 ? .normalClosure : named ?? .normalClosure, reason: Data(reason.utf8))
            }
        } catch {
            throw Self.failure(error)
        }
    }

    func ping() async throws {
        let task = try opened()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            task.sendPing { error in
                if let error { continuation.resume(throwing: Self.failure(error)) } else { continuation.resume() }
            }
        }
        exchange.noteActivity()
    }

    func cancel() { exchange.cancel() }

    private func opened() throws -> URLSessionWebSocketTask {
        guard let task = task.withLock({ $0 }) else {
            throw NetworkClientError(.internalFailure, "the session has not begun the socket")
        }
        return task
    }

    /// The session ends sockets with errors of the system too, such as ENOTCONN.
    private static func failure(_ error: any Error) -> any Error {
        if error is URLError || error is NetworkClientError || error is CancellationError {
            return ErrorTranslation.error(error)
        }
        return NetworkClientError(.connectionLost, "the connection of the socket was lost", cause: error)
    }
}

extension SessionDelegate: URLSessionWebSocketDelegate {
    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol subprotocol: String?
    ) {
        socket(of: webSocketTask)?.open(webSocketTask.response as? HTTPURLResponse, subprotocol: subprotocol)
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        socket(of: webSocketTask)?.close(closeCode, reason)
    }
}

extension SessionEngine {
    /// Opens a WebSocket. The session makes the handshake, with a key of its own and without compression.
    ///
    /// - Throws: what the exchange failed with; `unsupportedByTransport` for a request that has not been made for messages, and where the
    ///   platform opens no WebSockets.
    func openSocket(_ request: TransportRequest) async throws -> TransportResponse {
        guard Platform.capabilities.features.contains(.webSockets), let framing = request.options.messageFraming else {
            throw NetworkClientError(
                .unsupportedByTransport,
                "URLSession opens WebSockets on Apple's platforms alone, and for webSocket of StrataWebSocket: it has no bytes of them"
            )
        }
        try request.validate()
        let urlRequest = try RequestTranslation.socketRequest(for: request, sessionFields: sessionFields)
        let (exchange, transfer) = try makeExchange(request)
        let socket = SessionSocket(exchange, maximumMessageBytes: framing.maximumMessageBytes)
        begin(exchange, transfer, urlRequest, showsConnection: false, socket: socket)
        let head = try await exchange.head()
        var metrics = TransportMetrics()
        metrics.firstByte = exchange.elapsed
        guard head.status == .switchingProtocols else {
            // The session does not deliver the body of a refusal.
            return TransportResponse(head: head, metrics: metrics)
        }
        var response = try TransportResponse(
            switching: head.openingSocket(for: request), to: framing.connection(socket), for: request)
        response.metrics = metrics
        return response
    }
}

extension RequestTranslation {
    /// The request for a WebSocket: without the fields of the handshake, which the session makes, and by the schemes that it takes for one.
    fileprivate static func socketRequest(
        for request: TransportRequest, sessionFields: HTTPFields
    ) throws -> URLRequest {
        var request = request
        for name in [HTTPField.Name.secWebSocketKey, .secWebSocketVersion, .secWebSocketExtensions] {
            request.head.headerFields[name] = nil
        }
        var result = try urlRequest(for: request, sessionFields: sessionFields)
        // http becomes ws, and https wss.
        result.url = URL(string: "ws" + request.url.dropFirst(4), encodingInvalidCharacters: false)
        return result
    }
}
