// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static let alive = RawScript.forever(.readRequest, .respond(body: "ok"))

    static let connections: [TransportRule] = [
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
        TransportRule("a refused connection is cannotConnect", source: "contract") { bench in
            let server = try RawServer.refusing()
            try bench.expect(try await bench.failure(with: server).code, is: .cannotConnect, "the code")
        },
        TransportRule("a name that does not exist is dnsFailed", source: "RFC 6761 §6.4") { bench in
            var request = try TransportRequest(url: "http://does-not-exist.invalid/")
            request.options.timeouts = Timeouts(connect: .seconds(8))
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

    static let timeouts: [TransportRule] = [
        TransportRule("silence before the head ends by the idle timeout", source: "contract") { bench in
            let ask = RuleBench.Ask { $0.timeouts = Timeouts(idle: .milliseconds(300)) }
            let error = try await bench.failure(ask, script: [.readRequest, .hang])
            try bench.expect(error.code, is: .timedOut, "the code")
            try bench.expect(error.timeout, is: .idle, "the timeout")
        },
        TransportRule("silence in the body ends by the idle timeout", source: "contract") { bench in
            let ask = RuleBench.Ask { $0.timeouts = Timeouts(idle: .milliseconds(300)) }
            let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hang]
            let error = try await bench.failure(ask, script: script)
            try bench.expect(error.timeout, is: .idle, "the timeout")
        },
        TransportRule("a body that trickles is not idle", source: "contract") { bench in
            let ask = RuleBench.Ask { $0.timeouts = Timeouts(idle: .milliseconds(600)) }
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"),
                .drip("trickles", every: .milliseconds(120)), .hang,
            ]
            try bench.expect(try await bench.exchange(ask, script: script).text, is: "trickles", "the body")
        },
        TransportRule("a body that trickles ends by the attempt's timeout", source: "contract") { bench in
            let ask = RuleBench.Ask { $0.timeouts = Timeouts(idle: .seconds(5), attempt: .milliseconds(500)) }
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"),
                .drip(String(repeating: "x", count: 100), every: .milliseconds(50)), .hang,
            ]
            let error = try await bench.failure(ask, script: script)
            try bench.expect(error.timeout, is: .attempt, "the timeout")
        },
        TransportRule("silence before the head ends by the attempt's timeout", source: "contract") { bench in
            let ask = RuleBench.Ask { $0.timeouts = Timeouts(attempt: .milliseconds(300)) }
            let error = try await bench.failure(ask, script: [.readRequest, .hang])
            try bench.expect(error.timeout, is: .attempt, "the timeout")
        },
        TransportRule(
            "a server that answers no SYN ends by the connect timeout", source: "contract", needs: .connectTimeout
        ) { bench in
            let server = try RawServer.unresponsive()
            defer { server.stop() }
            let ask = RuleBench.Ask { $0.timeouts = Timeouts(connect: .milliseconds(400), idle: .seconds(10)) }
            let error = try await bench.failure(ask, with: server)
            try bench.expect(error.timeout, is: .connect, "the timeout")
        },
        TransportRule(
            "time in which nobody reads is not idle", source: "contract", needs: [.backpressure, .streamingResponse]
        ) { bench in
            let size = 4_000_000
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
                .send([UInt8](repeating: 1, count: size)), .hang,
            ]
            try await RawServer.withServer(script: script) { server in
                let ask = RuleBench.Ask { $0.timeouts = Timeouts(idle: .milliseconds(300)) }
                let response = try await bench.transport.send(try bench.request(ask, to: server))
                try await Task.sleep(for: .milliseconds(900))
                try bench.expect(try await response.body.collect().count, is: size, "the length")
            }
        },
    ]

    /// Begins a call, waits for the moment, cancels, and measures.
    private static func cancelled(
        _ name: String, needs: TransportCapabilities.Features = [], _ script: RawScript,
        ask: RuleBench.Ask = RuleBench.Ask(),
        when moment: @escaping @Sendable (RawLog) -> Bool
    ) -> TransportRule {
        TransportRule("a cancel \(name) ends the call", source: "contract", needs: needs) { bench in
            let server = try RawServer.start(script: script)
            defer { server.stop() }
            let call = Task { try await bench.exchange(ask, with: server) }
            try await server.wait(until: moment)
            // What the server has sent by now arrives.
            try await Task.sleep(for: .milliseconds(50))
            let begin = ContinuousClock.now
            call.cancel()
            let result = await call.result
            try bench.expect(begin.duration(to: .now) < .seconds(2), "it took \(begin.duration(to: .now))")
            switch result {
            case .failure(is CancellationError): break
            case .failure(let error): throw RuleViolation("it ended with \(error)")
            case .success: throw RuleViolation("it ended as if nothing had happened")
            }
            try await server.wait { $0.isClosedByPeer }
        }
    }

    private static let cancels: [TransportRule] = [
        TransportRule("a cancel before the start sends nothing", source: "contract") { bench in
            try await RawServer.withServer(script: alive) { server in
                let call = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await bench.exchange(with: server)
                }
                guard case .failure(is CancellationError) = await call.result else {
                    throw RuleViolation("the cancelled call went on")
                }
                try bench.expect(server.log.requests.count, is: 0, "the number of requests")
            }
        },
        cancelled("before the head", [.readRequest, .readToEnd]) { !$0.requests.isEmpty },
        cancelled("in the body", [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .readToEnd])
        { !$0.requests.isEmpty },
        cancelled(
            "during the upload", needs: .concurrentUpload, [.readHead, .readToEnd],
            ask: RuleBench.Ask(.post, body: slowUpload)
        ) { !$0.requests.isEmpty },
        TransportRule("a cancel while connecting ends the call", source: "contract") { bench in
            let server = try RawServer.unresponsive()
            defer { server.stop() }
            let call = Task { try await bench.exchange(with: server) }
            try await Task.sleep(for: .milliseconds(100))
            let begin = ContinuousClock.now
            call.cancel()
            guard case .failure(is CancellationError) = await call.result else {
                throw RuleViolation("the call ended otherwise")
            }
            try bench.expect(begin.duration(to: .now) < .seconds(2), "it took \(begin.duration(to: .now))")
        },
        TransportRule("a cancel after the end changes nothing", source: "contract") { bench in
            try await RawServer.withServer(script: alive) { server in
                let call = Task { try await bench.exchange(with: server) }
                let first = try await call.value
                call.cancel()
                try bench.expect(first.text, is: "ok", "the body")
                try bench.expect(try await bench.exchange(with: server).text, is: "ok", "the next one")
            }
        },
    ]

    private static let drops: [TransportRule] =
        [
            ("goes on", RawScript.Step.repeat([.send([UInt8](repeating: 1, count: 65536))])), ("stalls", .readToEnd),
        ].flatMap { how, rest -> [TransportRule] in
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nhalf"), rest,
            ]
            return [
                TransportRule(
                    "dropping an unread body that \(how) closes its exchange", source: "contract",
                    needs: .streamingResponse
                ) { bench in
                    try await RawServer.withServer(script: script) { server in
                        do {
                            let response = try await bench.transport.send(try bench.request(.init(), to: server))
                            try bench.expect(response.head.status.code, is: 200, "the status")
                        }
                        try await server.wait { $0.isClosedByPeer }
                    }
                },
                TransportRule(
                    "leaving the loop over a body that \(how) closes its exchange", source: "contract",
                    needs: .streamingResponse
                ) { bench in
                    try await RawServer.withServer(script: script) { server in
                        let response = try await bench.transport.send(try bench.request(.init(), to: server))
                        for try await _ in response.body { break }
                        try await server.wait { $0.isClosedByPeer }
                    }
                },
            ]
        }

    static let cancellation: [TransportRule] = cancels + drops

    private static let arrivals: [TransportRule] =
        [
            ("a body with a length", "Content-Length: 9\r\n\r\none"),
            ("a chunked body", "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n"),
        ].map { what, bytes in
            TransportRule(
                "pieces of \(what) are there when they arrive", source: "contract", needs: .streamingResponse
            ) { bench in
                let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\n\(bytes)"), .hang]
                try await RawServer.withServer(script: script) { server in
                    let response = try await bench.transport.send(try bench.request(.init(), to: server))
                    var iterator = response.body.makeAsyncIterator()
                    try bench.expect(
                        try await iterator.next().map { String(decoding: $0, as: UTF8.self) }, is: "one", "the piece")
                }
            }
        }

    private static let readers: [TransportRule] = [
        TransportRule("the head is there before the body", source: "contract", needs: .streamingResponse) { bench in
            let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .hang]
            try await RawServer.withServer(script: script) { server in
                let response = try await bench.transport.send(try bench.request(.init(), to: server))
                try bench.expect(response.head.status.code, is: 200, "the status")
            }
        },
        TransportRule(
            "an unread body holds its sender back", source: "contract", needs: [.backpressure, .streamingResponse]
        ) { bench in
            // More than socket buffers and the high-water mark can swallow: the script ends only if someone takes it all.
            let size = 64 << 20
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
                .repeat([.send([UInt8](repeating: 1, count: 1 << 20))], times: 64), .close,
            ]
            try await RawServer.withServer(script: script) { server in
                let response = try await bench.transport.send(try bench.request(.init(), to: server))
                try await Task.sleep(for: .milliseconds(500))
                try bench.expect(!server.log.has(.finished), "all of the body was taken though nobody read it")
                try bench.expect(try await response.body.collect(upTo: size).count, is: size, "the length")
            }
        },
        TransportRule("a slow reader gets every byte", source: "contract", needs: .streamingResponse) { bench in
            let size = 2_000_000
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
                .send((0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000) }), .hang,
            ]
            try await RawServer.withServer(script: script) { server in
                let response = try await bench.transport.send(try bench.request(.init(), to: server))
                var offset = 0
                for try await piece in response.body {
                    for byte in piece {
                        try bench.expect(byte == UInt8(truncatingIfNeeded: offset / 1000), "byte \(offset) is wrong")
                        offset += 1
                    }
                    try await Task.sleep(for: .milliseconds(2))
                }
                try bench.expect(offset, is: size, "the length")
            }
        },
    ]

    static let backpressure: [TransportRule] = arrivals + readers

    static let lifetime: [TransportRule] = [
        TransportRule("a call after shutdown fails clearly", source: "contract") { bench in
            try await RawServer.withServer(script: alive) { server in
                _ = try await bench.exchange(with: server)
                await bench.transport.shutdown()
                try bench.expect(try await bench.failure(with: server).code, is: .transportShutDown, "the code")
            }
        },
        TransportRule("shutdown ends calls under way", source: "contract") { bench in
            try await RawServer.withServer(script: [.readRequest, .readToEnd]) { server in
                let call = Task { try await bench.exchange(with: server) }
                try await server.wait { !$0.requests.isEmpty }
                await bench.transport.shutdown()
                guard case .failure(let error) = await call.result else {
                    throw RuleViolation("the call succeeded")
                }
                let code = (error as? NetworkClientError)?.code
                try bench.expect(code == .transportShutDown || error is CancellationError, "it ended with \(error)")
                try await server.wait { $0.isClosedByPeer }
            }
        },
        TransportRule("shutdown twice is shutdown once", source: "contract") { bench in
            await bench.transport.shutdown()
            await bench.transport.shutdown()
        },
    ]
}
