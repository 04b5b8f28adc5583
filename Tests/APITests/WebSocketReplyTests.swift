// SPDX-License-Identifier: Apache-2.0

import StrataAPI
import StrataCore
import StrataTesting
import StrataWebSocket
import Testing

@API
private struct LiveAPI {
    @Headers(["Sec-WebSocket-Protocol": "ticks.v1"])
    @GET("/rooms/{id}") func room(id: Int, since: String) async throws -> WebSocket
}

struct WebSocketReplyTests {
    @Test func anEndpointOpensASocket() async throws {
        let transport = ScriptedTransport(
            .webSocket(subprotocol: "ticks.v1") { socket in
                while let message = try await socket.receive() { try await socket.send(message) }
            })
        let socket = try await LiveAPI(Provider(baseURL: "https://api.example", transport: transport))
            .room(id: 7, since: "a b")
        try await socket.send("hello")
        #expect(try await socket.receive() == .text("hello"))
        #expect(socket.subprotocol == "ticks.v1")
        #expect(transport.requests[0].head.absoluteURL == "https://api.example/rooms/7?since=a%20b")
    }

    @Test func aRefusalIsThrown() async throws {
        let transport = ScriptedTransport(.status(403))
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await LiveAPI(Provider(baseURL: "https://api.example", transport: transport)).room(id: 7, since: "")
        }
        #expect(error?.code == .unacceptableStatus)
    }
}
