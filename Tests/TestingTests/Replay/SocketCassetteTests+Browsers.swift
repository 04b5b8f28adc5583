// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import StrataWebSocket
import TestSupport
import Testing

extension SocketCassetteTests {
    /// As Chromium 131 exports it.
    private func exported(_ messages: String) throws -> Cassette {
        try Cassette(
            Data(
                """
                {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "pages": [], "entries": [
                {"_initiator": {}, "_priority": "High", "_resourceType": "websocket", "_webSocketMessages": \(messages),
                 "cache": {}, "connection": "1", "request": {"method": "GET", "url": "wss://api.example/live?token=tok-1",
                 "httpVersion": "HTTP/1.1", "headers": [{"name": "Sec-WebSocket-Key", "value": "dGhlIHNhbXBsZSBub25jZQ=="},
                 {"name": "Sec-WebSocket-Extensions", "value": "permessage-deflate; client_max_window_bits"}],
                 "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
                 "response": {"status": 101, "statusText": "Switching Protocols", "httpVersion": "HTTP/1.1", "headers": [
                 {"name": "Connection", "value": "upgrade"}, {"name": "Upgrade", "value": "websocket"},
                 {"name": "Sec-WebSocket-Accept", "value": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="},
                 {"name": "Sec-WebSocket-Extensions", "value": "permessage-deflate"}],
                 "cookies": [], "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "", "headersSize": -1,
                 "bodySize": -1, "_transferSize": 0, "_error": null},
                 "startedDateTime": "2026-01-01T00:00:00.500Z", "time": 4000,
                 "timings": {"blocked": -1, "dns": -1, "ssl": -1, "connect": -1, "send": 0, "wait": 250, "receive": 0}}]}}
                """.utf8))
    }

    @Test func anExportOfChromiumIsPlayed() async throws {
        let cassette = try exported(
            """
            [{"type": "send", "time": 1767225601.25, "opcode": 1, "data": "{\\"op\\":\\"subscribe\\",\\"token\\":\\"tok-1\\"}"},
             {"type": "receive", "time": 1767225602.5, "opcode": 1, "data": "tick"},
             {"type": "receive", "time": 1767225603.75, "opcode": 2, "data": "AQID"},
             {"type": "error", "time": 1767225603.8, "opcode": -1, "data": "broken"}]
            """)
        let transport = CassetteTransport(cassette, time: .asRecorded)
        let socket = try await open(transport)
        try await socket.send(#"{"op": "subscribe", "token": "tok-2"}"#)
        #expect(try await socket.receive() == .text("tick"))
        #expect(tape.clock.now == .seconds(2))
        #expect(try await socket.receive() == .data(Data([1, 2, 3])))
        #expect(tape.clock.now == .milliseconds(3250))
        // Nothing tells how it ended.
        #expect(try await socket.receive() == nil)
        #expect(socket.closure?.code == .normal)
        try transport.verify()
    }

    @Test(arguments: [
        #"[{"type": "receive", "opcode": 2, "data": "%%%"}]"#, #"[{"type": "receive", "_file": "../../etc/passwd"}]"#,
        #"{"type": "receive"}"#, #"[{"type": "receive", "time": "now"}]"#,
    ])
    func damagedMessagesAreErrors(_ messages: String) {
        let error = #expect(throws: CassetteError.self) { _ = try exported(messages) }
        #expect(error?.kind == .damaged && error?.member?.contains("_webSocketMessages") == true)
    }
}
