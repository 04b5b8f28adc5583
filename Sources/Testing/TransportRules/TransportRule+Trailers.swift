// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    /// A chunked response with these lines behind the last chunk.
    private static func chunked(_ lines: String..., body: String = "2\r\nok\r\n", fields: String = "") -> String {
        let trailers = lines.map { $0 + "\r\n" }.joined()
        return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\(fields)\r\n\(body)0\r\n\(trailers)\r\n"
    }

    private static func pairs(_ fields: HTTPFields) -> [String] { fields.map { "\($0.name.rawName)=\($0.value)" } }

    /// The trailers of such a response are these.
    private static func delivers(
        _ name: String, source: String = "RFC 9110 §6.5", _ text: String, body: String = "ok", _ expected: [String]
    ) -> TransportRule {
        .receives(name, source: source, needs: .responseTrailers, [.readRequest, .send(text), .hang]) {
            try $0.expect($1.text, is: body, "the body")
            try $0.expect(pairs($1.trailers), is: expected, "the trailers")
        }
    }

    private static let delivered: [TransportRule] = [
        delivers("a field behind a chunked body is a trailer", chunked("X-Sum: 7"), ["X-Sum=7"]),
        delivers(
            "trailers keep order, spelling, repeats and empty values",
            chunked("X-B: 1", "x-a: 2", "X-B:", "X-C:  3 \t"), ["X-B=1", "x-a=2", "X-B=", "X-C=3"]),
        delivers("a chunked body without trailers has none", chunked(), []),
        delivers("a body with a length has no trailers", ok(body: "ok"), []),
        delivers("trailers come behind an empty chunked body", chunked("X-Sum: 0", body: ""), body: "", ["X-Sum=0"]),
        delivers(
            "extensions of the last chunk are no trailers", source: "RFC 9112 §7.1.1",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0;X-A=1\r\nX-Sum: 7\r\n\r\n", ["X-Sum=7"]),
        delivers(
            "the name in a Trailer field need not come", chunked("X-Other: 1", fields: "Trailer: X-Sum\r\n"),
            ["X-Other=1"]),
        delivers(
            "a trailer with a field's name of the head stays apart", chunked("X-A: 2", fields: "X-A: 1\r\n"), ["X-A=2"]),
        delivers(
            "the trailers of gRPC come", chunked("grpc-status: 0", "grpc-message: fine"),
            ["grpc-status=0", "grpc-message=fine"]),
        delivers("a trailer's value may hold bytes beyond ASCII", chunked("X-Name: grüß"), ["X-Name=grüß"]),
        .receives(
            "trailers come behind a large body", source: "contract", needs: .responseTrailers,
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .repeat([.send("10000\r\n"), .send([UInt8](repeating: 120, count: 65536)), .send("\r\n")], times: 16),
                .send("0\r\nX-Sum: 7\r\n\r\n"), .hang,
            ]
        ) {
            try $0.expect($1.body.count, is: 1 << 20, "the length")
            try $0.expect(pairs($1.trailers), is: ["X-Sum=7"], "the trailers")
        },
        .receives(
            "trailers in single bytes are put together", source: "contract", needs: .responseTrailers,
            [.readRequest, .drip(chunked("X-Sum: 7", "X-More: 8"), every: .milliseconds(1)), .hang]
        ) { try $0.expect(pairs($1.trailers), is: ["X-Sum=7", "X-More=8"], "the trailers") },
        TransportRule("trailers mean the same wherever they are cut", source: "contract", needs: .responseTrailers) {
            bench in
            let text = Array(chunked("X-Sum: 7", "X-More: 8").utf8)
            let start = text.count - "2\r\nok\r\n0\r\nX-Sum: 7\r\nX-More: 8\r\n\r\n".utf8.count
            let scripts = (start..<text.count).map { cut -> RawScript in
                [.readRequest, .send(Array(text[..<cut])), .wait(.milliseconds(2)), .send(Array(text[cut...])), .close]
            }
            let server = try RawServer.start(scripts: scripts)
            defer { server.stop() }
            for cut in start..<text.count {
                let exchange = try await bench.exchange(with: server)
                try bench.expect(exchange.text, is: "ok", "the body, cut at \(cut)")
                try bench.expect(pairs(exchange.trailers), is: ["X-Sum=7", "X-More=8"], "the trailers, cut at \(cut)")
            }
        },
        TransportRule(
            "the connection serves again behind trailers, and each call has its own", source: "RFC 9112 §9.3",
            needs: .responseTrailers
        ) { bench in
            let script: RawScript = [
                .readRequest, .send(chunked("X-Sum: 1")), .readRequest, .send(chunked()), .readRequest,
                .send(chunked("X-Sum: 3")), .hang,
            ]
            try await RawServer.withServer(script: script) { server in
                for expected in [["X-Sum=1"], [], ["X-Sum=3"]] {
                    try bench.expect(
                        pairs(try await bench.exchange(with: server).trailers), is: expected, "the trailers")
                }
                try bench.expect(server.log.connectionCount, is: 1, "the number of connections")
            }
        },
        TransportRule(
            "trailers that are asked for before the body is read fail at once, and the body goes on",
            source: "contract",
            needs: [.responseTrailers, .streamingResponse]
        ) { bench in
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"), .readBytes(1),
            ]
            let server = try RawServer.start(script: script)
            defer { server.stop() }
            let response = try await bench.transport.send(try bench.request(.init(), to: server))
            // Half of it is read, and the rest never comes.
            var pieces = response.body.makeAsyncIterator()
            try bench.expect(try await pieces.next(), is: Data("ok".utf8), "the first piece")
            do {
                _ = try await response.trailers
                throw RuleViolation("there are trailers before the end of the body")
            } catch let error as NetworkClientError {
                try bench.expect(error.code, is: .bodyNotRead, "the code")
            }
            response.body.cancel()
        },
    ]

    /// RFC 9110 §6.5.1: what frames, routes, authenticates, controls or describes the message.
    private static let forbidden: [TransportRule] = [
        "Content-Length: 1", "Transfer-Encoding: chunked", "Host: evil.example", "Trailer: X-More", "Connection: close",
        "Content-Type: text/evil", "Content-Encoding: gzip", "Content-Range: bytes 0-1/2", "Set-Cookie: a=1",
        "Authorization: Basic x", "WWW-Authenticate: Basic realm=x", "Cache-Control: max-age=9", "Age: 1", "Expires: 0",
        "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Location: /evil", "Retry-After: 9", "Vary: *", "If-Match: x",
        "TE: trailers",
        "Upgrade: evil", "Keep-Alive: timeout=1",
    ].map { line in
        let name = line.prefix { $0 != ":" }
        return TransportRule(
            "\(name) behind a body is no trailer, and changes nothing", source: "RFC 9110 §6.5.1",
            needs: .responseTrailers
        ) { bench in
            let script: RawScript = [
                .readRequest, .send(chunked("X-Before: 1", line, "X-Behind: 2", fields: "X-Head: 1\r\n")), .readRequest,
                .send(ok(body: "next")), .hang,
            ]
            try await RawServer.withServer(script: script) { server in
                let exchange = try await bench.exchange(with: server)
                try bench.expect(exchange.text, is: "ok", "the body")
                try bench.expect(pairs(exchange.trailers), is: ["X-Before=1", "X-Behind=2"], "the trailers")
                try bench.expect(
                    exchange.field(String(name)).map { $0 == "chunked" } ?? true, "it is a field of the head")
                try bench.expect(try await bench.exchange(with: server).text, is: "next", "the next answer")
            }
        }
    }

    private static let broken: [TransportRule] =
        [
            fails(
                "an end within the trailers is an error", source: "RFC 9112 §8", needs: .responseTrailers,
                with: [.connectionLost, .protocolViolation],
                answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 7\r\n")),
            fails(
                "a reset within the trailers is an error", source: "RFC 9112 §8", needs: .responseTrailers,
                with: [.connectionLost, .protocolViolation],
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Su"),
                    .wait(.milliseconds(50)), .reset,
                ]),
            fails(
                "trailers larger than heads may be are an error", source: "contract", needs: .responseTrailers,
                with: [.protocolViolation],
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"),
                    .repeat([.send("X-Flood: \(String(repeating: "x", count: 1000))\r\n")], times: 2000), .send("\r\n"),
                    .hang,
                ]),
            fails(
                "trailers without end are an error", source: "contract", needs: .responseTrailers,
                with: [.protocolViolation],
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"),
                    .repeat([.send("X: y\r\n")]),
                ]),
        ]
        + [
            ("no colon", "X-Sum 7"), ("a blank before its colon", "X-Sum : 7"), ("an empty name", ": 7"),
            ("a NUL", "X-Sum: 7\0"),
        ]
        .map { what, line in
            fails(
                "a trailer with \(what) is an error", source: "RFC 9112 §5", needs: .responseTrailers,
                with: [.protocolViolation], [.readRequest, .send(chunked(line)), .hang])
        }

    private static func overHTTP2(
        _ name: String, _ script: HTTP2Script, check: @escaping @Sendable (RuleBench, RuleBench.Exchange) throws -> Void
    ) -> TransportRule {
        TransportRule(
            "\(name), over HTTP/2", source: "RFC 9113 §8.1", needs: [.responseTrailers, .http2PriorKnowledge]
        ) { bench in
            let server = try RawServer.start(streams: [script])
            defer { server.stop() }
            let exchange = try await bench.exchange(.init { $0.httpVersion = .http2PriorKnowledge }, with: server)
            try bench.expect(exchange.log.streams.count, is: 1, "the number of streams")
            try check(bench, exchange)
        }
    }

    private static let http2Trailers: [TransportRule] = [
        overHTTP2(
            "fields behind a body are trailers",
            [
                .fields([":status": "200"]), .data("ok", ends: false),
                .fields(["x-sum": "7", "grpc-status": "0"], ends: true),
            ]
        ) {
            try $0.expect($1.text, is: "ok", "the body")
            try $0.expect(pairs($1.trailers), is: ["x-sum=7", "grpc-status=0"], "the trailers")
        },
        overHTTP2(
            "a field that may not be a trailer is none",
            [
                .fields([":status": "200"]), .data("ok", ends: false),
                .fields(["content-type": "text/evil", "x-sum": "7"], ends: true),
            ]
        ) { try $0.expect(pairs($1.trailers), is: ["x-sum=7"], "the trailers") },
        overHTTP2("a body without trailers has none", [.fields([":status": "200"]), .data("ok")]) {
            try $0.expect(pairs($1.trailers), is: [], "the trailers")
        },
    ]

    static let trailers: [TransportRule] = delivered + forbidden + broken + http2Trailers
}
