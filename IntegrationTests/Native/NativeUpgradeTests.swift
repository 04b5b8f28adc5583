// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataWebSocket
import Synchronization
import TestSupport
import Testing

@testable import StrataNative
@testable import StrataTesting

/// What becomes of an upgrade over TLS: a stream of a connection over HTTP/2 where the server takes that (RFC 8441), else a connection
/// over HTTP/1.1.
@Suite(.timeLimit(.minutes(2)))
struct NativeUpgradeTests {
    private static let overHTTP1: RawScript = [.readRequest, .switchProtocols(to: "echo"), .echo]
    private static let overHTTP2: HTTP2Script = [.fields([":status": "200"]), .echo]

    /// A server whose HTTP/2 and HTTP/1.1 are played, behind TLS.
    private func withFront(
        _ streams: [HTTP2Script], settings: KeyValuePairs<UInt16, UInt32>, ports: Set<String> = ["h2", "http/1.1"],
        _ configure: (inout NativeTransport.Configuration) -> Void = { _ in },
        _ body: (NativeTransport, _ url: String, _ modern: RawServer, _ old: RawServer) async throws -> Void
    ) async throws {
        let modern = try RawServer.start(streams: streams, settings: settings)
        let old = try RawServer.start(script: Self.overHTTP1)
        defer { for server in [modern, old] { server.stop() } }
        let all = ["h2": modern.port, "http/1.1": old.port].filter { ports.contains($0.key) }
        try await TLSFront.withServer(all) { front in
            try await withNative({
                $0.tls.trust = .pem(Data(front.authority.certificatePEM.utf8))
                configure(&$0)
            }) { try await body($0, front.url, modern, old) }
        }
    }

