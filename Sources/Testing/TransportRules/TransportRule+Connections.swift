// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    /// A server that answers every request.
    static let alive = RawScript.forever(.readRequest, .respond(body: "ok"))

    private static let kept: [TransportRule] = [
        TransportRule("a connection that may stay open serves again", source: "RFC 9112 §9.3") { bench in
            try await RawServer.withServer(script: alive) { server in
                for _ in 0..<5 { _ = try await bench.exchange(with: server) }
                try bench.expect(server.log.connectionCount, is: 1, "the number of connections")
            }
        },
        TransportRule("Connection: close is obeyed", source: "RFC 9112 §9.6") { bench in
            let script: RawScript = [.readRequest, .respond(fields: ["Connection: close"], body: "ok"), .close]
            try await RawServer.withServer(script: script) { server in
                for _ in 0..<3 { _ = try await bench.exchange(with: server) }
                try bench.expect(server.log.connectionCount, is: 3, "the number of connections")
            }
        },
        TransportRule("a GET survives a connection that has died in the pool", source: "RFC 9112 §9.3.1") { bench in
            let server = try RawServer.start(scripts: [
                [.readRequest, .respond(body: "one"), .wait(.milliseconds(50)), .close],
                [.readRequest, .respond(body: "two"), .hang],
            ])
            defer { server.stop() }
            try bench.expect(try await bench.exchange(with: server).text, is: "one", "the first")
            try await server.wait { $0.has(.finished, on: 1) }
            try bench.expect(try await bench.exchange(with: server).text, is: "two", "the second")
        },
        TransportRule("a POST is not sent twice", source: "RFC 9110 §9.2.2") { bench in
            let server = try RawServer.start(scripts: [
                [.readRequest, .respond(body: "one"), .readRequest, .close],
                [.readRequest, .respond(body: "again"), .hang],
            ])
            defer { server.stop() }
            _ = try await bench.exchange(with: server)
            let ask = RuleBench.Ask(.post, body: .data(Data("order".utf8)))
            _ = try? await bench.exchange(ask, with: server)
            let posts = server.log.requests.count { $0.method == "POST" }
            try bench.expect(posts, is: 1, "the number of POSTs")
        },
        TransportRule("bytes after a response are never the next one's", source: "RFC 9112 §6.3") { bench in
            let server = try RawServer.start(scripts: [
                [
                    .readRequest,
                    .send(
                        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\noneHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
                    ), .hang,
                ],
                [.readRequest, .respond(body: "two"), .hang],
            ])
            defer { server.stop() }
            try bench.expect(try await bench.exchange(with: server).text, is: "one", "the first")
            let second = try? await bench.exchange(with: server).text
            try bench.expect(second != "evil", "the second caller got the smuggled response")
        },
        TransportRule("fifty calls at once get each their own answer", source: "contract") { bench in
            let server = try RawServer.start(script: .forever(.readRequest, .respondWithTarget))
            defer { server.stop() }
            try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        let exchange = try await bench.exchange(.init(path: "/\(number)"), with: server)
                        try bench.expect(exchange.text, is: "/\(number)", "the body")
                    }
                }
                try await group.waitForAll()
            }
        },
    ]

    /// What a server does with a request on a connection that nobody should use again.
    private static let tells: [RawScript.Step] = [.readRequest, .respond(body: "reused"), .readToEnd]

    /// What a server sends while the connection waits for the next request, and what it does after that.
    private static let unasked: [(name: String, bytes: String, rest: [RawScript.Step])] = [
        ("a response", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", tells),
        (
            "a 408 before the close",
            "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 4\r\n\r\nevil", [.close]
        ),
    ]

    private static let late: [TransportRule] = unasked.map { unasked in
        TransportRule(
            "\(unasked.name) on an idle connection is not the next call's", source: "RFC 9112 §9.2"
        ) { bench in
            try await Pace.any { pace in
                let wait = RawScript.Step.wait(pace.milliseconds(100))
                let server = try RawServer.start(scripts: [
                    RawScript([.readRequest, .respond(body: "one"), wait, .send(unasked.bytes)] + unasked.rest),
                    [.readRequest, .respond(body: "two"), .hang],
                ])
                defer { server.stop() }
                try bench.expect(try await bench.exchange(with: server).text, is: "one", "the first")
                // It has arrived by then.
                try await Task.sleep(for: pace.milliseconds(300))
                try bench.expect(try await bench.exchange(with: server).text, is: "two", "the second")
            }
        }
    }

    /// Answers of all framings, with a response behind them in one write.
    private static let behind: [TransportRule] = {
        let long = String(repeating: "b", count: 330_000)
        let answers: [(name: String, method: HTTPMethod, text: String)] = [
            ("a body that is read in steps", .get, ok(body: long)),
            (
                "a chunked body that is read in steps", .get,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(330_000, radix: 16))\r\n\(long)\r\n0\r\n\r\n"
            ),
            ("a small chunked body", .get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
            ("an empty body", .get, ok()),
            ("a 204", .get, "HTTP/1.1 204 No Content\r\n\r\n"),
            ("an answer to HEAD", .head, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"),
            ("an interim head and an answer", .get, "HTTP/1.1 103 Early Hints\r\n\r\n" + ok(body: "ok")),
        ]
        return answers.map { answer in
            TransportRule("a response behind \(answer.name) is not the next call's", source: "RFC 9112 §9.2") { bench in
                let server = try RawServer.start(scripts: [
                    RawScript([.readRequest, .send(answer.text + ok(body: "evil"))] + tells),
                    [.readRequest, .respond(body: "two"), .hang],
                ])
                defer { server.stop() }
                _ = try await bench.exchange(.init(answer.method), with: server)
                try bench.expect(try await bench.exchange(with: server).text, is: "two", "the second")
            }
        }
    }()

    private static let last = TransportRule(
        "a request with Connection: close is the last on its connection", source: "RFC 9112 §9.6"
    ) { bench in
        try await RawServer.withServer(script: alive) { server in
            let first = try await bench.exchange(.init(fields: [.connection: "close"]), with: server)
            // A transport that cannot send the field has promised nothing.
            let sent = try bench.theRequest(first.log).values(of: "connection")
            let isSaid = sent.contains { $0.lowercased() == "close" }
            _ = try await bench.exchange(with: server)
            try bench.expect(!isSaid || server.log.connectionCount == 2, "the connection was used again")
        }
    }

    private static let unmade: [TransportRule] = [
        TransportRule("a refused connection is cannotConnect", source: "contract") { bench in
            let server = try RawServer.refusing()
            try bench.expect(try await bench.failure(with: server).code, is: .cannotConnect, "the code")
        },
        TransportRule("a name that does not exist is dnsFailed", source: "RFC 6761 §6.4") { bench in
            var request = try TransportRequest(url: "http://does-not-exist.invalid/")
            request.options.timeouts = Timeouts(connect: .seconds(60))
            do {
                _ = try await bench.transport.send(request)
                throw RuleViolation("a name that does not exist was found")
            } catch let error as NetworkClientError {
                try bench.expect(error.code, is: .dnsFailed, "the code")
            }
        },
        TransportRule("an error's text holds no query and no field value", source: "contract") { bench in
            let server = try RawServer.refusing()
            let ask = RuleBench.Ask(path: "/x?token=s3cret", fields: [.authorization: "Bearer s3cret"])
            let error = try await bench.failure(ask, with: server)
            try bench.expect(
                !"\(error) \(String(describing: error.cause))".contains("s3cret"), "the secret is in the text")
        },
    ]

    static let connections: [TransportRule] = kept + late + behind + [last] + unmade
}
