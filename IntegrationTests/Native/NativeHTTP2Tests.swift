// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import Synchronization
import Testing

@testable import StrataNative
@testable import StrataTesting

/// HTTP/2, as the engine carries it.
struct NativeHTTP2Tests {
    private func withSecureServer(
        http2: Bool = true, _ configure: (inout NativeTransport.Configuration) -> Void = { _ in },
        _ body: (NativeTransport, _ url: String) async throws -> Void
    ) async throws {
        try await EchoServer.withServer(.init(tls: EchoServer.TLS(), http2: http2)) { server in
            let authority = try #require(server.certificateAuthority)
            try await withNative({
                $0.tls.trust = .pem(Data(authority.certificatePEM.utf8))
                configure(&$0)
            }) { try await body($0, "https://localhost:\(server.port)") }
        }
    }

    private func priorKnowledge(_ options: inout RequestOptions) { options.httpVersion = .http2PriorKnowledge }

    private func numbers(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<count { group.addTask { try await body(number) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    // MARK: - Uploads

    /// The server's window has room all the time, and its answer does not say that the rest is not wanted (RFC 9113 §8.1).
    @Test func aSlowProducersBodyIsSentToItsEndThoughASuccessHasCome() async throws {
        let answer: HTTP2Script = [.grant(100_000), .fields([":status": "200"]), .data("ok")]
        let server = try RawServer.start(streams: [answer])
        defer { server.stop() }
        let producer = AsyncStream<Data>.makeStream()
        let producing = Task {
            for _ in 0..<3 {
                // Longer than a server may take nothing once it has answered.
                try await Task.sleep(for: .milliseconds(1200))
                producer.continuation.yield(Data(count: 1000))
            }
            producer.continuation.finish()
        }
        defer { producing.cancel() }
        try await withNative { transport in
            let body = RequestBody.stream(from: producer.stream)
            let response = try await transport.send(.post, server.url, body: body, configure: priorKnowledge)
            expectEqual(String(decoding: try await response.body.collect(), as: UTF8.self), "ok")
            try await server.wait(within: .seconds(30)) { $0.streams.first?.isComplete == true }
            #expect(server.log.streams.first?.body.count == 3000)
            #expect(server.log.streams.first?.isReset == false)
        }
    }

    // MARK: - Connections

    @Test func callsThatStartAtOnceShareAConnection() async throws {
        try await withSecureServer { transport, url in
            let made = try await numbers(64) { number in
                let response = try await transport.send(.get, url + "/get?n=\(number)")
                #expect(response.metrics?.httpVersion == "HTTP/2")
                let text = String(decoding: try await response.body.collect(), as: UTF8.self)
                #expect(text.contains("n=\(number)"))
                return response.metrics?.isConnectionReused == false
            }
            #expect(made == 1)
            let response = try await transport.send(.get, url + "/get")
            #expect(response.metrics?.isConnectionReused == true && response.metrics?.secured == nil)
        }
    }

    @Test func callsGetConnectionsOfTheirOwnWhereHTTP1IsNegotiated() async throws {
        try await withSecureServer(http2: false) { transport, url in
            let made = try await numbers(8) { number in
                let response = try await transport.send(.get, url + "/delay/1")
                #expect(response.metrics?.httpVersion == "HTTP/1.1")
                _ = try await response.body.collect()
                return response.metrics?.isConnectionReused == false
            }
            #expect(made == 8)
        }
    }

    @Test func speaksHTTP1WhereThatIsAskedFor() async throws {
        try await withSecureServer { transport, url in
            for version in [HTTPVersionPolicy.automatic, .http1, .automatic, .http1, .http2PriorKnowledge] {
                let response = try await transport.send(.get, url + "/get") { $0.httpVersion = version }
                #expect(response.metrics?.httpVersion == (version == .http1 ? "HTTP/1.1" : "HTTP/2"))
                _ = try await response.body.collect()
            }
        }
    }

    @Test func takesNoMoreStreamsThanTheServerAllows() async throws {
        let most = Mutex(0)
        let limit = HTTP2Frame(.settings, payload: [0, 3, 0, 0, 0, 3])
        let answer: HTTP2Script = [
            .until { log in
                let open = log.streams.filter { $0.connection == log.streams[0].connection && !$0.isPlayed }
                most.withLock { $0 = max($0, open.count) }
                return true
            }, .wait(.milliseconds(20)), .fields([":status": "200"]), .data("ok"),
        ]
        let server = try RawServer.start(streams: [HTTP2Script(steps: [.frame(limit)] + answer.steps), answer])
        defer { server.stop() }
        try await withNative({ $0.maximumConnectionsPerHost = 1 }) { transport in
            #expect(try await transport.send(.get, server.url, configure: priorKnowledge).body.collect().count == 2)
            let count = try await numbers(20) { _ in
                let response = try await transport.send(.get, server.url, configure: priorKnowledge)
                return try await response.body.collect().count == 2
            }
            #expect(count == 20)
        }
        // The one whose script has sent its last frame may not be marked yet.
        #expect(most.withLock { $0 } <= 6)
        #expect(server.log.connectionCount == 1)
    }

    @Test func aLimitOfConnectionsCountsAllVersions() async throws {
        try await withSecureServer({ $0.maximumConnectionsPerHost = 1 }) { transport, url in
            for version in [HTTPVersionPolicy.automatic, .automatic] {
                let response = try await transport.send(.get, url + "/get") { $0.httpVersion = version }
                _ = try await response.body.collect()
            }
            _ = try await numbers(16) { _ in
                try await transport.send(.get, url + "/get").head.status == .ok
            }
        }
    }

    // MARK: - Bodies

    @Test func largeBodiesGoBothWays() async throws {
        try await withSecureServer { transport, url in
            let bytes = StoredBody.bytes(3_000_000, seed: 5)
            let text = try await transport.text(
                .post, url + "/post", body: .data(Data(repeating: 0x61, count: 2_000_000)))
            #expect(text.utf8.count > 2_000_000)
            let response = try await transport.send(.get, url + "/bytes/100000?seed=3")
            #expect(try await response.body.collect().count == 100_000)
            let pieces = RequestBody.stream(isReplayable: true) {
                PiecesSource(stride(from: 0, to: bytes.count, by: 30_000).map { bytes.dropFirst($0).prefix(30_000) })
            }
            #expect(try await transport.send(.post, url + "/post", body: pieces).body.collect().count > 3_000_000)
        }
    }

    /// A hundred bodies that nobody reads do not fill the memory, and hold up no other call.
    @Test func unreadBodiesAreBoundedAndHoldUpNobody() async throws {
        let size = 40 << 20
        let big = HTTP2Script(steps: [
            .fields([":status": "200"]), .body([UInt8](repeating: 1, count: 1 << 20), times: 40, ends: true),
        ])
        let server = try RawServer.start(streams: Array(repeating: big, count: 100) + [.answer("ok")])
        defer { server.stop() }
        try await withNative { transport in
            var responses: [TransportResponse] = []
            for _ in 0..<100 { responses.append(try await transport.send(.get, server.url, configure: priorKnowledge)) }
            try await server.wait(within: .seconds(60)) { log in log.streams.allSatisfy { $0.sent >= 200_000 } }
            try await Task.sleep(for: .milliseconds(200))
            #expect(server.log.streams.reduce(0) { $0 + $1.sent } < 40_000_000)
            let other = try await transport.send(.get, server.url, configure: priorKnowledge)
            #expect(try await other.body.collect() == Data("ok".utf8))
            #expect(try await responses[50].body.collect(upTo: size).count == size)
        }
    }

    @Test func aCancelledDownloadLeavesTheConnectionToOthers() async throws {
        let big = HTTP2Script(steps: [
            .fields([":status": "200"]), .body([UInt8](repeating: 1, count: 1 << 20), times: 40, ends: true),
        ])
        let server = try RawServer.start(streams: Array(repeating: big, count: 40) + [.answer("ok")])
        defer { server.stop() }
        try await withNative { transport in
            for _ in 0..<40 {
                let response = try await transport.send(.get, server.url, configure: priorKnowledge)
                var pieces = response.body.makeAsyncIterator()
                #expect(try await pieces.next()?.isEmpty == false)
            }
            let last = try await transport.send(.get, server.url, configure: priorKnowledge)
            #expect(try await last.body.collect() == Data("ok".utf8))
            #expect(server.log.connectionCount == 1)
        }
    }

    @Test func trailersGoOut() async throws {
        let server = try RawServer.start(streams: [
            [.until { $0.streams[0].isComplete }, .fields([":status": "200"]), .data("ok")]
        ])
        defer { server.stop() }
        try await withNative { transport in
            let body = RequestBody.stream(isReplayable: true, hasTrailers: true) {
                PiecesSource([Data("abc".utf8)], trailers: [.init("X-Sum")!: "7"])
            }
            let response = try await transport.send(.post, server.url, body: body, configure: priorKnowledge)
            #expect(try await response.body.collect() == Data("ok".utf8))
        }
        #expect(server.log.streams[0].body == Array("abc".utf8))
    }

    /// A call whose answer goes on while its body does.
    @Test func streamsBothWaysAtOnce() async throws {
        let server = try RawServer.start(streams: [
            [
                .fields([":status": "200"]), .data("1", ends: false), .until { $0.streams[0].body.count == 1 },
                .data("2", ends: false), .until { $0.streams[0].body.count == 2 }, .data("3"),
            ]
        ])
        defer { server.stop() }
        try await withNative { transport in
            let (stream, source) = AsyncStream.makeStream(of: Data.self)
            let body = RequestBody.stream(from: stream)
            let response = try await transport.send(.post, server.url, body: body, configure: priorKnowledge)
            var pieces = response.body.makeAsyncIterator()
            for text in ["1", "2", "3"] {
                #expect(try await pieces.next() == Data(text.utf8))
                source.yield(Data("x".utf8))
            }
            source.finish()
            #expect(try await pieces.next() == nil)
        }
    }

    // MARK: - Repeats

    @Test func goesOverToHTTP1WhereTheServerWantsIt() async throws {
        let modern = try RawServer.start(streams: [[.reset(.http11Required)]])
        let old = try RawServer.start(script: .forever(.readRequest, .respond(body: "old")))
        defer { for server in [modern, old] { server.stop() } }
        try await TLSFront.withServer(["h2": modern.port, "http/1.1": old.port]) { front in
            try await withNative({ $0.tls.trust = .pem(Data(front.authority.certificatePEM.utf8)) }) { transport in
                let response = try await transport.send(.post, front.url, body: .data(Data("x".utf8)))
                #expect(response.metrics?.httpVersion == "HTTP/1.1")
                #expect(try await response.body.collect() == Data("old".utf8))
            }
        }
    }

    @Test(arguments: 0..<5) func repeatsARefusedUpload(_: Int) async throws {
        let scripts: [HTTP2Script] = Array(repeating: [.reset(.refusedStream)], count: 3)
        let server = try RawServer.start(
            streams: scripts + [
                [.until { $0.streams.last?.isComplete == true }, .fields([":status": "200"]), .data("ok")]
            ])
        defer { server.stop() }
        try await withNative { transport in
            let body = RequestBody.stream(length: 30_000, isReplayable: true) {
                PiecesSource(Array(repeating: Data(count: 10_000), count: 3))
            }
            let response = try await transport.send(.post, server.url, body: body, configure: priorKnowledge)
            #expect(try await response.body.collect() == Data("ok".utf8))
        }
    }

    // MARK: - Signs of life

    /// Takes what comes and answers nothing.
    private static let dead: RawScript = [.hang]

    @Test func givesUpAConnectionThatAnswersNothing() async throws {
        let server = try RawServer.start(script: Self.dead)
        defer { server.stop() }
        try await withNative({ $0.pings = .init(after: 100_000_000, patience: 100_000_000) }) { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(.get, server.url, configure: priorKnowledge)
            }
            #expect(error?.code == .connectionLost && error?.message.contains("PING") == true)
        }
    }

    @Test func keepsAConnectionThatAnswersPINGs() async throws {
        let server = try RawServer.start(streams: [
            [.wait(.milliseconds(800)), .fields([":status": "200"]), .data("ok")]
        ])
        defer { server.stop() }
        try await withNative({ $0.pings = .init(after: 50_000_000, patience: 10_000_000_000) }) { transport in
            let response = try await transport.send(.get, server.url, configure: priorKnowledge)
            #expect(try await response.body.collect() == Data("ok".utf8))
        }
    }

    @Test func asksASilentConnectionBeforeItIsUsedAgain() async throws {
        let server = try RawServer.start(streams: [.answer("ok")])
        defer { server.stop() }
        try await withNative({ $0.pings = .init(silence: 1) }) { transport in
            for _ in 0..<3 {
                let response = try await transport.send(.post, server.url, configure: priorKnowledge)
                #expect(try await response.body.collect() == Data("ok".utf8))
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(server.log.connectionCount == 1)
    }

    // MARK: - Floods and ends

    // A body may come byte by byte; the call's limits end it.
    @Test(
        arguments: Attack.all.filter {
            $0.isOverHTTP2
                && !["CONTINUATION", "SETTINGS acknowledgements", "DATA of a byte"].contains($0.kind)
        })
    func theErrorNamesTheFlood(_ flood: Attack) async throws {
        let server = try flood.start()
        defer { server.stop() }
        try await withNative { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(.get, server.url, configure: priorKnowledge).body.collect()
            }
            // A stream that was reset, or whose interim heads are too many, ends by itself.
            guard !flood.description.hasSuffix("RST_STREAM") else { return }
            #expect(error?.code == .protocolViolation)
            if !flood.description.contains("interim") { #expect(error?.message.contains("floods") == true) }
        }
    }

    @Test func aCallIsSentAgainWhoseConnectionTheAnswerToAnotherBreaks() async throws {
        let part = HTTP2Frame.field("x-part", String(repeating: "a", count: 16_000))
        func fields(_ kind: HTTP2Frame.Kind) -> HTTP2Script.Step {
            .frame(HTTP2Frame(kind, stream: 1, payload: part))
        }
        let server = try RawServer.start(streams: [
            HTTP2Script(
                steps: [fields(.headers), fields(.continuation), .until { $0.streams.count == 2 }]
                    + Array(repeating: fields(.continuation), count: 12)),
            [], .answer("ok"),
        ])
        defer { server.stop() }
        try await withNative({ $0.maximumHeadBytes = 20_000 }) { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(.get, server.url, configure: priorKnowledge)
            }
            #expect(error?.code == .protocolViolation)
            let response = try await transport.send(.get, server.url, configure: priorKnowledge)
            #expect(try await response.body.collect() == Data("ok".utf8))
        }
        #expect(server.log.streams.map(\.connection) == [1, 1, 2])
    }

    @Test func shutdownEndsAllStreams() async throws {
        let server = try RawServer.start(streams: [[]])
        defer { server.stop() }
        let transport = NativeTransport()
        let calls = (0..<10).map { _ in
            Task { try await transport.send(.get, server.url, configure: priorKnowledge).head.status }
        }
        try await server.wait(within: .seconds(30)) { $0.streams.count == 10 }
        await transport.shutdown()
        for call in calls {
            let error = await #expect(throws: NetworkClientError.self) { try await call.value }
            #expect(error?.code == .transportShutDown)
        }
        try await server.wait(within: .seconds(30)) { $0.isClosedByPeer }
    }

    @Test func drainLetsStreamsEnd() async throws {
        let server = try RawServer.start(streams: [
            [.wait(.milliseconds(300)), .fields([":status": "200"]), .data("ok")]
        ])
        defer { server.stop() }
        let transport = NativeTransport()
        let call = Task {
            try await transport.send(.get, server.url, configure: priorKnowledge).body.collect()
        }
        try await server.wait(within: .seconds(30)) { $0.streams.count == 1 }
        await transport.drain(within: .seconds(30))
        #expect(try await call.value == Data("ok".utf8))
    }
}

extension Attack {
    fileprivate var kind: String { String(description.dropFirst("endless ".count)) }
}
