// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

extension NetworkClientProtocol {
    /// Opens a socket.
    ///
    ///     let socket = try await client.webSocket("live", protocols: ["graphql-transport-ws"])
    ///
    /// The handshake is a call like any other, through the middleware: credentials are renewed, cookies set, redirects followed. It needs a
    /// transport that can switch protocols, such as `NativeTransport`.
    ///
    /// - `path`: below the base URL, or a complete `http(s)` or `ws(s)` URL.
    /// - `protocols`: what to speak over the socket, most wanted first; the socket's `subprotocol` is the server's choice.
    /// - Throws: what ``StrataCore/NetworkClientProtocol/open(_:)`` throws: `unacceptableStatus`, with the response and the start of its
    ///   body, when the server opens no socket; `protocolViolation` when its answer is not that of a WebSocket (RFC 6455 §4.1);
    ///   `unsupportedByTransport`.
    public func webSocket(
        _ path: RequestPath, protocols: [String] = [], options: WebSocket.Options = WebSocket.Options()
    ) async throws -> WebSocket {
        try await webSocket(
            for: NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get), protocols: protocols,
            options: options)
    }

    /// Opens a socket by a request, which may have a query, fields, options and coders of its own.
    ///
    /// - `request`: a GET without a body. A `Sec-WebSocket-Protocol` of its own stands for `protocols` where there are none. Its
    ///   `timeouts` hold for the socket, but for the client's `attempt` and `deadline`, which do not.
    /// - Throws: as ``webSocket(_:protocols:options:)``; `invalidRequest` for another method, or a subprotocol that is no token.
    public func webSocket<RequestModel, ResponseModel>(
        for request: NetworkRequest<RequestModel, ResponseModel>, protocols: [String] = [],
        options: WebSocket.Options = WebSocket.Options()
    ) async throws -> WebSocket {
        let own = request.headerFields[.secWebSocketProtocol]?.split(separator: ",").map {
            String(Substring($0.utf8.trimmingBlanks))
        }
        let handshake = try WebSocketHandshake(
            protocols: protocols.isEmpty ? own ?? [] : protocols, options: options)
        let decoder = request.decoder ?? configuration.defaultDecoder
        let response = try await open(handshake.prepared(request, middleware: configuration.middleware))
        guard let channel = response.channel else {
            throw try await response.refusal(
                .unacceptableStatus,
                "the server opened no socket: it answered with status \(response.head.status.code)",
                decoder: decoder)
        }
        do {
            let (subprotocol, compression) = try handshake.check(response)
            let engine = WebSocketEngine(
                channel, role: .client, terms: compression, clock: configuration.clock, options: options)
            return WebSocket(
                engine, response, onDecodingFailure: configuration.onDecodingFailure,
                encoder: request.encoder ?? configuration.defaultEncoder, decoder: decoder, subprotocol: subprotocol)
        } catch let error as NetworkClientError {
            channel.cancel()
            throw response.attached(to: error)
        }
    }
}

extension WebSocket: OpenedReply {
    @_documentation(visibility: internal)
    public static func opened<RequestModel, ResponseModel>(
        by client: any NetworkClientProtocol, for request: NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> WebSocket {
        try await client.webSocket(for: request)
    }
}