    private func upgrade(
        _ transport: NativeTransport, _ url: String, _ method: HTTPMethod = .get, body: RequestBody = .empty,
        timeouts: Timeouts = .patient
    ) async throws -> (channel: ByteChannel, version: String?) {
        let response = try await transport.send(method, url, body: body, timeouts: timeouts) { $0.upgrade = "echo" }
        #expect(response.head.status == .switchingProtocols)
        return (try #require(response.channel), response.metrics?.httpVersion)
    }

    private func echoes(_ channel: ByteChannel) async throws {
        try await channel.write(Data("hello".utf8))
        var text = Data()
        while text.count < 5, let bytes = try await channel.read() { text += bytes }
        #expect(text == Data("hello".utf8))
    }

    /// One that does not speak HTTP/2 would not do so the next time.
    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", NetworkClientError.Code.protocolViolation),
        ("", .connectionLost),
    ]) func aServerThatNeverSaysItsSettingsIsAskedOnce(_ answer: String, _ code: NetworkClientError.Code) async throws {
        let script: RawScript = answer.isEmpty ? [.readHead, .close] : [.readHead, .send(answer), .readUntilClosed]
        try await RawServer.withServer(script: script) { server in
            try await withNative { transport in
                let error = await #expect(throws: NetworkClientError.self) {
                    try await transport.send(.get, server.url) {
                        $0.upgrade = "echo"
                        $0.httpVersion = .http2PriorKnowledge
                    }
                }
                #expect(error?.code == code && error?.isUnprocessed == true)
            }
            #expect(server.log.connectionCount == 1)
        }
    }

    private func at(once count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { try await body(number) } }
            try await group.waitForAll()
        }
    }

    @Test func isAStreamWhereTheServerTakesThat() async throws {
        try await withFront([Self.overHTTP2], settings: [8: 1]) { transport, url, modern, old in
            try await at(once: 20) { _ in
                let (channel, version) = try await upgrade(transport, url)
                #expect(version == "HTTP/2")
                try await echoes(channel)
                await channel.close(within: .seconds(60))
            }
            #expect(modern.log.connectionCount == 1 && modern.log.streams.count == 20)
            #expect(modern.log.streams.allSatisfy { $0.isComplete && !$0.isResetByPeer })
            #expect(old.log.connectionCount == 0)
        }
    }

    @Test func isAConnectionOverHTTP1WhereTheServerTakesNone() async throws {
        try await withFront([.answer("ok")], settings: [3: 100]) { transport, url, modern, old in
            try await at(once: 5) { _ in
                let (channel, version) = try await upgrade(transport, url)
                #expect(version == "HTTP/1.1")
                try await echoes(channel)
            }
            #expect(modern.log.connectionCount == 1 && modern.log.streams.isEmpty)
            // From now on it is known.
            try await echoes(upgrade(transport, url).channel)
            let response = try await transport.send(.get, url)
            #expect(response.metrics?.httpVersion == "HTTP/2" && response.metrics?.isConnectionReused == true)
            #expect(try await response.body.collect() == Data("ok".utf8))
            #expect(modern.log.connectionCount == 1 && old.log.requests.count == 6)
        }
    }

    @Test func isAConnectionOverHTTP1WhereTLSChoosesThat() async throws {
        try await withFront([], settings: [:], ports: ["http/1.1"]) { transport, url, _, old in
            let (channel, version) = try await upgrade(transport, url)
            #expect(version == "HTTP/1.1")
            try await echoes(channel)
            #expect(old.log.connectionCount == 1)
        }
    }

    /// HTTP/2 has no words for another method, or for a body before the change.
    @Test func goesOverHTTP1WithABody() async throws {
        try await withFront([Self.overHTTP2], settings: [8: 1]) { transport, url, modern, old in
            let (channel, version) = try await upgrade(transport, url, .post, body: .data(Data("x".utf8)))
            #expect(version == "HTTP/1.1")
            try await echoes(channel)
            #expect(old.log.requests[0].body == Array("x".utf8) && modern.log.connectionCount == 0)
        }
    }

    @Test func goesOverHTTP1WhereTheServerWantsThat() async throws {
        try await withFront([[.reset(.http11Required)]], settings: [8: 1]) { transport, url, _, _ in
            let (channel, version) = try await upgrade(transport, url)
            #expect(version == "HTTP/1.1")
            try await echoes(channel)
        }
    }

    /// The settings come when the server wants; what waits for them has its limits, and holds up nobody.
    @Test func waitsForTheSettings() async throws {
        let silent = try RawServer.start(script: [.hang])
        defer { silent.stop() }
        try await TLSFront.withServer(["h2": silent.port]) { front in
            try await withNative({ $0.tls.trust = .pem(Data(front.authority.certificatePEM.utf8)) }) { transport in
                let timeouts = Timeouts(connect: .seconds(60), idle: .milliseconds(200))
                let error = await #expect(throws: NetworkClientError.self) {
                    try await upgrade(transport, front.url, timeouts: timeouts)
                }
                #expect(error?.timeout == .idle)
                let call = Task { try await upgrade(transport, front.url) }
                try await silent.wait { $0.connectionCount > 0 }
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
                #expect(transport.liveTransfers == 0)
            }
        }
    }

    /// A connection that carries HTTP/2 is idle, and in the way of the one over HTTP/1.1 that is allowed alone.
    @Test func anIdleConnectionMakesRoomForOneThatSpeaksSomethingElse() async throws {
        try await withFront([.answer("ok")], settings: [:], { $0.maximumConnectionsPerHost = 1 }) {
            transport, url, modern, old in
            for round in 1...3 {
                expectEqual(try await transport.send(.get, url).body.collect(), Data("ok".utf8))
                let (channel, version) = try await upgrade(transport, url)
                #expect(version == "HTTP/1.1")
                try await echoes(channel)
                // One that waits gets the place of the channel.
                async let next = transport.send(.get, url).body.collect()
                await channel.close()
                #expect(try await next == Data("ok".utf8))
                #expect(old.log.connectionCount == round)
            }
        }
    }

    @Test func aConnectionThatIsLostLosesItsChannels() async throws {
        try await withFront([Self.overHTTP2], settings: [8: 1]) { transport, url, modern, _ in
            let channels = [try await upgrade(transport, url).channel, try await upgrade(transport, url).channel]
            for channel in channels { try await echoes(channel) }
            modern.stop()
            for channel in channels {
                let error = await #expect(throws: NetworkClientError.self) { try await channel.read() }
                #expect(error?.code == .connectionLost)
            }
        }
    }

    /// Cancels at any moment, of channels and of calls, leave the others and nothing behind.
    @Test(arguments: 0..<3) func cancelsAtAnyMomentLeaveTheOthers(_ seed: UInt64) async throws {
        let random = Mutex(SeededGenerator(seed: seed))
        let numbers = (0..<120).map { _ in random.withLock { Int.random(in: 0..<4000, using: &$0) } }
        try await withFront([Self.overHTTP2], settings: [8: 1]) { transport, url, _, _ in
            try await at(once: 6) { worker in
                for number in 0..<20 {
                    let delay = numbers[worker * 20 + number]
                    let task = Task {
                        let (channel, _) = try await upgrade(transport, url)
                        for _ in 0..<3 { try await echoes(channel) }
                        await channel.close(within: .seconds(60))
                    }
                    if delay % 2 == 0 {
                        try await Task.sleep(for: .microseconds(delay))
                        task.cancel()
                    }
                    if case .failure(let error) = await task.result {
                        #expect(error is CancellationError && delay % 2 == 0, "\(error)")
                    }
                }
            }
            await eventually { transport.liveTransfers == 0 }
            try await echoes(upgrade(transport, url).channel)
        }
    }

    /// The echo server's HTTP/2 takes no sockets.
    @Test func aSocketNeedNotKnowTheVersion() async throws {
        try await EchoServer.withServer(.init(tls: EchoServer.TLS(), http2: true)) { server in
            let authority = try #require(server.certificateAuthority)
            try await withNative({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                let client = NetworkClient(
                    configuration: NetworkConfiguration(
                        baseURL: "https://localhost:\(server.port)", transport: transport))
                let socket = try await client.webSocket("websocket")
                try await socket.send("hello")
                #expect(try await socket.receive() == .text("hello"))
                try await socket.close()
                #expect(socket.exchange.attempts.map(\.metrics?.httpVersion) == ["HTTP/1.1"])
            }
        }
    }
}
