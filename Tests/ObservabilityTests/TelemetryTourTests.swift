// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Foundation
import HTTPTypes
import InMemoryTracing
import MetricsTestKit
import MiddlewareSupport
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataObservability
import StrataTesting
import TestSupport
import Testing
import Tracing

/// A call in which everything happens: what it leaves is compared with the conventions, and drawn, by scripts.
struct TelemetryTourTests {
    @Test func leavesSpansAndMetricsOfEveryKind() async throws {
        let file = ProcessInfo.processInfo.environment["STRATA_TELEMETRY_FILE"]
        let (tracer, metrics) = (InMemoryTracer(idGenerator: OTLPFile.identifiers()), TestMetrics())
        try await run(tracer, metrics, takesTime: file != nil)
        #expect(tracer.finishedSpans.count { $0.kind == .client } == 6)
        #expect(tracer.activeSpans.isEmpty)
        let names = Set(
            metrics.timers.map(\.label) + metrics.recorders.map(\.label) + metrics.meters.map(\.label)
                + metrics.counters.map(\.label))
        let expected: Set = [
            "http.client.request.duration", "http.client.active_requests", "http.client.request.body.size",
            "http.client.response.body.size", "http.client.open_connections", "http.client.connection.duration",
        ]
        #expect(expected.isSubset(of: names), "\(names)")
        let text = try OTLPFile(spans: tracer.finishedSpans, metrics: metrics).text()
        Leaks.check(String(decoding: text, as: UTF8.self), "what a tour leaves")
        if let file { try text.write(to: URL(fileURLWithPath: file)) }
    }

    /// - Parameter takesTime: whether answers come after some milliseconds, for a picture in which something can be seen.
    private func run(_ tracer: InMemoryTracer, _ metrics: TestMetrics, takesTime: Bool) async throws {
        let replies: [ScriptedReply] = [
            .status(503), .failure(.connectionLost), .redirect(307, to: "/v2/posts/7"), .status(401),
            .pieces([Data("a".utf8), Data("b".utf8)]), .status(404),
        ]
        let transport = ScriptedTransport { request in
            if takesTime { try await Task.sleep(for: .milliseconds(20 + 10 * request.number)) }
            return replies[min(request.number, replies.count - 1)]
        }
        let store = CredentialStore(Credential(token: Secret.token)) { _ in Credential(token: Secret.freshToken) }
        let breaker = CircuitBreakerMiddleware()
        let reporting = [breaker.swiftMetrics(factory: metrics), tellOfConnections(metrics)]
        let client = makeClient(
            Metered(inner: transport), TracingMiddleware(tracer: tracer),
            MetricsMiddleware.swiftMetrics(factory: metrics),
            RetryMiddleware(backoff: Backoff(base: .milliseconds(takesTime ? 15 : 0), jitter: .none)),
            BearerAuthMiddleware(store), breaker, TracingMiddleware(scope: .attempt, tracer: tracer),
            clock: takesTime ? SystemClock() : VirtualClock())
        let response = try await client.call(
            .put, "/posts/7?api_key=\(Secret.apiKey)", body: .data(Data(#"{"title":"x"}"#.utf8))
        ) { $0.urlTemplate = "/posts/{id}" }
        _ = try await response.body.collect()
        _ = try? await client.call(try #require(HTTPMethod("PURGE")), "/posts/7")
        reporting.forEach { $0.end() }
    }

    private func tellOfConnections(_ metrics: TestMetrics) -> Listening {
        let events = ConnectionEvents()
        let listening = events.swiftMetrics(factory: metrics)
        let origin = Origin(scheme: "https", host: "api.example")
        for kind in [ConnectionEvent.Kind.opened, .idle, .reused, .closed(.peer)] {
            events.tell(ConnectionEvent(kind, origin: origin, connection: 1, time: .seconds(1)))
        }
        events.tell(ConnectionEvent(.waiting, origin: origin, connection: nil, time: .seconds(2)))
        return listening
    }
}

/// Knows what a transport over a network would.
private struct Metered: NetworkTransport {
    let inner: ScriptedTransport
    var capabilities: TransportCapabilities { inner.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var response = try await inner.send(request)
        var metrics = TransportMetrics()
        metrics.httpVersion = "HTTP/1.1"
        metrics.remoteAddress = "192.0.2.7"
        response.metrics = metrics
        return response
    }
}
