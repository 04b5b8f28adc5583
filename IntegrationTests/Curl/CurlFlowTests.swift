// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataTesting
import Testing

/// Time, pressure, cancellation and the end.
struct CurlFlowTests {
    private static let megabyte = String(repeating: "m", count: 1 << 20)

    /// A response of 64 MB, which no buffer of the system holds.
    private static let large: RawScript = [
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n"),
        .repeat([.send(megabyte)], times: 64),
    ]

    // MARK: - Backpressure

    @Test func slowsTheSenderDownForASlowReader() async throws {
        try await RawServer.withServer(script: Self.large) { server in
            try await withCurl { transport in
                let timeouts = Timeouts(idle: .seconds(3))
                let response = try await transport.send(.get, server.url, timeouts: timeouts)
                // Nobody reads: the sender stalls, and the idle timeout does not count what we hold back ourselves.
                try await Task.sleep(for: .seconds(4))
                #expect(!server.log.has(.finished))
                var count = 0
                for try await piece in response.body { count += piece.count }
                #expect(count == 64 << 20)
            }
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [-5, 0, 1, 16_384, 65_536, 131_072, 131_073])
    func handsOutEverythingHoweverLittleMayWait(_ highWaterMark: Int) async throws {
        let body = String(repeating: "m", count: 3_000_000)
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: body))) { server in
            try await withCurl({ $0.highWaterMark = highWaterMark }) { transport in
                for _ in 0..<3 {
                    expectEqual(try await transport.send(.get, server.url).body.collect().count, body.utf8.count)
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func endsWithAFailureThatComesWhenItGoesOn() async throws {
        let chunk = String(300_000, radix: 16) + "\r\n" + String(repeating: "b", count: 300_000) + "\r\n0\r\n"
        let trailers = "x-trailer: \(String(repeating: "t", count: 20_000))\r\n\r\n"
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await RawServer.withServer(script: [.readRequest, .send(head + chunk + trailers), .hang]) { server in
            try await withCurl({ $0.maximumHeadBytes = 4000 }) { transport in
                let timeouts = Timeouts(connect: .seconds(600), idle: .seconds(600))
                let response = try await transport.send(.get, server.url, timeouts: timeouts)
                try await Task.sleep(for: .milliseconds(200))
                await #expect { try await response.body.collect() } throws: { $0.stage == .protocolViolation }
            }
        }
    }

    @Test func holdsAProducerBackForASlowServer() async throws {
        try await RawServer.withServer(script: [.readHead, .hang]) { server in
            try await withCurl { transport in
                let source = EndlessSource()
                let body = RequestBody.stream(isReplayable: false) { source }
                let task = Task { try await transport.text(.post, server.url, body: body) }
                // What the system's buffers hold is produced, and no more, whatever the time.
                var counts = [0]
                while counts.count < 100, counts.last == 0 || counts.last != counts.dropLast().last {
                    try await Task.sleep(for: .milliseconds(200))
                    counts.append(source.count)
                }
                #expect(counts.count < 100)
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }

    @Test(arguments: [200, 413]) func endsAProducerThatWaitsWhenTheTransferIsOver(_ status: Int) async throws {
        let script: RawScript = [.readHead, .respond(status, fields: ["Connection: close"], body: "no"), .close]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                let source = SilentSource()
                let body = RequestBody.stream(isReplayable: false) { source }
                expectEqual(try await transport.text(.post, server.url, body: body), "no")
                await source.end
            }
        }
    }

    @Test func anAnswerInFullIsOneWhenTheProducerStaysSilent() async throws {
        try await RawServer.withServer(script: [.readHead, .respond(200, body: "ok"), .hang]) { server in
            try await withCurl { transport in
                let body = RequestBody.stream(isReplayable: false) { SilentSource() }
                let response = try await transport.send(
                    .post, server.url, body: body, timeouts: Timeouts(idle: .seconds(2)))
                expectEqual(try await response.body.collect(), Data("ok".utf8))
            }
        }
    }

    /// With a limit that passes before that is certain, and with one that does not.
    @Test(
        .timeLimit(.minutes(2)),
        arguments: [Timeouts(idle: nil, attempt: .seconds(5)), Timeouts(connect: .seconds(600), idle: .seconds(600))])
    func anAnswerInFullIsOneWhenTheServerReadsNoMore(_ timeouts: Timeouts) async throws {
        try await RawServer.withServer(script: [.readHead, .respond(200, body: "ok"), .hang]) { server in
            try await withCurl { transport in
                let response = try await transport.send(
                    .post, server.url, body: .data(Data(count: 32 << 20)), timeouts: timeouts)
                expectEqual(try await response.body.collect(), Data("ok".utf8))
            }
        }
    }

    @Test func aRefusalIsAnAnswerThoughItsUploadFails() async throws {
        let head = "HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\nConnection: close\r\n\r\nno"
        let script: RawScript = [.readHead, .send(head), .wait(.milliseconds(200)), .send("no"), .close]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                let source = FailingSource()
                let response = try await transport.send(
                    .post, server.url, body: .stream(isReplayable: false) { source })
                source.fail()
                expectEqual(try await response.body.collect(), Data("nono".utf8))
            }
        }
    }

    /// Else the server would take the part that it has for the whole (RFC 9112 §8). With and without a length, and of a body with
    /// and without one.
    @Test(.timeLimit(.minutes(5)), arguments: ["Content-Length: 4\r\n", ""], [nil, 30_000_000] as [Int64?])
    func aRefusedBodyIsNotEndedAsIfItWereComplete(_ field: String, _ length: Int64?) async throws {
        let head = "HTTP/1.1 413 Too Large\r\nConnection: close\r\n\(field)\r\nno"
        let script: RawScript = [
            .readHead, .send(head), .wait(.milliseconds(200)), .send("pe"), .closeOutput, .readBody,
        ]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                let pieces = (0..<300).map { _ in Data(repeating: 0x61, count: 100_000) }
                let body = RequestBody.stream(length: length, isReplayable: true) { PiecesSource(pieces) }
                let response = try await transport.send(.post, server.url, body: body, timeouts: .patient)
                expectEqual(response.head.status.code, 413)
                expectEqual(try await response.body.collect(), Data("nope".utf8))
            }
            try await server.wait { $0.has(.closedByPeer, on: 1) || $0.has(.resetByPeer, on: 1) }
            let sent = try #require(server.log.requests.first?.rawBody)
            #expect(sent.count < 30_000_000)
            #expect(!sent.suffix(5).elementsEqual("0\r\n\r\n".utf8))
        }
    }

    // MARK: - Timeouts

    @Test func sendsNothingWhenTheTimeIsOver() async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "hello"))) { server in
            try await withCurl { transport in
                expectEqual(try await transport.text(.get, server.url), "hello")
                await #expect {
                    try await transport.send(.post, server.url, timeouts: Timeouts(attempt: .zero))
                } throws: {
                    ($0 as? NetworkClientError)?.timeout == .attempt
                }
                expectEqual(try await transport.text(.get, server.url), "hello")
            }
            #expect(server.log.requests.map(\.method) == ["GET", "GET"])
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(1)])
    func takesASilenceOfNothingForTooLong(_ limit: Duration) async throws {
        try await RawServer.withServer(script: [.readRequest, .hang]) { server in
            try await withCurl { transport in
                await #expect {
                    try await transport.send(.get, server.url, timeouts: Timeouts(idle: limit))
                } throws: {
                    ($0 as? NetworkClientError)?.timeout == .idle
                }
            }
        }
    }

    /// What has been sent is no activity when the silence has lasted long enough.
    @Test(arguments: [10, 2_000_000]) func aBodyThatWasSentMakesTheSilenceNoLonger(_ size: Int) async throws {
        try await RawServer.withServer(script: [.readRequest, .hang]) { server in
            try await withCurl { transport in
                let timeouts = Timeouts(idle: .seconds(4), attempt: .milliseconds(7900))
                await #expect {
                    try await transport.send(.post, server.url, body: .data(Data(count: size)), timeouts: timeouts)
                } throws: {
                    ($0 as? NetworkClientError)?.timeout == .idle
                }
            }
        }
    }

    @Test func doesNotCountAPauseBetweenRequests() async throws {
        let script: RawScript = [
            .readRequest, .respond(body: "a"), .readRequest, .wait(.milliseconds(100)), .respond(body: "b"),
        ]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                let timeouts = Timeouts(idle: .seconds(3))
                for expected in ["a", "b"] {
                    let response = try await transport.send(.get, server.url, timeouts: timeouts)
                    expectEqual(String(decoding: try await response.body.collect(), as: UTF8.self), expected)
                    if expected == "a" { try await Task.sleep(for: .seconds(4)) }
                }
            }
        }
    }

    // MARK: - Cancellation

    @Test func leavesACompleteCallAlone() async throws {
        try await RawServer.withServer(script: [.readRequest, .respond(body: "hello")]) { server in
            try await withCurl { transport in
                let task = Task {
                    let response = try await transport.send(.get, server.url)
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await response.body.collect()
                }
                expectEqual(try await task.value, Data("hello".utf8))
            }
        }
    }

    // MARK: - The end

    @Test func failsCallsUnderWayAndLaterOnesAfterShutdown() async throws {
        try await RawServer.withServer(script: [.readRequest, .readToEnd]) { server in
            let transport = CurlTransport(configuration: .direct)
            let calls = (0..<20).map { _ in Task { try await transport.text(.get, server.url) } }
            try await server.wait(within: .seconds(30)) { $0.requests.count == 20 }
            await transport.shutdown()
            for call in calls {
                await #expect { try await call.value } throws: { $0.stage == .transportShutDown }
            }
            await #expect { try await transport.text(.get, server.url) } throws: { $0.stage == .transportShutDown }
            await transport.shutdown()
        }
    }

    @Test func failsABodyThatIsReadAfterShutdown() async throws {
        try await RawServer.withServer(script: Self.large) { server in
            let transport = CurlTransport(configuration: .direct)
            let response = try await transport.send(.get, server.url)
            await transport.shutdown()
            await #expect { try await response.body.collect(upTo: .max) } throws: { $0.stage == .transportShutDown }
        }
    }

    @Test func shutsDownWithoutHavingBegun() async {
        let transport = CurlTransport(configuration: .direct)
        await transport.shutdown()
        await #expect { try await transport.text(.get, "http://127.0.0.1:9/") } throws: {
            $0.stage == .transportShutDown
        }
    }

    @Test func readsABodyAfterTheTransportWasDropped() async throws {
        try await RawServer.withServer(script: Self.large) { server in
            let response = try await CurlTransport(configuration: .direct).send(.get, server.url)
            var count = 0
            for try await piece in response.body { count += piece.count }
            #expect(count == 64 << 20)
        }
    }
}
