// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

// The heads of a WebSocket's handshake, as those see them who answer one, or have it answered elsewhere.

extension RequestOptions {
    /// Whether a WebSocket is asked for.
    package var opensSocket: Bool { upgrade?.asciiLowercased == "websocket" }
}

extension HTTPResponse {
    /// The same with the proof for a request that asks for a WebSocket (RFC 6455 §4.2.2), unless there is one.
    package func acceptingSocket(of request: TransportRequest) -> HTTPResponse {
        guard request.options.opensSocket, headerFields[.secWebSocketAccept] == nil,
            let key = request.head.headerFields[.secWebSocketKey]
        else { return self }
        var head = self
        head.headerFields[.secWebSocketAccept] = WebSocketKey.accept(for: key)
        return head
    }

    /// The head that opened a WebSocket somewhere else, for this request: with the proof for its key, and without compression, of which
    /// messages show nothing.
    package func openingSocket(for request: TransportRequest) -> HTTPResponse {
        var fields = headerFields
        fields[.secWebSocketExtensions] = nil
        fields[.secWebSocketAccept] = nil
        fields[.connection] = "Upgrade"
        fields[.upgrade] = "websocket"
        return HTTPResponse(status: .switchingProtocols, headerFields: fields).acceptingSocket(of: request)
    }
}
