// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// The request that opens a socket, and what its response has to be (RFC 6455 §4.1).
struct WebSocketHandshake {
    let protocols: [String]
    let compression: WebSocket.Compression?
    let maximumMessageBytes: Int

    /// - Throws: `invalidRequest` for a name of a protocol that is no token, or stands there twice (RFC 6455 §4.1).
    init(protocols: [String], options: WebSocket.Options) throws {
        guard protocols.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenCharacter) }) else {
            throw NetworkClientError(.invalidRequest, "the name of a subprotocol is no token (RFC 6455 §4.1)")
        }
        guard Set(protocols).count == protocols.count else {
            throw NetworkClientError(.invalidRequest, "a subprotocol is named twice (RFC 6455 §4.1)")
        }
        self.protocols = protocols
        compression = options.compression
        maximumMessageBytes = max(0, options.maximumMessageBytes)
    }

    /// The request with what asks for a socket.
    func prepared<RequestModel, ResponseModel>(
        _ request: NetworkRequest<RequestModel, ResponseModel>, middleware: [any NetworkMiddleware]
    ) throws -> NetworkRequest<RequestModel, ResponseModel> {
        guard request.method == .get else {
            throw NetworkClientError(.invalidRequest, "a WebSocket is asked for by GET (RFC 6455 §4.1)")
        }
        var request = request
        request.path = try request.path.map(Self.overHTTP)
        request.headerFields[.secWebSocketVersion] = "13"
        if !protocols.isEmpty { request.headerFields[.secWebSocketProtocol] = protocols.joined(separator: ", ") }
        if let compression { request.headerFields[.secWebSocketExtensions] = compression.offer }
        // Innermost, so that each attempt has a key of its own.
        request.middleware = (request.middleware ?? middleware) + [KeyMiddleware()]
        let framing = MessageFraming(maximumMessageBytes: maximumMessageBytes) { FramedMessages($0) }
        let change = request.options
        request.options = { options in
            options.delivery = .eventStream
            change?(&options)
            options.upgrade = "websocket"
            options.messageFraming = framing
        }
        return request
    }

    /// `ws` and `wss` are the schemes of URLs alone: what is sent is HTTP (RFC 6455 §3).
    private static func overHTTP(_ path: RequestPath) throws -> RequestPath {
        let text = try path.text
        let lower = text.prefix(6).lowercased()
        guard lower.hasPrefix("ws://") || lower.hasPrefix("wss://") else { return path }
        return RequestPath(raw: "http" + text.dropFirst(2), template: path.template)
    }

    /// Checks what the server says of the socket.
    ///
    /// - Returns: the subprotocol, and what compression there is.
    /// - Throws: `protocolViolation`.
    func check(_ response: TransportResponse) throws -> (subprotocol: String?, compression: CompressionTerms?) {
        let fields = response.head.headerFields
        if response.isOverHTTP1 {
            guard let key = response.request?.headerFields[.secWebSocketKey] else {
                throw NetworkClientError(.invalidRequest, "a layer has removed the key of the handshake")
            }
            guard fields[values: .secWebSocketAccept] == [WebSocketKey.accept(for: key)] else {
                throw NetworkClientError(
                    .protocolViolation, "Sec-WebSocket-Accept is not what the key asks for (RFC 6455 §4.1)")
            }
            let options = fields[values: .connection].joined(separator: ",").lowercased().split(separator: ",")
            guard options.contains(where: { $0.utf8.trimmingBlanks.elementsEqual("upgrade".utf8) }) else {
                throw NetworkClientError(.protocolViolation, "Connection does not name the upgrade (RFC 6455 §4.1)")
            }
        }
        let chosen = fields[values: .secWebSocketProtocol]
        guard chosen.count <= 1, chosen.allSatisfy(protocols.contains) else {
            throw NetworkClientError(
                .protocolViolation, "the server chose a subprotocol that it was not offered (RFC 6455 §4.1)")
        }
        return (
            chosen.first, try CompressionTerms.accepted(fields[values: .secWebSocketExtensions], offer: compression)
        )
    }
}

extension TransportResponse {
    /// Whether the socket was opened by an upgrade. By HTTP/2 and HTTP/3 there is no key, and no proof of it (RFC 8441 §5).
    fileprivate var isOverHTTP1: Bool {
        let version = metrics?.httpVersion ?? "HTTP/1.1"
        return head.status == .switchingProtocols && !version.hasPrefix("HTTP/2") && !version.hasPrefix("HTTP/3")
    }
}

/// Gives each attempt a key of its own (RFC 6455 §4.1): a retry, or the next hop of a redirect, is another connection.
private struct KeyMiddleware: NetworkMiddleware {
    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var request = request
        request.head.headerFields[.secWebSocketKey] = WebSocketKey.random()
        return try await next(request)
    }
}
