// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryTracing
import MetricsTestKit
import StrataAPI
import StrataCore
import StrataMiddleware
import StrataObservability
import StrataTesting
import Testing
import Tracing

/// What is told of an endpoint's calls: its path as it is declared, and no value that was put in.
struct TelemetryTests {
    private let tracer = InMemoryTracer()
    private let metrics = TestMetrics()
    private let api: AccountsAPI

    init() {
        let transport = ScriptedTransport { request in
            request.path.contains("missing") ? .text("no", status: 404) : .json("\"ok\"")
        }
        api = AccountsAPI(
            Provider(
                baseURL: "https://api.example/v1", transport: transport,
                middleware: [
                    TracingMiddleware(tracer: tracer), MetricsMiddleware.swiftMetrics(factory: metrics),
                    TracingMiddleware(scope: .attempt, tracer: tracer),
                ]))
    }

    /// The names and templates of the spans, and the templates of the durations, in order.
    private var told: (names: [String], spans: [String?], metrics: [String?]) {
        func text(_ attribute: SpanAttribute?) -> String? {
            if case .string(let text) = attribute { text } else { nil }
        }
        let spans = tracer.finishedSpans
        let durations = metrics.timers.filter { $0.label == "http.client.request.duration" }
        return (
            spans.map(\.operationName), spans.map { text($0.attributes.get("url.template")) },
            durations.map { timer in timer.dimensions.first { $0.0 == "url.template" }?.1 }
        )
    }

    /// All labels of all metrics.
    private var labels: [String] {
        let dimensions =
            metrics.timers.map(\.dimensions) + metrics.recorders.map(\.dimensions) + metrics.meters.map(\.dimensions)
            + metrics.counters.map(\.dimensions)
        return dimensions.joined().map { "\($0.0)=\($0.1)" }
    }

    @Test func anEndpointIsNamedByItsTemplate() async throws {
        for name in ["first", "sec/ond"] { _ = try await api.file(name: name) }
        let template = "/v1/files/{name}.json"
        #expect(told.names == Array(repeating: "GET \(template)", count: 4), "each call, and its exchange")
        #expect(told.spans == Array(repeating: template, count: 4))
        #expect(told.metrics == [template], "one series, whatever the values are")
    }

    @Test func noPathValueIsInANameOrALabel() async throws {
        _ = try await api.file(name: "planted")
        try await api.raw(path: "planted/deep")
        try await api.anywhere(path: "planted/whole")
        try? await api.raw(path: "planted/missing")
        #expect(
            Set(told.names) == ["GET /v1/files/{name}.json", "GET /v1/files/{path}", "GET /v1/{path}"])
        #expect(!labels.isEmpty)
        #expect(!labels.contains { $0.contains("planted") })
    }

    /// A link that came from somewhere has no template.
    @Test func aTargetThatIsAValueIsNoTemplate() async throws {
        _ = try await api.page("/v1/next/planted", size: 3)
        #expect(told.names == ["GET", "GET"])
        #expect(told.spans == [nil, nil] && told.metrics == [nil])
        #expect(!labels.contains { $0.contains("planted") })
    }
}
