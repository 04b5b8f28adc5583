// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    /// So long that it never passes.
    private static let longWait = Duration.seconds(100)

    private static let bodies: [(name: String, body: RequestBody, length: Int)] = [
        ("a small body", .data(Data("hello".utf8)), 5), ("a large body", .data(Data(count: 300_000)), 300_000),
        (
            "a stream", .stream(isReplayable: true) { PiecesSource(Array(repeating: Data(count: 1000), count: 100)) },
            100_000
        ),
        (
            "a stream that can be sent once",
            .stream(isReplayable: false) { PiecesSource(Array(repeating: Data(count: 1000), count: 10)) }, 10_000
        ),
    ]

    private static func ask(
        _ body: RequestBody, wait: Duration = longWait, _ options: (inout RequestOptions) -> Void = { _ in }
    ) -> RuleBench.Ask {
        RuleBench.Ask(.post, body: body) {
            $0.expectContinue = wait
            options(&$0)
        }
    }

    private static func rule(
        _ name: String, _ check: @escaping @Sendable (RuleBench) async throws -> Void
    ) -> TransportRule {
        TransportRule(name, source: "RFC 9110 §10.1.1", needs: [.expectContinue, .streamingUpload], check: check)
    }

    private static let allowed: [TransportRule] = bodies.flatMap { what, body, length in
        [
            rule("\(what) goes out when a 100 comes") { bench in
                let script: RawScript = [
                    .readHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .readBody, .respond(body: "ok"), .hang,
                ]
                let exchange = try await bench.exchange(ask(body), script: script)
                let request = try bench.theRequest(exchange.log)
                try bench.expect(request.values(of: "Expect"), is: ["100-continue"], "Expect")
                try bench.expect(request.body.count, is: length, "the length")
                try bench.expect(exchange.text, is: "ok", "the answer")
            },
            rule("\(what) goes out when no 100 comes in time") { bench in
                let exchange = try await bench.exchange(
                    ask(body, wait: .milliseconds(50)), script: [.readRequest, .respond(body: "ok"), .hang])
                try bench.expect(try bench.theRequest(exchange.log).body.count, is: length, "the length")
                try bench.expect(exchange.text, is: "ok", "the answer")
            },
            rule("\(what) is not sent when an answer comes in place of the 100") { bench in
                for status in [200, 303, 401, 413, 500] {
                    let text = "HTTP/1.1 \(status) Now\r\nContent-Length: 3\r\n\r\nbig"
                    let server = try RawServer.start(script: [.readHead, .send(text), .readToEnd])
                    defer { server.stop() }
                    let exchange = try await bench.exchange(ask(body), with: server)
                    try bench.expect(exchange.head.status.code, is: status, "the status")
                    try bench.expect(exchange.text, is: "big", "the body of the answer")
                    let head = try bench.theRequest(server.log).rawHead
                    try bench.expect(
                        server.log.received[1]?.count, is: head.count, "the bytes that were sent, with \(status)")
                }
            },
            rule("after a 417, \(what) is sent without the expectation, or the 417 delivered") { bench in
                for refusal in [
                    "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n",
                    "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno",
                    "HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
                ] {
                    // On the same connection or on another one.
                    let server = try RawServer.start(scripts: [
                        [.readHead, .send(refusal), .readRequest, .respond(body: "ok"), .close],
                        [.readRequest, .respond(body: "ok"), .close],
                    ])
                    defer { server.stop() }
                    if !body.isReplayable {
                        // It may have been used up, and then the answer is that.
                        let response = try await bench.transport.send(try bench.request(ask(body), to: server))
                        try bench.expect([200, 417].contains(response.head.status.code), "the status is another")
                        response.body.cancel()
                        continue
                    }
                    let exchange = try await bench.exchange(ask(body), with: server)
                    try bench.expect(exchange.head.status.code, is: 200, "the status")
                    try bench.expect(exchange.text, is: "ok", "the answer")
                    let requests = server.log.requests
                    try bench.expect(requests.count, is: 2, "the number of requests")
                    try bench.expect(requests[0].values(of: "Expect"), is: ["100-continue"], "Expect")
                    try bench.expect(requests[1].values(of: "Expect"), is: [], "Expect, the second time")
                    try bench.expect(requests[1].body.count, is: length, "the length")
                }
            },
        ]
    }

    private static let small = RequestBody.data(Data("hello".utf8))

    private static let others: [TransportRule] = [
        rule("a second 417 is the answer") { bench in
            let refusal = "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno"
            let server = try RawServer.start(scripts: [
                [.readHead, .send(refusal), .readRequest, .send(refusal), .close],
                [.readRequest, .send(refusal), .close],
            ])
            defer { server.stop() }
            let exchange = try await bench.exchange(ask(small), with: server)
            try bench.expect(exchange.head.status.code, is: 417, "the status")
            try bench.expect(exchange.text, is: "no", "the body of the answer")
            try bench.expect(server.log.requests.count, is: 2, "the number of requests")
        },
        rule("a request without a body expects nothing") { bench in
            for method in [HTTPMethod.get, .post] {
                var ask = ask(.empty)
                ask.method = method
                let exchange = try await bench.exchange(ask, script: [.readRequest, .respond(body: "ok"), .hang])
                try bench.expect(try bench.theRequest(exchange.log).values(of: "Expect"), is: [], "Expect")
            }
        },
        rule("a call behind one whose body was not sent gets its own answer") { bench in
            // What waits on the first connection would be taken for the body.
            let server = try RawServer.start(scripts: [
                [
                    .readHead, .send(ok(body: "early")), .readBody,
                    .send("HTTP/1.1 500 Mixed up\r\nContent-Length: 0\r\n\r\n"), .readToEnd,
                ],
                alive,
            ])
            defer { server.stop() }
            try bench.expect(try await bench.exchange(ask(small), with: server).text, is: "early", "the first answer")
            let next = try await bench.exchange(.init(), with: server)
            try bench.expect(next.text, is: "ok", "the next answer")
        },
        rule("other interim answers do not let the body go") { bench in
            let text =
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 413 Large\r\nContent-Length: 3\r\n\r\nbig"
            let server = try RawServer.start(script: [.readHead, .send(text), .readToEnd])
            defer { server.stop() }
            let exchange = try await bench.exchange(ask(small), with: server)
            try bench.expect(exchange.head.status.code, is: 413, "the status")
            let head = try bench.theRequest(server.log).rawHead
            try bench.expect(server.log.received[1]?.count, is: head.count, "the bytes that were sent")
        },
        rule("a close in place of the 100 is an error") { bench in
            let error = try await bench.failure(ask(small), script: [.readHead, .close])
            try bench.expect(error.code, is: .connectionLost, "the code")
        },
        rule("the attempt's limit ends the wait") { bench in
            let waiting = ask(small) { $0.timeouts.attempt = .milliseconds(200) }
            let error = try await bench.failure(waiting, script: [.readHead, .readToEnd])
            try bench.expect(error.timeout, is: .attempt, "the timeout")
        },
        rule("a cancel ends the wait") { bench in
            let server = try RawServer.start(script: [.readHead, .readToEnd])
            defer { server.stop() }
            let call = try await bench.begin(ask(small), with: server) { !$0.requests.isEmpty }
            call.cancel()
            guard case .failure(is CancellationError) = await call.result else {
                throw RuleViolation("the cancelled call ended otherwise")
            }
            try await server.wait { $0.isClosedByPeer }
        },
        rule("calls that expect differently take turns on a connection") { bench in
            let script = RawScript.forever(
                .readHead, .send("HTTP/1.1 100 Continue\r\n\r\n"), .readBody, .respond(body: "ok"))
            try await RawServer.withServer(script: script) { server in
                for ask in [ask(small), .init(.post, body: small), .init(), ask(small, wait: .seconds(1)), ask(small)] {
                    try bench.expect(try await bench.exchange(ask, with: server).text, is: "ok", "the answer")
                }
                try bench.expect(
                    server.log.requests.map { $0.values(of: "Expect").count }, is: [1, 0, 0, 1, 1], "the expectations")
                try bench.expect(server.log.requests.map(\.body.count), is: [5, 5, 0, 5, 5], "the lengths")
            }
        },
    ]

    static let expectation: [TransportRule] = allowed + others
}
