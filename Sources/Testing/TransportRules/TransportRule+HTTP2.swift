// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private typealias Call = RuleBench.Call

    /// The scripts are for the streams in the order of their arrival, whatever connections these are on: over libcurl
    /// 7.88.1 each has one of its own.
    private static func overHTTP2(
        _ name: String, source: String, needs: TransportCapabilities.Features = [], _ scripts: [HTTP2Script],
        check: @escaping @Sendable (RuleBench, RawServer) async throws -> Void
    ) -> TransportRule {
        TransportRule(name, source: source, needs: needs.union(.http2PriorKnowledge)) { bench in
            let server = try RawServer.start(streams: scripts)
            defer { server.stop() }
            try await check(bench, server)
        }
    }

    private static func ask(_ method: HTTPRequest.Method = .get, body: RequestBody = .empty) -> RuleBench.Ask {
        RuleBench.Ask(method, body: body) { $0.httpVersion = .http2PriorKnowledge }
    }

    /// Begins each call when the server has seen the one before, so that they are numbered as its streams are.
    private static func begin(
        _ asks: [RuleBench.Ask], _ bench: RuleBench, _ server: RawServer
    ) async throws -> [Call] {
        var calls: [Call] = []
        for ask in asks {
            let count = calls.count + 1
            calls.append(try await bench.begin(ask, with: server) { $0.streams.count >= count })
        }
        return calls
    }

    private static func expectOK(_ bench: RuleBench, _ server: RawServer) async throws {
        try bench.expect(try await bench.exchange(ask(), with: server).text, is: "ok", "the body of the next call")
    }

    private static let lost: Set<NetworkClientError.Code> = [.connectionLost, .protocolViolation]

    /// How the call failed, as one whose stream is gone; `nil` when it was answered.
    private static func failure(of call: Call, _ bench: RuleBench) async throws -> NetworkClientError? {
        switch await call.result {
        case .success(let exchange):
            try bench.expect(exchange.text, is: "ok", "the body")
            return nil
        case .failure(let error as NetworkClientError) where lost.contains(error.code) || error.isUnprocessed:
            return error
        case .failure(let error):
            throw RuleViolation("the call ended with \(error)")
        }
    }

    /// One call, which fails, and as one that the server may have acted on.
    private static func expectFailure(_ bench: RuleBench, _ server: RawServer) async throws {
        try await expectFailure(of: begin([ask()], bench, server)[0], bench)
    }

    private static func expectFailure(of call: Call, _ bench: RuleBench) async throws {
        guard let error = try await failure(of: call, bench) else { throw RuleViolation("it passed for success") }
        try bench.expect(!error.isUnprocessed, "the error says that the server has not acted on the request")
    }

    private static let multiplexing: [TransportRule] = [
        overHTTP2(
            "calls at once over HTTP/2 get each their own answer, the last one first", source: "RFC 9113 §5",
            (1...5).map { number in
                HTTP2Script.answer("\(number)") { log in
                    log.streams.count == 5 && (number == 5 || log.streams[number].isPlayed)
                }
            }
        ) { bench, server in
            let calls = try await begin(Array(repeating: ask(), count: 5), bench, server)
            var made = 0
            for (number, call) in zip(1..., calls) {
                let exchange = try await call.value
                try bench.expect(exchange.text, is: "\(number)", "the body")
                if exchange.metrics?.isConnectionReused != true { made += 1 }
            }
            try bench.expect(made >= server.log.connectionCount, "a call says that it shared a connection, and did not")
        },
        overHTTP2(
            "a call that GOAWAY names as the last ends well, and the next takes another connection",
            source: "RFC 9113 §6.8",
            [[.fields([":status": "200"]), .goAway(includesThis: true), .data("ok")], .answer("ok")]
        ) { bench, server in
            for _ in 0..<2 { try await expectOK(bench, server) }
            try bench.expect(server.log.connectionCount, is: 2, "the number of connections")
        },
        overHTTP2(
            "a call that GOAWAY leaves out is made again elsewhere or fails, and one before it ends well",
            source: "RFC 9113 §6.8",
            [
                .answer("ok") { $0.streams.count > 1 && $0.streams[1].isPlayed }, [.goAway(includesThis: false)],
                .answer("ok"),
            ]
        ) { bench, server in
            let calls = try await begin([ask(), ask()], bench, server)
            try bench.expect(try await calls[0].value.text, is: "ok", "the body")
            let isRepeated = try await failure(of: calls[1], bench) == nil
            let connections = server.log.streams.map(\.connection)
            try bench.expect(connections.count, is: isRepeated ? 3 : 2, "the number of streams")
            try bench.expect(!connections.dropFirst(2).contains(connections[1]), "a stream came after GOAWAY")
        },
    ]

    private static let resetsOfCalls: [(name: String, code: HTTP2Script.ErrorCode)] = [
        ("NO_ERROR", .noError), ("PROTOCOL_ERROR", .protocolError), ("INTERNAL_ERROR", .internalError),
        ("CANCEL", .cancel),
    ]

    private static let resets: [TransportRule] = resetsOfCalls.map { reset in
        overHTTP2(
            "RST_STREAM with \(reset.name) before the head fails its call alone, and a POST is not sent twice",
            source: "RFC 9113 §5.4.2",
            [[.until { $0.streams.count == 3 }, .reset(reset.code)], .answer("ok") { $0.streams[0].isPlayed }]
        ) { bench, server in
            let order = ask(.post, body: .data(Data("order".utf8)))
            let calls = try await begin([order, ask(), ask()], bench, server)
            try await expectFailure(of: calls[0], bench)
            for call in calls.dropFirst() { try bench.expect(try await call.value.text, is: "ok", "the body") }
            try bench.expect(server.log.streams.count, is: 3, "the number of streams")
        }
    }

    private static let refusable: [HTTPRequest.Method] = [.get, .post]

    private static let refusals: [TransportRule] = refusable.flatMap { method -> [TransportRule] in
        [
            overHTTP2(
                "a \(method.rawValue) whose stream is refused is made again or fails", source: "RFC 9113 §8.7",
                [[.reset(.refusedStream)], .answer("ok")]
            ) { bench, server in
                let call = try await begin([ask(method)], bench, server)[0]
                let isRepeated = try await failure(of: call, bench) == nil
                try bench.expect(server.log.streams.count, is: isRepeated ? 2 : 1, "the number of streams")
            },
            overHTTP2(
                "a \(method.rawValue) that is refused each time fails in the end", source: "RFC 9113 §8.7",
                [[.reset(.refusedStream)]]
            ) { bench, server in
                let call = try await begin([ask(method)], bench, server)[0]
                try bench.expect(try await failure(of: call, bench) != nil, "it passed for success")
                try bench.expect(server.log.streams.count < 10, "it was sent \(server.log.streams.count) times")
            },
        ]
    }

    private static let announced: KeyValuePairs = [":status": "200", "content-length": "10"]

    /// Not NO_ERROR without a length, which libcurl takes for the end of the stream.
    private static let resetsOfBodies:
        [(name: String, fields: KeyValuePairs<String, String>, code: HTTP2Script.ErrorCode)] = [
            ("NO_ERROR in a body with a length", announced, .noError),
            ("INTERNAL_ERROR in a body with a length", announced, .internalError),
            ("INTERNAL_ERROR in a body without a length", [":status": "200"], .internalError),
            ("CANCEL in a body without a length", [":status": "200"], .cancel),
            ("HTTP_1_1_REQUIRED in a body without a length", [":status": "200"], .http11Required),
        ]

    private static let truncatedStreams: [TransportRule] = resetsOfBodies.map { reset in
        overHTTP2(
            "RST_STREAM with \(reset.name) is an error, and the next call goes well", source: "RFC 9113 §8.1",
            [
                [.fields(reset.fields), .data("part", ends: false), .wait(.milliseconds(50)), .reset(reset.code)],
                .answer("ok"),
            ]
        ) { bench, server in
            try await expectFailure(bench, server)
            try await expectOK(bench, server)
        }
    }

    private static let status = ":status"

    private static let malformedStreams: [(name: String, section: String, script: HTTP2Script)] = [
        ("END_STREAM before the announced length", "8.1.1", [.fields(announced), .data("hello")]),
        ("END_STREAM in the head of an announced body", "8.1.1", [.fields(announced, ends: true)]),
        ("more than the announced length", "8.1.1", [.fields(announced), .data("hello, hello")]),
        ("END_STREAM in an interim head", "8.1", [.fields([":status": "103"], ends: true)]),
        ("a head without :status", "8.3.2", [.fields(["x-a": "1"]), .data("ok")]),
        ("a head with two :status", "8.3", [.fields([":status": "200", status: "404"]), .data("ok")]),
        ("a field name in upper case", "8.2", [.fields([":status": "200", "X-A": "1"]), .data("ok")]),
        ("a field of the connection", "8.2.2", [.fields([":status": "200", "connection": "close"]), .data("ok")]),
        ("a line break in a value", "8.2.1", [.fields([":status": "200", "x-a": "1\r\nx-b: 2"]), .data("ok")]),
    ]

    private static let refusedMessages: [TransportRule] = malformedStreams.map { malformed in
        overHTTP2(
            "\(malformed.name) is an error over HTTP/2", source: "RFC 9113 §\(malformed.section)", [malformed.script]
        ) { bench, server in try await expectFailure(bench, server) }
    }

    private static let messages: [TransportRule] = [
        overHTTP2(
            "trailers over HTTP/2 are no part of the head or the body", source: "RFC 9113 §8.1",
            [[.fields([":status": "200"]), .data("hello", ends: false), .fields(["x-trailer": "v"], ends: true)]]
        ) { bench, server in
            let exchange = try await bench.exchange(ask(), with: server)
            try bench.expect(exchange.text, is: "hello", "the body")
            try bench.expect(exchange.field("x-trailer"), is: nil, "the trailer")
        },
        overHTTP2(
            "interim heads over HTTP/2 are swallowed", source: "RFC 9113 §8.1",
            [
                [
                    .fields([":status": "103", "x-early": "1"]), .fields([":status": "103", "x-early": "2"]),
                    .wait(.milliseconds(20)), .fields([":status": "200", "x-final": "1"]), .data("ok"),
                ]
            ]
        ) { bench, server in
            let exchange = try await bench.exchange(ask(), with: server)
            try bench.expect(exchange.head.status.code, is: 200, "the status")
            try bench.expect(exchange.text, is: "ok", "the body")
            try bench.expect([exchange.field("x-early"), exchange.field("x-final")], is: [nil, "1"], "the fields")
        },
    ]

    /// No power of two is a multiple of 23: a frame in the wrong place is seen.
    private static let alphabets = Array(String(repeating: "abcdefghijklmnopqrstuvw", count: 1000).utf8)
    private static let upload = Data(alphabets + alphabets + alphabets)

    private static func firstStream(_ log: RawLog) throws -> HTTP2Stream {
        guard let stream = log.streams.first else { throw RuleViolation("no request came over HTTP/2") }
        return stream
    }

    private static let windows: [TransportRule] = [
        overHTTP2(
            "an unread body over HTTP/2 holds its sender back", source: "RFC 9113 §5.2",
            needs: [.backpressure, .streamingResponse],
            // 42 MB: more than the window of libcurl, which is 32 MB, and the high-water mark.
            [[.fields([":status": "200"]), .body(alphabets, times: 1824, ends: true)]]
        ) { bench, server in
            let size = alphabets.count * 1824
            let response = try await bench.transport.send(try bench.request(ask(), to: server))
            try await Task.sleep(for: .milliseconds(500))
            try bench.expect(try firstStream(server.log).sent < size, "all of the body was taken though nobody read it")
            let body = try await response.body.collect(upTo: size)
            var expected = Data(capacity: size)
            for _ in 0..<1824 { expected.append(contentsOf: alphabets) }
            try bench.expect(body == expected, "of \(size) bytes \(body.count) arrived, or others")
        },
        overHTTP2(
            "an upload over HTTP/2 waits for its window, and goes on when it opens", source: "RFC 9113 §5.2",
            [
                [
                    .until { $0.streams[0].body.count >= HTTP2Windows.initial }, .wait(.milliseconds(100)),
                    .grant(1 << 20), .until { $0.streams[0].isComplete }, .fields([":status": "200"]), .data("ok"),
                ]
            ]
        ) { bench, server in
            let exchange = try await bench.exchange(ask(.post, body: .data(upload)), with: server)
            try bench.expect(exchange.text, is: "ok", "the body")
            let stream = try firstStream(exchange.log)
            try bench.expect(stream.bodyBeforeGrant, is: HTTP2Windows.initial, "what came before the window opened")
            try bench.expect(Data(stream.body) == upload, "the server got other bytes, or not all")
        },
        overHTTP2(
            "a cancel of an upload that waits for its window resets its stream or ends its connection",
            source: "RFC 9113 §5.4.2", [[], .answer("ok")]
        ) { bench, server in
            let call = try await begin([ask(.post, body: .data(upload))], bench, server)[0]
            try await server.wait { ($0.streams.first?.body.count ?? 0) >= HTTP2Windows.initial }
            call.cancel()
            guard case .failure(is CancellationError) = await call.result else {
                throw RuleViolation("the cancelled call ended otherwise")
            }
            try await server.wait { $0.streams.first?.isResetByPeer == true || $0.isClosedByPeer }
            try await expectOK(bench, server)
        },
    ]

    static let http2: [TransportRule] =
        multiplexing + resets + refusals + truncatedStreams + refusedMessages + messages + windows
}
