// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRule {
    private static let trickle: RawScript = [
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"),
        .drip(String(repeating: "x", count: 100), every: .milliseconds(50)), .hang,
    ]

    private static let ofTheTransport: [TransportRule] = [
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
            try await Pace.any { pace in
                let ask = RuleBench.Ask { $0.timeouts = Timeouts(idle: pace.milliseconds(600)) }
                let script: RawScript = [
                    .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"),
                    .drip("trickles", every: pace.milliseconds(120)), .hang,
                ]
                try bench.expect(try await bench.exchange(ask, script: script).text, is: "trickles", "the body")
            }
        },
        TransportRule("a body that trickles ends by the attempt's timeout", source: "contract") { bench in
            let ask = RuleBench.Ask { $0.timeouts = Timeouts(idle: .seconds(5), attempt: .milliseconds(500)) }
            let error = try await bench.failure(ask, script: trickle)
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
            try await Pace.any { pace in
                try await RawServer.withServer(script: script) { server in
                    let ask = RuleBench.Ask { $0.timeouts = Timeouts(idle: pace.milliseconds(300)) }
                    let response = try await bench.transport.send(try bench.request(ask, to: server))
                    try await Task.sleep(for: pace.milliseconds(900))
                    try bench.expect(try await response.body.collect().count, is: size, "the length")
                }
            }
        },
    ]

    private static let overdue: [(name: String, script: RawScript)] = [
        ("silence before the head", [.readRequest, .hang]), ("a body that trickles", trickle),
    ]

    private static let deadlines: [TransportRule] = overdue.map { overdue in
        TransportRule("\(overdue.name) ends by the deadline of its call", source: "contract") { bench in
            let ask = RuleBench.Ask {
                $0.timeouts = Timeouts(idle: .seconds(5), attempt: .seconds(5), deadline: .milliseconds(500))
            }
            let error = try await RuleBench(transport: ClientTransport(bench.transport))
                .failure(ask, script: overdue.script)
            try bench.expect(error.code, is: .timedOut, "the code")
            try bench.expect(error.timeout, is: .deadline, "the timeout")
        }
    }

    static let timeouts: [TransportRule] = ofTheTransport + deadlines
}
