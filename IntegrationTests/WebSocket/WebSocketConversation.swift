// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataTesting
import StrataWebSocket
import Testing

/// Sends messages of many lengths to a server that echoes, and closes the socket.
func converse(_ socket: WebSocket) async throws {
    #expect(socket.subprotocol == "echo.v1")
    for length in [0, 1, 125, 126, 65_535, 65_536, 3_000_000] {
        let text = StoredBody.bytes(length, seed: 4).base64EncodedString() + "é"
        async let sent: Void = socket.send(text)
        #expect(try await socket.receive() == .text(text))
        try await sent
        let data = StoredBody.bytes(length, seed: 1)
        async let sentToo: Void = socket.send(data)
        #expect(try await socket.receive() == .data(data))
        try await sentToo
    }
    #expect(try await socket.ping() < .seconds(60))
    try await socket.close(.init(rawValue: 4001), reason: "done")
    #expect(socket.closure == WebSocket.Closure(.init(rawValue: 4001), reason: "done"))
}
