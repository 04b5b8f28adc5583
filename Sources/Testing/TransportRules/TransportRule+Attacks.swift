// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    /// Whatever one server does, the calls to others end as they are to (RFC 9113 §10.5), and its own ends, too.
    static let attacks: [TransportRule] = Attack.all.map { attack in
        TransportRule(
            "\(attack): other calls are answered, limited and cancelled, and its own ends", source: "RFC 9113 §10.5",
            needs: attack.isOverHTTP2 ? .http2PriorKnowledge : []
        ) { bench in
            let server = try attack.start()
            defer { server.stop() }
            let calls = (0..<2).map { _ in begin(ask(attack), bench, server) }
            try await server.wait { $0.streams.count + $0.requests.count >= 2 || $0.isClosedByPeer }
            try await expectOthersEnd(bench)
            for call in calls { _ = await call.result }
        }
    }

    private static func ask(_ attack: Attack) -> RuleBench.Ask {
        RuleBench.Ask { options in
            if attack.isOverHTTP2 { options.httpVersion = .http2PriorKnowledge }
            options.timeouts.attempt = .seconds(3)
        }
    }

    private static func begin(
        _ ask: RuleBench.Ask, _ bench: RuleBench, _ server: RawServer
    ) -> Task<RuleBench.Exchange, any Error> {
        Task(executorPreference: ThreadExecutor.shared) { try await bench.exchange(ask, with: server) }
    }

    private static func expectOthersEnd(_ bench: RuleBench) async throws {
        let silent = try RawServer.start(script: [.readRequest, .hang])
        let sane = try RawServer.start(script: .forever(.readRequest, .respondWithTarget))
        defer { for server in [silent, sane] { server.stop() } }
        let cancelled = begin(RuleBench.Ask(path: "/cancelled"), bench, silent)
        let limited = begin(RuleBench.Ask(path: "/limited") { $0.timeouts.attempt = .milliseconds(200) }, bench, silent)
        for number in 0..<5 {
            try bench.expect(
                try await bench.exchange(.init(path: "/\(number)"), with: sane).text, is: "/\(number)", "the body")
        }
        guard case .failure(let error as NetworkClientError) = await limited.result, error.code == .timedOut else {
            throw RuleViolation("the limit of another call was not kept")
        }
        try await silent.wait { $0.requests.contains { $0.target == "/cancelled" } }
        cancelled.cancel()
        guard case .failure(is CancellationError) = await cancelled.result else {
            throw RuleViolation("another call that was cancelled ended otherwise")
        }
    }
}
