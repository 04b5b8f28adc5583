// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static func announcing(_ value: String) -> RawScript {
        .forever(.readRequest, .respond(fields: ["Connection: keep-alive", "Keep-Alive: \(value)"], body: "ok"))
    }

    static let idleConnections: [TransportRule] = [
        TransportRule(
            "a connection is not used when its server's Keep-Alive timeout has passed", source: "RFC 2068 §19.7.1.1"
        ) { bench in
            try await RawServer.withServer(script: announcing("timeout=1, max=100")) { server in
                _ = try await bench.exchange(with: server)
                try await Task.sleep(for: .milliseconds(1100))
                let order = RuleBench.Ask(.post, body: .data(Data("order".utf8)))
                try bench.expect(try await bench.exchange(order, with: server).text, is: "ok", "the answer")
                try bench.expect(server.log.connectionCount, is: 2, "the number of connections")
            }
        },
        TransportRule(
            "a connection is used again within its server's Keep-Alive timeout", source: "RFC 2068 §19.7.1.1"
        ) { bench in
            for value in ["timeout=60", "max=5", "timeout=x", ""] {
                try await RawServer.withServer(script: announcing(value)) { server in
                    for _ in 0..<3 { _ = try await bench.exchange(with: server) }
                    try bench.expect(server.log.connectionCount, is: 1, "the number of connections")
                }
            }
        },
        TransportRule(
            "a connection whose server's Keep-Alive timeout is zero is not used again", source: "RFC 2068 §19.7.1.1"
        ) { bench in
            try await RawServer.withServer(script: announcing("timeout=0")) { server in
                for _ in 0..<2 { _ = try await bench.exchange(with: server) }
                try bench.expect(server.log.connectionCount, is: 2, "the number of connections")
            }
        },
    ]
}
