// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
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

    @Test func measuresAResponseThatIsRefusedFurtherIn() async throws {
        let clock = VirtualClock()
        func measure(_ status: Int, _ refusing: some NetworkMiddleware) async {
            let transport = ScriptedTransport { _ in
                clock.advance(by: .seconds(2))
                return .source(status: status, fields: [.retryAfter: "9"]) {
                    SlowSource("why", taking: .seconds(3), by: clock)
                }
            }
            _ = try? await makeClient(transport, collector.middleware(), refusing, clock: clock).call()
        }
        await measure(404, StatusValidationMiddleware())
        await measure(503, RetryAfterMiddleware())
        #expect(collector.metrics.map(\.status?.code) == [404, 503])
        #expect(collector.metrics.map(\.error) == [.unacceptableStatus, .unacceptableStatus])
        #expect(collector.metrics.map(\.timeToHead) == [.seconds(2), .seconds(2)])
        #expect(collector.metrics.map(\.duration) == [.seconds(5), .seconds(5)])
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
