// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Another protocol on a stream of HTTP/2 (RFC 8441), which the caller takes for one on a connection of its own.
extension TransportRule {
    /// SETTINGS_ENABLE_CONNECT_PROTOCOL (RFC 8441 §3).
    private static let consent: KeyValuePairs<UInt16, UInt32> = [8: 1]
    private static let accepting = HTTP2Script.Step.fields([":status": "200"])
    private static let open = HTTP2Script.Step.until { _ in false }

    private static func ask(_ options: (inout RequestOptions) -> Void = { _ in }) -> RuleBench.Ask {
        RuleBench.Ask {
            ($0.upgrade, $0.httpVersion) = ("echo/1", .http2PriorKnowledge)
            options(&$0)
        }
    }

    private static let plain = RuleBench.Ask { $0.httpVersion = .http2PriorKnowledge }

    private static func upgrade(
        _ name: String, source: String, _ scripts: [HTTP2Script], settings: KeyValuePairs<UInt16, UInt32>? = nil,
        check: @escaping @Sendable (RuleBench, RawServer) async throws -> Void
    ) -> TransportRule {
        TransportRule(name, source: source, needs: [.upgrades, .http2PriorKnowledge]) { bench in
            let server = try RawServer.start(streams: scripts, settings: settings ?? consent)
            defer { server.stop() }
            try await check(bench, server)
        }
    }

    private static func stream(
        _ name: String, source: String = "RFC 8441 §5", _ steps: [HTTP2Script.Step], then others: HTTP2Script...,
        options: @escaping @Sendable (inout RequestOptions) -> Void = { _ in },
        check: @escaping @Sendable (RuleBench, TransportResponse, ByteChannel, RawServer) async throws -> Void
    ) -> TransportRule {
        upgrade(name, source: source, [HTTP2Script(steps: steps)] + others) { bench, server in
            let response = try await bench.transport.send(try bench.request(ask(options), to: server))
            guard let channel = response.channel else { throw RuleViolation("there is no channel") }
            try await check(bench, response, channel, server)
        }
    }

    private static func expect<Result>(
        _ bench: RuleBench, _ code: NetworkClientError.Code, _ work: () async throws -> Result
    ) async throws -> NetworkClientError {
        do { _ = try await work() } catch let error as NetworkClientError {
            try bench.expect(error.code, is: code, "the code")
            return error
        }
        throw RuleViolation("it passed for success")
    }

    private static func expectCancelled<Result>(_ work: () async throws -> Result) async throws {
        do { _ = try await work() } catch is CancellationError { return }
        throw RuleViolation("it passed for success")
    }

    /// That another call goes well, on the same connection.
    private static func expectOK(_ bench: RuleBench, _ server: RawServer) async throws {
        try bench.expect(try await bench.exchange(plain, with: server).text, is: "ok", "the body of the next call")
        try bench.expect(server.log.connectionCount, is: 1, "the number of connections")
    }

    // MARK: - The answer

    private static let accepted: [TransportRule] = [
        stream(
            "an upgrade over HTTP/2 has the head of a 101 and a channel", source: "RFC 8441 §5",
            [.fields([":status": "200", "x-a": "1"]), open]
        ) { bench, response, _, _ in
            try bench.expect(response.head.status.code, is: 101, "the status")
            try bench.expect(response.head.headerFields[.upgrade], is: "echo/1", "Upgrade")
            try bench.expect(response.head.headerFields[.init("x-a")!], is: "1", "a field of the answer")
            try bench.expect(try await response.body.collect().count, is: 0, "the length of the body")
        },
        stream(
            "an upgrade over HTTP/2 may be accepted behind a 103",
            [.fields([":status": "103"]), accepting, .data("ok", ends: false), open]
        ) { bench, _, channel, _ in try bench.expect(try await channel.text(2), is: "ok", "the bytes") },
        stream("what is written to a stream of HTTP/2 comes back", [accepting, .echo]) { bench, _, channel, _ in
            for text in ["hello", "\r\n\r\n", "\0"] {
                try await channel.write(Data(text.utf8))
                try bench.expect(try await channel.text(text.utf8.count), is: text, "the bytes")
            }
        },
        stream(
            "channels over HTTP/2 share a connection with calls", [accepting, .echo],
            then: .answer("ok"), [accepting, .echo], .answer("ok")
        ) { bench, _, channel, server in
            try await expectOK(bench, server)
            let other = try await bench.open(ask(), with: server)
            try await expectOK(bench, server)
            for (name, channel) in [("first", channel), ("other", other)] {
                try await channel.write(Data(name.utf8))
                try bench.expect(try await channel.text(5), is: name, "the bytes")
            }
            await channel.close()
            try await other.write(Data("still".utf8))
            try bench.expect(try await other.text(5), is: "still", "the bytes")
            try bench.expect(server.log.connectionCount, is: 1, "the number of connections")
        },
    ]

