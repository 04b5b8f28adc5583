// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    /// Requests whose body, if any, can be produced again.
    private static let repeatable: [(name: String, method: HTTPMethod, body: RequestBody, bytes: Int)] = [
        ("a GET", .get, .empty, 0), ("a POST of data", .post, .data(Data("order".utf8)), 5),
        (
            "a POST of a stream that can be produced again", .post,
            .stream(length: 30_000, isReplayable: true) {
                PiecesSource(Array(repeating: Data(count: 10_000), count: 3))
            }, 30_000
        ),
    ]

    private static let refusals: [(name: String, scripts: [HTTP2Script])] = [
        ("whose stream is refused", [[.reset(.refusedStream)]]),
        ("whose stream is refused three times", Array(repeating: [.reset(.refusedStream)], count: 3)),
        ("that GOAWAY leaves out", [[.goAway(includesThis: false)]]),
        ("that GOAWAY leaves out twice", Array(repeating: [.goAway(includesThis: false)], count: 2)),
    ]

    private static func ask(_ method: HTTPMethod, _ body: RequestBody) -> RuleBench.Ask {
        RuleBench.Ask(method, body: body) { $0.httpVersion = .http2PriorKnowledge }
    }

    private static let madeAgain: [TransportRule] = repeatable.flatMap { what, method, body, bytes in
        refusals.map { kind, scripts in
            TransportRule(
                "\(what) \(kind) is made again and answered", source: "RFC 9113 §8.7", needs: .http2PriorKnowledge
            ) { bench in
                let answer: HTTP2Script = [
                    .until { $0.streams.last?.isComplete == true }, .fields([":status": "200"]), .data("ok"),
                ]
                let server = try RawServer.start(streams: scripts + [answer])
                defer { server.stop() }
                let exchange = try await bench.exchange(ask(method, body), with: server)
                try bench.expect(exchange.text, is: "ok", "the body")
                try bench.expect(server.log.streams.count, is: scripts.count + 1, "the number of streams")
                try bench.expect(server.log.streams.last?.body.count, is: bytes, "the length of the last body")
            }
        }
    }

    private static let notAgain = TransportRule(
        "a request that is refused, whose body can be produced once, fails as unprocessed", source: "RFC 9113 §8.7",
        needs: .http2PriorKnowledge
    ) { bench in
        let server = try RawServer.start(streams: [
            [.until { ($0.streams.last?.body.count ?? 0) > 0 }, .reset(.refusedStream)], .answer("twice"),
        ])
        defer { server.stop() }
        let body = RequestBody.stream(length: 30_000, isReplayable: false) {
            PiecesSource(Array(repeating: Data(count: 10_000), count: 3))
        }
        let error = try await bench.failure(ask(.post, body), with: server)
        try bench.expect(error.code, is: .connectionLost, "the code")
        try bench.expect(error.isUnprocessed, "the error does not say that the server has not acted")
        try bench.expect(server.log.streams.count, is: 1, "the number of streams")
    }

    static let unprocessed: [TransportRule] = madeAgain + [notAgain]
}
