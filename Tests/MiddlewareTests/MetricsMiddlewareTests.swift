// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import Testing

struct MetricsMiddlewareTests {
    private final class Collector: Sendable {
        private let collected = Mutex<[CallMetrics]>([])
        var metrics: [CallMetrics] { collected.withLock { $0 } }

        func middleware(_ scope: ObservationScope = .call) -> MetricsMiddleware {
            MetricsMiddleware(scope: scope) { metrics in self.collected.withLock { $0.append(metrics) } }
        }
    }

    private let collector = Collector()

    @Test func measuresACallWithAllItsAttempts() async throws {
        let transport = ScriptedTransport(.status(503), .pieces([Data("ab".utf8), Data("c".utf8)]))
        let client = makeClient(transport, collector.middleware(), RetryMiddleware(backoff: .constant(.seconds(3))))
        let response = try await client.call(.put, "/x?token=\(Secret.token)", body: .data(Data("1234".utf8)))
        #expect(collector.metrics.isEmpty)
        _ = try await response.body.collect()
        let metrics = try #require(collector.metrics.first)
        #expect(collector.metrics.count == 1)
        #expect(metrics.method == .put)
        #expect(metrics.origin == Origin(scheme: "https", host: "api.example"))
        #expect(metrics.path == "/x")
        #expect(metrics.status == .ok)
        #expect(metrics.requestBodySize == 4)
        #expect(metrics.bytesReceived == 3)
        #expect(metrics.timeToHead == .seconds(3))
        #expect(metrics.duration == .seconds(3))
        #expect(metrics.exchange.attempts.count == 2)
        #expect(metrics.error == nil && !metrics.isCancelled)
    }

    @Test func measuresEachAttemptInside() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        _ = try await makeClient(transport, RetryMiddleware(backoff: .none), collector.middleware(.attempt)).call()
        #expect(collector.metrics.map(\.status?.code) == [503, 200])
    }

    @Test func tellsHowCallsFailed() async throws {
        for reply in [ScriptedReply.failure(.dnsFailed), .failure(TestError()), .failure(CancellationError())] {
            _ = try? await makeClient(ScriptedTransport(reply), collector.middleware()).call()
        }
        let broken = ScriptedReply.pieces([Data("ab".utf8)], failure: NetworkClientError(.connectionLost, "reset"))
        _ = try? await makeClient(ScriptedTransport(broken), collector.middleware()).call().body.collect()
        #expect(collector.metrics.map(\.error) == [.dnsFailed, .internalFailure, nil, .connectionLost])
        #expect(collector.metrics.map(\.isCancelled) == [false, false, true, false])
        #expect(collector.metrics.map(\.status?.code) == [nil, nil, nil, 200])
    }
}