    private static let refused: [TransportRule] =
        ["302", "401", "404", "503"].map { status in
            upgrade(
                "an upgrade over HTTP/2 that is answered with \(status) is an ordinary exchange", source: "RFC 8441 §5",
                [[.fields([":status": status, "content-length": "2"]), .data("no")], .answer("ok")]
            ) { bench, server in
                let response = try await bench.transport.send(try bench.request(ask(), to: server))
                try bench.expect("\(response.head.status.code)", is: status, "the status")
                try bench.expect(response.channel == nil, "there is a channel")
                try bench.expect(try await response.body.collect() == Data("no".utf8), "the body is another")
                try await server.wait { $0.streams[0].isComplete || $0.streams[0].isResetByPeer }
                try await expectOK(bench, server)
            }
        } + [
            upgrade(
                "an upgrade over HTTP/2 that the server does not take is refused without being sent",
                source: "RFC 8441 §3", [.answer("ok")], settings: [:]
            ) { bench, server in
                let error = try await bench.failure(ask(), with: server)
                try bench.expect(error.code, is: .unsupportedByTransport, "the code")
                try bench.expect(error.isUnprocessed, "the error does not say that nothing was sent")
                try bench.expect(server.log.streams.count, is: 0, "the number of streams")
                try await expectOK(bench, server)
            },
            upgrade(
                "an upgrade over HTTP/2 whose stream is refused is asked for again", source: "RFC 9113 §8.7",
                [[.reset(.refusedStream)], [accepting, .echo]]
            ) { bench, server in
                let channel = try await bench.open(ask(), with: server)
                try await channel.write(Data("hello".utf8))
                try bench.expect(try await channel.text(5), is: "hello", "the bytes")
                try bench.expect(server.log.streams.count, is: 2, "the number of streams")
            },
            upgrade(
                "an upgrade over HTTP/2 whose stream is refused each time has not been acted on",
                source: "RFC 9113 §8.7", [[.reset(.refusedStream)]]
            ) { bench, server in
                let error = try await bench.failure(ask(), with: server)
                try bench.expect(error.isUnprocessed, "the error does not say so")
            },
            upgrade(
                "an upgrade over HTTP/2 whose stream is reset fails alone", source: "RFC 8441 §5",
                [[.reset(.internalError)], .answer("ok")]
            ) { bench, server in
                let error = try await bench.failure(ask(), with: server)
                try bench.expect(error.code, is: .connectionLost, "the code")
                try bench.expect(!error.isUnprocessed, "the error says that the server has not acted on it")
                try await expectOK(bench, server)
            },
        ]

    // MARK: - Ends

