// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static func ask(_ log: InterimLog, _ options: (inout RequestOptions) -> Void = { _ in }) -> RuleBench.Ask {
        RuleBench.Ask {
            $0.onInterim = log.add
            options(&$0)
        }
    }

    private static let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nlink: </b.js>\r\nX-Empty:\r\n\r\n"

    /// The heads before the answer are handed over, and the answer is what it is without them.
    private static func tells(
        _ name: String, _ text: String, final: String = ok("X-Final: 1\r\n", body: "ok"), _ codes: [Int],
        check: @escaping @Sendable (RuleBench, [HTTPResponse]) throws -> Void = { _, _ in }
    ) -> TransportRule {
        TransportRule(name, source: "RFC 9110 §15.2", needs: .interimResponses) { bench in
            let log = InterimLog()
            let exchange = try await bench.exchange(ask(log), script: [.readRequest, .send(text + final), .hang])
            try bench.expect(log.codes, is: codes, "the interim statuses")
            try bench.expect(exchange.text, is: "ok", "the body")
            try bench.expect(exchange.field("x-final"), is: "1", "the final field")
            try bench.expect(exchange.field("link"), is: nil, "the interim field in the final head")
            try check(bench, log.all)
        }
    }

    private static let told: [TransportRule] = [
        tells("a 103 is handed over with its fields", hints, [103]) { bench, heads in
            try bench.expect(
                heads[0].headerFields.map { "\($0.name.rawName)=\($0.value)" },
                is: ["Link=</a.css>", "link=</b.js>", "X-Empty="],
                "the fields")
        },
        tells("a 100 that nobody has asked for is handed over", "HTTP/1.1 100 Continue\r\n\r\n", [100]),
        tells(
            "several interim answers are handed over in order",
            "HTTP/1.1 102 Processing\r\n\r\n\(hints)HTTP/1.1 199 Odd\r\nX-N: 1\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
            [102, 103, 199, 100]
        ) { bench, heads in
            try bench.expect(heads.map(\.headerFields.count), is: [0, 3, 1, 0], "the numbers of fields")
            try bench.expect(heads[2].status.reasonPhrase, is: "Odd", "the reason")
        },
        tells("without interim answers there is nothing to hand over", "", []),
        tells(
            "an interim answer has no content, whatever its fields say",
            "HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\nHTTP/1.1 102 Processing\r\nTransfer-Encoding: chunked\r\n\r\n",
            [103, 102]),
        tells(
            "a hundred interim answers are handed over", String(repeating: "HTTP/1.1 102 P\r\n\r\n", count: 100),
            Array(repeating: 102, count: 100)),
        TransportRule(
            "an interim answer is handed over while the answer is awaited", source: "contract", needs: .interimResponses
        ) { bench in
            let server = try RawServer.start(script: [.readRequest, .send(hints), .readToEnd])
            defer { server.stop() }
            let seen = SharedResult<Int>()
            let ask = RuleBench.Ask { $0.onInterim = { seen.finish(.success($0.status.code)) } }
            let call = Task(executorPreference: ThreadExecutor.shared) { try await bench.exchange(ask, with: server) }
            try bench.expect(try await seen.value(), is: 103, "the status")
            call.cancel()
            guard case .failure(is CancellationError) = await call.result else {
                throw RuleViolation("the cancelled call ended otherwise")
            }
            try await server.wait { $0.isClosedByPeer }
        },
        TransportRule(
            "interim answers mean the same wherever they are cut", source: "contract", needs: .interimResponses
        ) { bench in
            let text = Array((hints + ok(body: "ok")).utf8)
            let scripts = (1..<hints.utf8.count + 4).map { cut -> RawScript in
                [.readRequest, .send(Array(text[..<cut])), .wait(.milliseconds(2)), .send(Array(text[cut...])), .close]
            }
            let server = try RawServer.start(scripts: scripts)
            defer { server.stop() }
            for cut in scripts.indices {
                let log = InterimLog()
                try bench.expect(
                    try await bench.exchange(ask(log), with: server).text, is: "ok", "the body, cut at \(cut + 1)")
                try bench.expect(log.all.map(\.headerFields.count), is: [3], "the fields, cut at \(cut + 1)")
            }
        },
        TransportRule(
            "each call on a connection has its own interim answers", source: "contract", needs: .interimResponses
        ) { bench in
            let script: RawScript = [
                .readRequest, .send(hints + ok(body: "ok")), .readRequest, .send(ok(body: "ok")), .readRequest,
                .send("HTTP/1.1 102 P\r\n\r\n" + ok(body: "ok")), .hang,
            ]
            try await RawServer.withServer(script: script) { server in
                for codes in [[103], [], [102]] {
                    let log = InterimLog()
                    _ = try await bench.exchange(ask(log), with: server)
                    try bench.expect(log.codes, is: codes, "the interim statuses")
                }
                try bench.expect(server.log.connectionCount, is: 1, "the number of connections")
            }
        },
    ]

    private static let brokenInterim: [TransportRule] = [
        TransportRule(
            "interim answers without end are an error, and bounded", source: "contract", needs: .interimResponses
        ) { bench in
            let log = InterimLog()
            let error = try await bench.failure(ask(log), script: [.readRequest, .repeat([.send(hints)])])
            try bench.expect(error.code, is: .protocolViolation, "the code")
            try bench.expect(log.all.count < 20_000, "\(log.all.count) interim answers were handed over")
        },
        fails(
            "an interim field without a colon is an error", source: "RFC 9112 §5", needs: .interimResponses,
            ask: ask(InterimLog()), with: [.protocolViolation],
            [.readRequest, .send("HTTP/1.1 103 Early Hints\r\nLink </a>\r\n\r\n" + ok()), .hang]),
        fails(
            "an end behind an interim answer is an error", source: "RFC 9112 §8", needs: .interimResponses,
            ask: ask(InterimLog()), with: [.connectionLost], answer(hints)),
    ]

    private static let http2Interim = TransportRule(
        "interim answers are handed over in order, over HTTP/2", source: "RFC 9113 §8.1",
        needs: [.interimResponses, .http2PriorKnowledge]
    ) { bench in
        let server = try RawServer.start(streams: [
            [
                .fields([":status": "103", "link": "</a.css>"]), .fields([":status": "102"]),
                .fields([":status": "200"]),
                .data("ok"),
            ]
        ])
        defer { server.stop() }
        let log = InterimLog()
        let exchange = try await bench.exchange(ask(log) { $0.httpVersion = .http2PriorKnowledge }, with: server)
        try bench.expect(exchange.text, is: "ok", "the body")
        try bench.expect(log.codes, is: [103, 102], "the interim statuses")
        try bench.expect(log.all.map(\.headerFields.count), is: [1, 0], "the numbers of fields")
    }

    static let interimAnswers: [TransportRule] = told + brokenInterim + [http2Interim]
}
