// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRule {
    private static let trickle: RawScript = [
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"),
        .drip(String(repeating: "x", count: 100), every: .milliseconds(50)), .hang,
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

    /// What does not end by itself.
    static let endless: [TransportRule] =
        deadlines + [
            .fails(
                "a head without end is an error", source: "RFC 9110 §5.4", needs: .exactFields,
                with: [.protocolViolation],
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\n"),
                    .repeat([.send("X-Flood: \(String(repeating: "a", count: 1000))\r\n")]),
                ])
        ]
}
