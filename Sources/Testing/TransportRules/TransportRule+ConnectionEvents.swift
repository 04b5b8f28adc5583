// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRule {
    /// A transport that tells of its connections tells the truth; one that does not is not asked.
    static let connectionEvents: [TransportRule] = [
        TransportRule("a connection is told of as it is opened, idle and used again", source: "contract") { bench in
            guard let events = bench.transport.connectionEvents?.stream() else { return }
            try await RawServer.withServer(script: alive) { server in
                for _ in 0..<2 { _ = try await bench.exchange(with: server) }
                let told = try await first(4, of: events, server, bench)
                try bench.expect(told.map(\.kind), is: [.opened, .idle, .reused, .idle], "what is told")
                try bench.expect(Set(told.map(\.connection)).count, is: 1, "how many connections are told of")
                try bench.expect(told[0].connection != nil, "the connection has no number")
            }
        },
        TransportRule("a connection that is not kept is told of as it is closed", source: "contract") { bench in
            guard let events = bench.transport.connectionEvents?.stream() else { return }
            let script: RawScript = [.readRequest, .respond(fields: ["Connection: close"], body: "ok"), .close]
            try await RawServer.withServer(script: script) { server in
                for _ in 0..<2 { _ = try await bench.exchange(with: server) }
                let told = try await first(4, of: events, server, bench)
                try bench.expect(isClosed(told[1]) && isClosed(told[3]), "what is told is \(told)")
                try bench.expect([told[0].kind, told[2].kind], is: [.opened, .opened], "what is told")
                try bench.expect(told[0].connection != told[2].connection, "two connections have one number")
            }
        },
        TransportRule("a connection whose exchange breaks off is told of as closed", source: "contract") { bench in
            guard let events = bench.transport.connectionEvents?.stream() else { return }
            let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close]
            try await RawServer.withServer(script: script) { server in
                _ = try? await bench.exchange(with: server)
                let told = try await first(2, of: events, server, bench)
                try bench.expect(told.map(\.kind), is: [.opened, .closed(.peer)], "what is told")
            }
        },
        TransportRule("a shutdown is told of as the end of its connections", source: "contract") { bench in
            guard let events = bench.transport.connectionEvents?.stream() else { return }
            try await RawServer.withServer(script: alive) { server in
                _ = try await bench.exchange(with: server)
                await bench.transport.shutdown()
                let told = try await first(3, of: events, server, bench)
                try bench.expect(told.map(\.kind), is: [.opened, .idle, .closed(.shutdown)], "what is told")
            }
        },
    ]

    private static func isClosed(_ event: ConnectionEvent) -> Bool {
        if case .closed = event.kind { true } else { false }
    }

    /// So many events, all of which have to be about the server.
    private static func first(
        _ count: Int, of events: AsyncStream<ConnectionEvent>, _ server: RawServer, _ bench: RuleBench
    ) async throws -> [ConnectionEvent] {
        var told: [ConnectionEvent] = []
        for await event in events {
            told.append(event)
            if told.count == count { break }
        }
        try bench.expect(told.allSatisfy { $0.origin.description == server.url }, "the origin of \(told) is another")
        return told
    }
}
