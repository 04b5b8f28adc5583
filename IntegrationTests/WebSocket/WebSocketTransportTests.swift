// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import StrataCore
import StrataCurl
import StrataEncoding
import StrataNative
import StrataTesting
import StrataWebSocket
import TestSupport
import Testing

/// Sockets over real connections, to servers that play bytes.
@Suite(.timeLimit(.minutes(2)))
struct WebSocketTransportTests {
    private func withSocket(
        _ script: RawScript, options: WebSocket.Options = .init(ping: .never),
        _ body: (WebSocket, RawServer) async throws -> Void
    ) async throws {
        let server = try RawServer.start(script: script)
        defer { server.stop() }
        try await withNative { transport in
            let client = NetworkClient(configuration: NetworkConfiguration(baseURL: server.url, transport: transport))
            try await body(client.webSocket("live", options: options), server)
        }
    }

    @Test func readsFramesCutAtEveryByte() async throws {
        let texts = ["hello", String(repeating: "κόσμε", count: 30)]
        var bytes: [UInt8] = []
        for text in texts {
            let length = text.utf8.count
            bytes += length < 126 ? [0x81, UInt8(length)] : [0x81, 126, UInt8(length >> 8), UInt8(length & 255)]
            bytes += text.utf8
        }
        let drip = RawScript.Step.repeat(bytes.flatMap { [.send([$0]), .wait(.milliseconds(1))] }, times: 1)
        try await withSocket([.readRequest, .acceptWebSocket(), drip, .closeWebSocket(), .readToEnd]) {
            (socket, _) async throws in
            for text in texts { #expect(try await socket.receive() == .text(text)) }
            #expect(try await socket.receive() == nil)
        }
    }

    @Test func readsWhatComesWithTheHandshake() async throws {
        try await withSocket([
            .readRequest, .acceptWebSocket(), .send(.text("early")), .send(.data(Data([1]))),
            .closeWebSocket(.goingAway),
            .readToEnd,
        ]) { (socket, server) async throws in
            #expect(try await socket.receive() == .text("early"))
            #expect(try await socket.receive() == .data(Data([1])))
            #expect(try await socket.receive() == nil)
            #expect(socket.closure == WebSocket.Closure(.goingAway))
            try await server.wait { $0.isClosedByPeer }
        }
    }

    @Test func aResetIsALostConnection() async throws {
        try await withSocket([
            .readRequest, .acceptWebSocket(), .send(.text("a")), .wait(.milliseconds(100)), .reset,
        ]) { (socket, _) async throws in
            #expect(try await socket.receive() == .text("a"))
            let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test func aSilentPeerIsNoticed() async throws {
        try await withSocket(
            [.readRequest, .acceptWebSocket(), .readToEnd],
            options: .init(ping: .every(.milliseconds(100), within: .milliseconds(200)))
        ) { (socket, server) async throws in
            let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
            #expect(error?.timeout == .idle)
            try await server.wait { $0.isClosedByPeer }
        }
    }

    @Test func droppingASocketClosesItsConnection() async throws {
        let server = try RawServer.start(script: [.readRequest, .acceptWebSocket(), .readToEnd])
        defer { server.stop() }
        try await withNative { transport in
            let client = NetworkClient(configuration: NetworkConfiguration(baseURL: server.url, transport: transport))
            _ = try await client.webSocket("live", options: .init(closeTimeout: .milliseconds(100)))
            try await server.wait { $0.isClosedByPeer }
        }
    }

    /// The echo server speaks by swift-nio's frames.
    @Test func conversesWithTheEchoServer() async throws {
        try await EchoServer.withServer { server in
            try await withNative { transport in
                let client = NetworkClient(
                    configuration: NetworkConfiguration(baseURL: server.url, transport: transport))
                let socket = try await client.webSocket("websocket")
                for length in [0, 1, 126, 70_000, 1_000_000] {
                    let data = StoredBody.bytes(length, seed: 2)
                    async let sent: Void = socket.send(data)
                    #expect(try await socket.receive() == .data(data))
                    try await sent
                }
                try await socket.ping()
                try await socket.close(reason: "bye")
                #expect(socket.closure == WebSocket.Closure(.normal, reason: "bye"))
            }
        }
    }

    /// Opened by a task of the loop, it is read there; by another, it is not. Either way it speaks the same.
    @Test(arguments: [true, false]) func conversesInTheThreadOfTheLoop(_ staysThere: Bool) async throws {
        try await EchoServer.withServer { server in
            try await withNative { transport in
                let client = NetworkClient(
                    configuration: NetworkConfiguration(baseURL: server.url, transport: transport))
                let loop = transport.loopExecutors[0]
                let socket = try await withTaskExecutorPreference(loop) { try await client.webSocket("websocket") }
                try await withTaskExecutorPreference(staysThere ? loop : nil) {
                    for length in [0, 1, 126, 70_000, 1_000_000] {
                        let data = StoredBody.bytes(length, seed: 5)
                        async let sent: Void = socket.send(data)
                        #expect(try await socket.receive() == .data(data))
                        try await sent
                    }
                    try await socket.ping()
                    try await socket.close()
                }
                #expect(socket.closure?.code == .normal)
                // What was the socket's does not keep the loop.
                let response = try await client.open(
                    NetworkRequest<VoidRequest, VoidResponse>(path: "get", method: .get))
                #expect(response.head.status == .ok)
            }
        }
    }

    @Test func libcurlSaysThatItCannot() async throws {
        let transport = CurlTransport(configuration: .init(), environment: { _ in nil })
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: "http://127.0.0.1:9", transport: transport))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await client.webSocket("live") }
        #expect(error?.code == .unsupportedByTransport)
        await transport.shutdown()
    }
}
