// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    /// What a request may ask for, and the feature that this takes.
    private static let demands: [(name: String, feature: TransportCapabilities.Features, ask: RuleBench.Ask)] = [
        ("HTTP/1.1 alone", .httpVersionChoice, RuleBench.Ask { $0.httpVersion = .http1 }),
        ("HTTP/2 with prior knowledge", .http2PriorKnowledge, RuleBench.Ask { $0.httpVersion = .http2PriorKnowledge }),
        ("a body with GET", .bodyOnAnyMethod, RuleBench.Ask(body: .data(Data("body".utf8)))),
        (
            "a body of unknown length", .streamingUpload,
            RuleBench.Ask(.post, body: .stream(isReplayable: true) { PiecesSource([Data("body".utf8)]) })
        ),
    ]

    private static let unclaimed: [TransportRule] = demands.map { demand in
        TransportRule(
            "\(demand.name) is refused before it is sent, unless it is claimed", source: "contract"
        ) { bench in
            guard !bench.transport.capabilities.features.contains(demand.feature) else { return }
            try await RawServer.withServer(script: [.readRequest, .respond()]) { server in
                let client = RuleBench(transport: ClientTransport(bench.transport))
                let error = try await client.failure(demand.ask, with: server)
                try bench.expect(error.code, is: .unsupportedByTransport, "the code")
                try bench.expect(server.log.connectionCount, is: 0, "the number of connections")
            }
        }
    }

    static let capabilities: [TransportRule] =
        unclaimed + [
            .sends(
                "HTTP/1.1 alone is asked for without an upgrade", source: "RFC 9110 §7.8", needs: .httpVersionChoice,
                RuleBench.Ask { $0.httpVersion = .http1 }
            ) { bench, request in
                try bench.expect(request.version, is: "HTTP/1.1", "the version")
                try bench.expect(request.values(of: "upgrade"), is: [], "Upgrade")
            }
        ]
}
