// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import InMemoryTracing
import MetricsTestKit
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataObservability
import StrataTesting
import TestSupport
import Testing
import Tracing

private struct Hidden: Error {}
private struct Holding<Value>: Error {}

/// `error.type`, of which there are few, and which are the same for spans and metrics.
struct ErrorTypeTests {
    private static let lost = NetworkClientError(.connectionLost, "lost")

    @Test(
        arguments: [
            (ScriptedReply.failure(Hidden()), "Hidden"), (.failure(Holding<Hidden>()), "Holding<Hidden>"),
            (.failure(TestError()), "TestError"), (.failure(.dnsFailed), "dnsFailed"),
            (.failure(CancellationError()), "cancelled"), (.status(503), "503"), (.status(200), nil),
            // By the layers further in.
            (.status(503, retryAfter: 5), "503"), (.status(418), "418"), (.status(304), "304"),
            (.pieces([Data("a".utf8)], failure: lost), "connectionLost"),
            (.pieces([Data("a".utf8)], failure: Hidden()), "Hidden"),
            (.pieces([Data("a".utf8)], status: 500, failure: lost), "500"),
        ] as [(ScriptedReply, String?)])
    func aFailureHasOneNameInSpansAndMetrics(reply: ScriptedReply, name: String?) async throws {
        let (tracer, factory) = (InMemoryTracer(), TestMetrics())
        let refusing = InterceptorMiddleware { request, next in
            let response = try await next(request)
            guard [418, 304].contains(response.head.status.code) else { return response }
            throw NetworkClientError(.unacceptableStatus, "refused", response: response.head)
        }
        let client = makeClient(
            ScriptedTransport(reply), MetricsMiddleware.swiftMetrics(factory: factory),
            TracingMiddleware(tracer: tracer), refusing, RetryAfterMiddleware())
        _ = try? await client.call().body.collect()
        let span = try #require(tracer.finishedSpans.first)
        let timer = try #require(factory.timers.first)
        #expect(span.attributes.get("error.type") == name.map { .string($0) })
        #expect(timer.dimensions.first { $0.0 == "error.type" }?.1 == name)
    }
}
