// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Foundation
import HTTPTypes
import MetricsTestKit
import MiddlewareSupport
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataObservability
import StrataTesting
import TestSupport
import Testing

struct SwiftMetricsTests {
    private let factory = TestMetrics()
    private let server = [("http.request.method", "GET"), ("server.address", "api.example"), ("server.port", "443")]

    private var metrics: MetricsMiddleware { .swiftMetrics(factory: factory) }

    /// Everything that was recorded, which is searched for secrets.
    private var labels: [String] {
        let all: [(String, [(String, String)])] =
            factory.counters.map { ($0.label, $0.dimensions) } + factory.timers.map { ($0.label, $0.dimensions) }
            + factory.meters.map { ($0.label, $0.dimensions) } + factory.recorders.map { ($0.label, $0.dimensions) }
        return all.map { label, dimensions in
            let text = "\(label) " + dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
            Leaks.check(text, "a metric")
            return text
        }
    }

    @Test func measuresACall() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport { _ in
            clock.advance(by: .milliseconds(250))
            return .text("hello")
        }
        let client = makeClient(transport, metrics, clock: clock)
        let id = 7
        _ = try await client.run(NetworkRequest<VoidRequest, String>(path: "users/\(id)?q=1", method: .get))
        let dimensions = server + [("url.template", "/users/{}"), ("http.response.status_code", "200")]
        let timer = try factory.expectTimer("http.client.request.duration", dimensions)
        #expect(timer.lastValue == 250_000_000 && timer.displayUnit == .seconds)
        #expect(try factory.expectRecorder("http.client.response.body.size", dimensions).lastValue == 5)
        #expect(try factory.expectRecorder("strata.client.attempts", server).lastValue == 1)
        #expect(try factory.expectMeter("http.client.active_requests", server).values.last == 0)
        #expect(labels.allSatisfy { !$0.contains("users/7") && !$0.contains("q=1") })
    }

    @Test func countsWhatIsUnderWayUntilTheBodyHasEnded() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("a".utf8)])), metrics)
        let first = try await client.call()
        let second = try await client.call()
        let meter = try factory.expectMeter("http.client.active_requests", server)
        #expect(meter.lastValue == 2)
        _ = try await first.body.collect()
        #expect(meter.lastValue == 1)
        second.body.cancel()
        #expect(meter.lastValue == 0)
    }

    @Test func namesFailuresByFewValues() async throws {
        let replies: [(ScriptedReply, String, String?)] = [
            (.status(503), "503", "503"), (.failure(.connectionLost), "connectionLost", nil),
            (.failure(CancellationError()), "cancelled", nil),
            (.failure(TestError(name: Secret.token)), "TestError", nil),
        ]
        for (reply, type, status) in replies {
            let factory = TestMetrics()
            let client = NetworkClient(
                configuration: .init(
                    baseURL: URL(string: "https://api.example"), transport: ScriptedTransport(reply),
                    middleware: [MetricsMiddleware.swiftMetrics(factory: factory)]))
            _ = try? await client.call()
            let code = status.map { [("http.response.status_code", $0)] } ?? []
            let dimensions = server + code + [("error.type", type)]
            #expect(throws: Never.self) { try factory.expectTimer("http.client.request.duration", dimensions) }
        }
    }

    @Test func countsRetriesByTheirReason() async throws {
        let transport = ScriptedTransport(
            .status(503), .failure(.connectionLost), .redirect(to: "/2"), .status(401), .status(200))
        let store = CredentialStore(Credential(token: Secret.token)) { _ in Credential(token: Secret.freshToken) }
        let client = makeClient(
            transport, metrics, RetryMiddleware(maxAttempts: 5, backoff: .none), BearerAuthMiddleware(store))
        _ = try await client.call()
        for reason in ["503", "connectionLost", "redirect", "refresh"] {
            let counter = try factory.expectCounter("strata.client.retries", server + [("strata.retry.reason", reason)])
            #expect(counter.totalValue == 1)
        }
        #expect(try factory.expectRecorder("strata.client.attempts", server).lastValue == 5)
        #expect(!labels.isEmpty)
    }

    @Test(arguments: ["tenant-7", "", "5030", "50", "+50", "５０３", "Hidden", "dnsFailed ", "DNSFailed"])
    func aRetryForAnyOtherReasonIsOther(cause: String) async throws {
        let again = InterceptorMiddleware { request, next in
            _ = try await next(request)
            request.call?.nextAttempt(.retry(cause: cause, waited: .zero))
            return try await next(request)
        }
        _ = try await makeClient(ScriptedTransport(), metrics, again).call()
        let counter = try factory.expectCounter("strata.client.retries", server + [("strata.retry.reason", "other")])
        #expect(counter.totalValue == 1)
    }

    @Test func countsCacheAnswers() async throws {
        let hit = InterceptorMiddleware { request, _ in
            request.call?.noteServed(.cache(.hit))
            return TransportResponse(head: HTTPResponse(status: .ok))
        }
        _ = try await makeClient(ScriptedTransport(), metrics, hit).call()
        let dimensions = server + [("strata.cache.answer", "hit")]
        #expect(try factory.expectCounter("strata.client.cache.answers", dimensions).totalValue == 1)
    }

    @Test func anAttemptIsMeasuredByItself() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let client = makeClient(
            transport, RetryMiddleware(backoff: .none),
            MetricsMiddleware.swiftMetrics(scope: .attempt, factory: factory))
        _ = try await client.call()
        let failed = server + [("http.response.status_code", "503"), ("error.type", "503")]
        #expect(try factory.expectTimer("http.client.request.duration", failed).values.count == 1)
        #expect(!labels.contains { $0.hasPrefix("strata.") })
    }

    @Test func hasNoSecretsAndNoUnboundedLabels() async throws {
        let transport = ScriptedTransport(.redirect(to: "/x?sig=\(Secret.token)"), .status(404))
        let client = makeClient(
            transport, metrics, APIKeyMiddleware(Secret.apiKey, in: .query("k")),
            BearerAuthMiddleware(token: Secret.token))
        _ = try? await client.call(
            try #require(HTTPMethod("PURGE")), "/people/ada?token=\(Secret.token)")
        #expect(labels.contains { $0.contains("http.request.method=_OTHER") })
        #expect(labels.allSatisfy { !$0.contains("/x") && !$0.contains("ada") && !$0.contains("?") })
    }

    // MARK: Connections

    @Test func countsConnectionsByTheirState() throws {
        let events = ConnectionEvents()
        let reporting = events.swiftMetrics(factory: factory)
        let origin = Origin(scheme: "https", host: "api.example")
        let address = [("server.address", "api.example"), ("server.port", "443")]
        var time = Duration.zero
        func tell(_ kind: ConnectionEvent.Kind, _ number: UInt64?) {
            time += .seconds(1)
            events.tell(ConnectionEvent(kind, origin: origin, connection: number, time: time))
        }
        func open(_ state: String) throws -> Double? {
            let dimensions = address + [("http.connection.state", state)]
            return try factory.expectMeter("http.client.open_connections", dimensions).values.last
        }
        tell(.opened, 1)
        tell(.waiting, nil)
        tell(.opened, 2)
        #expect(try open("active") == 2)
        tell(.idle, 1)
        #expect(try open("active") == 1)
        #expect(try open("idle") == 1)
        tell(.reused, 1)
        tell(.reused, 1)
        tell(.idle, 1)
        tell(.closed(.idleLimit), 1)
        tell(.closed(.peer), 2)
        tell(.closed(.peer), 99)
        #expect(try open("active") == 0)
        #expect(try open("idle") == 0)
        let durations = try factory.expectTimer("http.client.connection.duration", address).values
        #expect(durations == [7_000_000_000, 6_000_000_000])
        #expect(try factory.expectCounter("strata.client.connection.waits", address).totalValue == 1)
        let closed = address + [("strata.connection.close_reason", "idle limit")]
        #expect(try factory.expectCounter("strata.client.connections.closed", closed).totalValue == 1)
        reporting.end()
        #expect(!events.isListenedTo)
    }

    @Test func theBucketsAreThoseOfTheConventions() {
        #expect(
            MetricsMiddleware.durationBuckets == [
                0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
            ])
    }
}
