// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataEncoding
import StrataWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The server's end of a socket, as a ``ScriptedReply`` has it.
struct ScriptedSocket: Sendable {
    let subprotocol: String?
    let fields: HTTPFields
    let options: WebSocket.Options
    let serve: @Sendable (WebSocket) async throws -> Void

    func head(for request: TransportRequest) -> HTTPResponse {
        var fields = fields
        fields[.connection] = "Upgrade"
        fields[.upgrade] = "websocket"
        if let subprotocol { fields[.secWebSocketProtocol] = subprotocol }
        if let answer = WebSocket.extensionAnswer(to: request.head, options: options) {
            fields[.secWebSocketExtensions] = answer
        }
        return HTTPResponse(status: .switchingProtocols, headerFields: fields).acceptingSocket(of: request)
    }

    func serve(_ channel: ByteChannel, _ request: TransportRequest) async throws {
        let socket = WebSocket(
            serving: channel, request: request.head, options: options, clock: request.call?.clock ?? SystemClock(),
            encoder: JSONEncoder(), decoder: JSONDecoder())
        do {
            try await serve(socket)
            if socket.closure == nil { try await socket.close() }
        } catch {
            try? await socket.close(.internalError)
            throw error
        }
        await socket.waitForEnd()
    }
}
