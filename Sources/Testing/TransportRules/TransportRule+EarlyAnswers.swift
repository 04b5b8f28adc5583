// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static let bodies: [(name: String, body: RequestBody)] = [
        (
            "a stream of 200 KB",
            .stream(length: 200_000, isReplayable: true) {
                PiecesSource(Array(repeating: Data(count: 10_000), count: 20))
            }
        ),
        ("1 MB of data", .data(Data(count: 1 << 20))), ("8 MB of data", .data(Data(count: 8 << 20))),
    ]

    private static let answers: [(name: String, text: String)] = [
        ("with a length", "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig"),
        (
            "in chunks",
            "HTTP/1.1 413 Too Large\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nbi\r\n1;x=y\r\ng\r\n0\r\nX-T: 1\r\n\r\n"
        ),
        (
            "behind an interim one",
            "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 401 No\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig"
        ),
    ]

    /// The server answers when it has read the head, and resets the connection: the rest of the body is on its way.
    private static func refusing(_ text: String) -> RawScript { [.readHead, .send(text), .reset] }

    private static let inFull: [TransportRule] = bodies.flatMap { what, body in
        answers.map { kind, text in
            TransportRule(
                "an answer \(kind) to \(what) is delivered though a reset follows it", source: "RFC 9112 §9.5",
                needs: .streamingUpload
            ) { bench in
                try await RawServer.withServer(script: refusing(text)) { server in
                    for _ in 0..<12 {
                        let exchange = try await bench.exchange(.init(.post, body: body), with: server)
                        try bench.expect([413, 401].contains(exchange.head.status.code), "the status is another")
                        try bench.expect(exchange.text, is: "big", "the body")
                    }
                }
            }
        }
    }

    private static let inPart = TransportRule(
        "of an answer without a length that a reset follows, the status is delivered and no whole body",
        source: "RFC 9112 §9.5"
    ) { bench in
        let text = "HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\nbig"
        try await RawServer.withServer(script: refusing(text)) { server in
            for _ in 0..<12 {
                let ask = RuleBench.Ask(.post, body: .data(Data(count: 8 << 20)))
                let response = try await bench.transport.send(try bench.request(ask, to: server))
                try bench.expect(response.head.status.code, is: 413, "the status")
                // Nobody knows whether it was whole.
                let text = try? await response.body.collect()
                try bench.expect(text == nil, "the body passed for whole")
            }
        }
    }

    /// Longer than any transport waits for a server that takes nothing.
    private static let pause = Duration.milliseconds(1200)

    /// Bodies whose producer takes its time.
    private static let slowBodies: [(name: String, length: Int64?, pieces: [Int])] = [
        ("in chunks", nil, [1000, 1000, 1000]), ("of a length", 3000, [1000, 1000, 1000]),
        ("in large pieces", nil, [100_000, 100_000]),
    ]

    /// A success does not say that the rest is not wanted. A body that is cut off would be reported as sent.
    private static let ofSlowBodies: [TransportRule] = slowBodies.map { body in
        TransportRule(
            "a body \(body.name) whose producer is slow is sent to its end though a success has come",
            source: "RFC 9112 §9.5", needs: [.streamingUpload, .concurrentUpload]
        ) { bench in
            let ask = RuleBench.Ask(
                .post,
                body: .stream(length: body.length, isReplayable: false) {
                    SlowSource(body.pieces.map { Data(count: $0) }, pause: pause)
                })
            let script: RawScript = [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .readBody, .readUntilClosed,
            ]
            try await RawServer.withServer(script: script) { server in
                try bench.expect(try await bench.exchange(ask, with: server).text, is: "ok", "the answer")
                let length = body.pieces.reduce(0, +)
                // It may be behind.
                let log = try? await server.wait(within: .seconds(20)) { $0.requests.first?.body.count == length }
                try bench.expect(log != nil, "the server has not got the whole body")
            }
        }
    }

    /// Pauses before each piece.
    private final class SlowSource: BodySource {
        private let pieces: PiecesSource
        private let pause: Duration

        init(_ pieces: [Data], pause: Duration) {
            self.pieces = PiecesSource(pieces)
            self.pause = pause
        }

        func next() async throws -> Data? {
            if pieces.remaining > 0 { try await Task.sleep(for: pause) }
            return try pieces.next()
        }

        func cancel() { pieces.cancel() }
    }

    static let earlyAnswers: [TransportRule] = inFull + [inPart] + ofSlowBodies
}
