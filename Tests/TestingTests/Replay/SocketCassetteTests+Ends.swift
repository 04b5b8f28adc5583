// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import StrataWebSocket
import TestSupport
import Testing

/// How sockets end, and faults.
extension SocketCassetteTests {
    @Test func aLostConnectionIsLostAgain() async throws {
        let isSent = SharedResult<Void>()
        let transport = ScriptedTransport(
            .upgrade(to: "websocket") { channel in
                try await channel.write(Data([0x81, 1, UInt8(ascii: "a")]))
                _ = try await channel.read()
                try await isSent.value()
                throw NetworkClientError(.connectionLost, "gone")
            })
        let (client, recorder) = try tape.recorder(transport)
        let socket = try await client.webSocket("live", options: .init(ping: .never))
        func lose(_ socket: WebSocket) async throws {
            #expect(try await socket.receive() == .text("a"))
            try await socket.send("b")
            isSent.finish(.success(()))
            let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
            #expect(error?.code == .connectionLost)
        }
        try await lose(socket)
        try recorder.finish()
        try await lose(tape.client(CassetteTransport(tape.cassette())).webSocket("live", options: .init(ping: .never)))
    }

    /// Nothing more comes where the client had gone.
    @Test func aSocketThatWasGivenUpGoesOnNoFurther() async throws {
        let (client, recorder) = try tape.recorder(ScriptedTransport(.webSocket(serve: Self.echo)))
        do {
            let socket = try await client.webSocket("live", options: .init(ping: .never))
            try await socket.send("a")
            _ = try await socket.receive()
            socket.cancel()
        }
        try recorder.finish()
        let transport = CassetteTransport(try tape.cassette())
        var request = NetworkRequest<VoidRequest, VoidResponse>(path: "live", method: .get)
        request.options = { $0.timeouts.idle = .seconds(60) }
        let socket = try await tape.client(transport).webSocket(for: request, options: .init(ping: .never))
        try await socket.send("a")
        #expect(try await socket.receive() == .text("a"))
        let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
        #expect(error?.timeout == .idle)
        try transport.verify()
    }

    @Test func theRecordersEndWritesOpenSockets() async throws {
        let (client, recorder) = try tape.recorder(ScriptedTransport(.webSocket(serve: Self.echo)))
        let socket = try await client.webSocket("live", options: .init(ping: .never))
        try await socket.send("a")
        _ = try await socket.receive()
        try recorder.finish()
        #expect(try tape.entries()[0]["_webSocketMessages"]?.array?.count == 2)
        try await socket.send("not written any more")
        try await socket.close()
        #expect(try tape.entries()[0]["_webSocketMessages"]?.array?.count == 2)
    }

    @Test func faultsCutAndStallASocket() async throws {
        let cassette = try await conversation()
        let first = #"{"id": 1, "method": "subscribe"}"#
        for after in [0, first.utf8.count - 1, first.utf8.count] {
            let socket = try await open(CassetteTransport(cassette, faults: [.cut(after: after)]))
            let error = await #expect(throws: NetworkClientError.self) {
                try await socket.send(first)
                if after == first.utf8.count { #expect(try await socket.receive() == .text(first)) }
                try await socket.send("second")
                return try await socket.receive()
            }
            #expect(error?.code == (after == first.utf8.count ? .connectionLost : error?.code))
        }
        let whole = try await open(CassetteTransport(cassette, faults: [.cut(after: 1 << 20)]))
        try await whole.send(first)
        #expect(try await whole.receive() == .text(first))
        await #expect(throws: NetworkClientError.self) {
            _ = try await open(
                CassetteTransport(cassette, faults: [.failure(NetworkClientError(.cannotConnect, "no"))]))
        }
    }
}
