// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

extension TransportRule {
    /// What a server sends while the connection waits for the next request, and what it does after that.
    private static let unasked: [(name: String, bytes: String, rest: RawScript.Step)] = [
        ("a response", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", .hang),
        (
            "a 408 before the close",
            "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 4\r\n\r\nevil", .close
        ),
    ]

    private static let late: [TransportRule] = unasked.map { unasked in
        TransportRule(
            "\(unasked.name) on an idle connection is not the next call's", source: "RFC 9112 §9.2"
        ) { bench in
            let server = try RawServer.start(scripts: [
                [.readRequest, .respond(body: "one"), .wait(.milliseconds(100)), .send(unasked.bytes), unasked.rest],
                [.readRequest, .respond(body: "two"), .hang],
            ])
            defer { server.stop() }
            try bench.expect(try await bench.exchange(with: server).text, is: "one", "the first")
            // It has arrived by then.
            try await Task.sleep(for: .milliseconds(300))
            try bench.expect(try await bench.exchange(with: server).text, is: "two", "the second")
        }
    }

    private static let last = TransportRule(
        "a request with Connection: close is the last on its connection", source: "RFC 9112 §9.6"
    ) { bench in
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "ok"))) { server in
            let first = try await bench.exchange(.init(fields: [.connection: "close"]), with: server)
            // A transport that cannot send the field has promised nothing.
            let sent = try bench.theRequest(first.log).values(of: "connection")
            let isSaid = sent.contains { $0.lowercased() == "close" }
            _ = try await bench.exchange(with: server)
            try bench.expect(!isSaid || server.log.connectionCount == 2, "the connection was used again")
        }
    }

    static let idleConnections: [TransportRule] = late + [last]
}