    private static let ends: [TransportRule] = [
        stream(
            "END_STREAM is the end of reading a channel over HTTP/2",
            [accepting, .data("bye"), .until { $0.streams[0].isComplete }]
        ) { bench, _, channel, server in
            try bench.expect(try await channel.text(9), is: "bye", "the bytes")
            for _ in 0..<3 { try bench.expect(try await channel.read(), is: nil, "what is read behind the end") }
            try await channel.write(Data("still here".utf8))
            try await channel.closeOutput()
            try await server.wait { $0.streams[0].isPlayed }
            try bench.expect(server.log.streams[0].body == Array("still here".utf8), "the server got something else")
        },
        stream(
            "a channel over HTTP/2 whose output is closed can still be read",
            [accepting, .until { $0.streams[0].isComplete }, .data("all of it")]
        ) { bench, _, channel, server in
            try await channel.write(Data("question".utf8))
            try await channel.closeOutput()
            try await channel.closeOutput()
            try bench.expect(try await channel.text(100), is: "all of it", "the bytes")
            try bench.expect(server.log.streams[0].body == Array("question".utf8), "the question is not there")
            try bench.expect(!server.log.streams[0].isResetByPeer, "the stream was reset")
            _ = try await expect(bench, .invalidRequest) { try await channel.write(Data("more".utf8)) }
        },
        stream(
            "RST_STREAM loses a channel over HTTP/2 alone",
            [accepting, .data("half", ends: false), .wait(.milliseconds(50)), .reset(.cancel)], then: .answer("ok")
        ) { bench, _, channel, server in
            _ = try await expect(bench, .connectionLost) { while try await channel.read() != nil {} }
            try await expectOK(bench, server)
        },
        stream(
            "what the server sends over HTTP/2 before it ends is not lost",
            [accepting, .body([UInt8](repeating: 7, count: 1000), times: 300, ends: true)]
        ) { bench, _, channel, _ in
            try bench.expect(try await channel.text(400_000).utf8.count, is: 300_000, "the length")
            try bench.expect(try await channel.read(), is: nil, "what is read behind the end")
        },
        stream(
            "close sends what was written over HTTP/2 and ends the stream", [accepting, .grant(1 << 20), .echo],
            then: .answer("ok")
        ) { bench, _, channel, server in
            try await channel.write(Data(count: 200_000))
            await channel.close(within: .seconds(60))
            try await server.wait { $0.streams[0].isComplete }
            try bench.expect(server.log.streams[0].body.count, is: 200_000, "the length")
            try await expectCancelled { try await channel.read() }
            try await expectOK(bench, server)
        },
        stream(
            "GOAWAY leaves a channel over HTTP/2 as it is",
            [accepting, .goAway(includesThis: true), .data("behind", ends: false), .echo], then: .answer("ok")
        ) { bench, _, channel, server in
            // What has come, GOAWAY has come before.
            try bench.expect(try await channel.text(6), is: "behind", "the bytes behind GOAWAY")
            try bench.expect(try await bench.exchange(plain, with: server).text, is: "ok", "the body")
            try bench.expect(server.log.connectionCount, is: 2, "the number of connections")
            try await channel.write(Data("hello".utf8))
            try bench.expect(try await channel.text(5), is: "hello", "the bytes")
        },
        stream(
            "fields behind the head of a channel over HTTP/2 are an error", source: "RFC 9113 §8.5",
            [accepting, .fields(["x-a": "1"], ends: true)], then: .answer("ok")
        ) { bench, _, channel, server in
            _ = try await expect(bench, .protocolViolation) { while try await channel.read() != nil {} }
            try await expectOK(bench, server)
        },
    ]

    // MARK: - Cancels and limits

    private static let cancels: [TransportRule] = [
        upgrade(
            "a response that is dropped with its channel resets the stream", source: "RFC 8441 §5",
            [[accepting, open], .answer("ok")]
        ) { bench, server in
            do {
                let response = try await bench.transport.send(try bench.request(ask(), to: server))
                try bench.expect(response.channel != nil, "there is no channel")
            }
            try await server.wait { $0.streams[0].isResetByPeer }
            try await expectOK(bench, server)
        },
        stream("cancelling a channel over HTTP/2 ends what waits", [accepting, open], then: .answer("ok")) {
            bench, _, channel, server in
            let read = Task(executorPreference: ThreadExecutor.shared) { try await channel.read() }
            try await Task.sleep(for: .milliseconds(50))
            channel.cancel()
            try await expectCancelled { try await read.value }
            try await server.wait { $0.streams[0].isResetByPeer }
            try await expectOK(bench, server)
        },
        stream(
            "a cancelled read takes nothing and leaves a channel over HTTP/2 open",
            [accepting, .until { !$0.streams[0].body.isEmpty }, .data("answer", ends: false), open]
        ) { bench, _, channel, _ in
            let read = Task(executorPreference: ThreadExecutor.shared) { try await channel.read() }
            try await Task.sleep(for: .milliseconds(50))
            read.cancel()
            try await expectCancelled { try await read.value }
            try await channel.write(Data("?".utf8))
            try bench.expect(try await channel.text(6), is: "answer", "the bytes")
        },
        stream("a cancelled write ends a channel over HTTP/2 alone", [accepting, open], then: .answer("ok")) {
            bench, _, channel, server in
            let write = Task(executorPreference: ThreadExecutor.shared) {
                try await channel.write(Data(count: 1 << 20))
            }
            try await server.wait { $0.streams[0].body.count == HTTP2Windows.initial }
            write.cancel()
            try await expectCancelled { try await write.value }
            try await expectCancelled { try await channel.read() }
            try await server.wait { $0.streams[0].isResetByPeer }
            // The window of the connection is used up: the next call may be on another one.
            try bench.expect(try await bench.exchange(plain, with: server).text, is: "ok", "the body of the next call")
        },
        upgrade(
            "a cancel while an upgrade over HTTP/2 is awaited ends the call", source: "contract",
            [[open], .answer("ok")]
        ) { bench, server in
            let call = try await bench.begin(ask(), with: server) { !$0.streams.isEmpty }
            call.cancel()
            try await expectCancelled { try await call.value }
            try await server.wait { $0.streams[0].isResetByPeer || $0.isClosedByPeer }
            try bench.expect(try await bench.exchange(plain, with: server).text, is: "ok", "the body of the next call")
        },
        stream("the shutdown ends channels over HTTP/2", [accepting, open]) { bench, _, channel, server in
            let read = Task(executorPreference: ThreadExecutor.shared) { try await channel.read() }
            try await Task.sleep(for: .milliseconds(50))
            await bench.transport.shutdown()
            _ = try await expect(bench, .transportShutDown) { try await read.value }
            try await server.wait { $0.isClosedByPeer }
        },
        stream(
            "the attempt's limit ends a channel over HTTP/2", source: "contract", [accepting, open],
            then: .answer("ok"),
            options: { $0.timeouts.attempt = .seconds(1) }
        ) { bench, _, channel, server in
            let error = try await expect(bench, .timedOut) { try await channel.read() }
            try bench.expect(error.timeout, is: .attempt, "the timeout")
            try await server.wait { $0.streams[0].isResetByPeer }
            try await expectOK(bench, server)
        },
        stream(
            "silence ends a read of a channel over HTTP/2", source: "contract", [accepting, open], then: .answer("ok"),
            options: { $0.timeouts.idle = .milliseconds(200) }
        ) { bench, _, channel, server in
            let error = try await expect(bench, .timedOut) { try await channel.read() }
            try bench.expect(error.timeout, is: .idle, "the timeout")
            try await expectOK(bench, server)
        },
    ]

