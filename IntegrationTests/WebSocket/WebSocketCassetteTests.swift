// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import StrataCore
import StrataEncoding
import StrataNative
import StrataTesting
import StrataWebSocket
import TestSupport
import Testing

/// Sockets over real connections, recorded and replayed without one.
@Suite(.timeLimit(.minutes(2)))
struct WebSocketCassetteTests {
    private func client(_ url: String, _ transport: any NetworkTransport) -> NetworkClient {
        NetworkClient(configuration: NetworkConfiguration(baseURL: url, transport: transport))
    }

    /// What a client gets in answer to its messages, and how the socket ends.
    private func converse(
        _ client: NetworkClient, _ path: String, saying messages: [WebSocket.Message], options: WebSocket.Options
    ) async throws -> (received: [WebSocket.Message], closure: WebSocket.Closure?) {
        let socket = try await client.webSocket("\(raw: path)", options: options)
        var received: [WebSocket.Message] = []
        for message in messages {
            async let sent: Void = socket.send(message)
            guard let answer = try await socket.receive() else { break }
            received.append(answer)
            try await sent
        }
        try await socket.close(reason: "bye")
        return (received, socket.closure)
    }

    @Test(arguments: 0..<3 as Range<UInt64>, [nil, WebSocket.Compression()])
    func theReplayOfAnEchoIsTheEcho(_ seed: UInt64, _ compression: WebSocket.Compression?) async throws {
        var generator = SeededGenerator(seed: seed)
        let messages: [WebSocket.Message] = (0..<10).map { _ in
            let size = [0, 1, 125, 126, 1000, 65_536].randomElement(using: &generator) ?? 0
            let data = StoredBody.bytes(size, seed: generator.next())
            // Of letters in which no secret is found.
            let text = data.map { ["a", "b ", "é", "κ"][Int($0 & 3)] }.joined()
            // In a debug build the search for secrets in a long text takes long.
            return Bool.random(using: &generator) || size > 1000 ? .data(data) : .text(text)
        }
        let folder = try TemporaryFolder()
        let options = WebSocket.Options(compression: compression)
        try await EchoServer.withServer { server in
            let recorder = try CassetteRecorder(folder["echo.har"])
            let recorded = try await withNative { transport in
                try await converse(
                    client(server.url, RecordingTransport(transport, to: recorder)), "websocket", saying: messages,
                    options: options)
            }
            try recorder.finish()
            #expect(recorded.received == messages)
            let transport = CassetteTransport(try Cassette(contentsOf: folder["echo.har"]))
            let replayed = try await converse(
                client(server.url, transport), "websocket", saying: messages, options: options)
            #expect(replayed.received == recorded.received)
            #expect(replayed.closure == recorded.closure)
            try transport.verify()
        }
    }

    /// However the server's frames are cut, and whatever comes with the handshake.
    @Test func framesCutAtEveryByteAreRecordedWhole() async throws {
        let text = String(repeating: "κόσμε", count: 30)
        let length = text.utf8.count
        let frames = [0x81, 126, UInt8(length >> 8), UInt8(length & 255)] + Array(text.utf8) + [0x82, 1, 7]
        for cuts in [false, true] {
            let folder = try TemporaryFolder()
            let play: RawScript.Step =
                cuts ? .repeat(frames.flatMap { [.send([$0]), .wait(.milliseconds(1))] }, times: 1) : .send(frames)
            let server = try RawServer.start(
                script: [.readRequest, .acceptWebSocket(), play, .closeWebSocket(.goingAway), .readToEnd])
            defer { server.stop() }
            func read(_ transport: any NetworkTransport) async throws {
                let socket = try await client(server.url, transport).webSocket("live")
                #expect(try await socket.receive() == .text(text))
                #expect(try await socket.receive() == .data(Data([7])))
                #expect(try await socket.receive() == nil)
                #expect(socket.closure?.code == .goingAway)
            }
            let recorder = try CassetteRecorder(folder["cut.har"])
            try await withNative { try await read(RecordingTransport($0, to: recorder)) }
            try recorder.finish()
            let transport = CassetteTransport(try Cassette(contentsOf: folder["cut.har"]))
            try await read(transport)
            try transport.verify()
        }
    }
}