    // MARK: - Windows

    private static let flow: [TransportRule] = [
        stream(
            "an unread channel over HTTP/2 holds its sender back, and nobody else", source: "RFC 8441 §5",
            [accepting, .body([UInt8](repeating: 1, count: 1 << 20), times: 16, ends: true)], then: .answer("ok")
        ) { bench, _, channel, server in
            try await expectOK(bench, server)
            try await Task.sleep(for: .milliseconds(300))
            try bench.expect(server.log.streams[0].sent < 16 << 20, "all of it was taken though nobody read it")
            var count = 0
            while let piece = try await channel.read() { count += piece.count }
            try bench.expect(count, is: 16 << 20, "the length")
        },
        stream(
            "a server that opens no window holds the writer over HTTP/2 back, and nobody else", source: "RFC 8441 §5",
            [
                accepting, .until { $0.streams.count > 1 && $0.streams[1].isPlayed }, .wait(.milliseconds(100)),
                .grant(1 << 20),
                .until { $0.streams[0].isComplete },
            ], then: .answer("ok") { $0.streams[0].body.count == HTTP2Windows.initial }
        ) { bench, _, channel, server in
            let writing = Task(executorPreference: ThreadExecutor.shared) {
                try await channel.write(Data(count: 1 << 20))
                try await channel.closeOutput()
            }
            try await server.wait { $0.streams[0].body.count == HTTP2Windows.initial }
            try await expectOK(bench, server)
            try await writing.value
            try await server.wait { $0.streams[0].isPlayed }
            let stream = server.log.streams[0]
            try bench.expect(stream.bodyBeforeGrant, is: HTTP2Windows.initial, "what came before the window opened")
            try bench.expect(stream.body.count, is: 1 << 20, "the length")
        },
        stream("both directions over HTTP/2 go on beside each other", source: "contract", [accepting, .echo]) {
            bench, _, channel, _ in
            let bytes = StoredBody.bytes(4 << 20, seed: 7)
            async let written: Void = {
                for offset in stride(from: 0, to: bytes.count, by: 100_000) {
                    try await channel.write(bytes.dropFirst(offset).prefix(100_000))
                }
                try await channel.closeOutput()
            }()
            var back = Data()
            while let piece = try await channel.read() { back += piece }
            try await written
            try bench.expect(back == bytes, "\(back.count) bytes came back, or others")
        },
    ]

    static let upgradesOverHTTP2: [TransportRule] = accepted + refused + ends + cancels + flow
}
