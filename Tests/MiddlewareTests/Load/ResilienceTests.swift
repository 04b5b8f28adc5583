// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct ResilienceTests {
    private func report(_ middleware: [any NetworkMiddleware]) -> PipelineReport {
        NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://api.example"), transport: ScriptedTransport(), middleware: middleware)
        ).pipelineReport
    }

    @Test func theStandardListHasNoContradiction() {
        let bearer = BearerAuthMiddleware(token: Secret.token)
        let whole =
            [LoggingMiddleware(LogCollector().logger()), MetricsMiddleware { _ in }, StatusValidationMiddleware()]
            + Resilience.standard(around: [bearer, TraceparentMiddleware()])
        for list in [Resilience.standard(), whole] {
            #expect(report(list).findings.isEmpty, "\(report(list))")
        }
        #expect(
            report(Resilience.standard(around: [bearer])).layers == [
                "RedirectMiddleware", "RetryMiddleware", "BearerAuthMiddleware", "CircuitBreakerMiddleware",
                "RateLimitMiddleware", "ConcurrencyLimitMiddleware", "TimeoutMiddleware", "scripted",
            ])
    }

    @Test func findsLimitsInWrongPlaces() {
        let limit = ConcurrencyLimitMiddleware(1)
        let rate = RateLimitMiddleware(.requests(1, per: .seconds(1)))
        let breaker = CircuitBreakerMiddleware()
        let retry = RetryMiddleware()
        let bearer = BearerAuthMiddleware { Secret.token }
        let pairs: [(outer: any NetworkMiddleware, inner: any NetworkMiddleware, name: String)] = [
            (limit, retry, "ConcurrencyLimitMiddleware"), (rate, retry, "RateLimitMiddleware"),
            (breaker, retry, "CircuitBreakerMiddleware"), (limit, bearer, "ConcurrencyLimitMiddleware"),
            (rate, bearer, "RateLimitMiddleware"), (breaker, bearer, "CircuitBreakerMiddleware"),
            (limit, breaker, "ConcurrencyLimitMiddleware"), (rate, breaker, "RateLimitMiddleware"),
            (limit, rate, "ConcurrencyLimitMiddleware"), (limit, RedirectMiddleware(), "ConcurrencyLimitMiddleware"),
        ]
        for pair in pairs {
            let report = report([pair.outer, pair.inner])
            #expect(
                report.findings.contains { $0.fix.hasPrefix("Move \(pair.name) behind") }, "\(pair.name): \(report)")
        }
        for twice in [limit, breaker] as [any NetworkMiddleware] {
            #expect(report([twice, twice]).findings.map(\.fix) == ["Keep one of them."])
        }
        #expect(report([rate, rate]).findings.isEmpty)
    }

    @Test func triesAgainInsideOfItsLimits() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(.status(503), .failure(.connectionLost), .text("ok"))
        let client = makeClient(transport, clock: clock) { $0.middleware += Resilience.standard() }
        let response = try await client.call { $0.collectsBody() }
        #expect(try await response.body.collect() == Data("ok".utf8))
        #expect(transport.requests.allSatisfy { $0.options.timeouts.attempt == .seconds(10) })
        #expect(response.exchange.attempts.count == 3)
    }

    /// Refuses all requests but the first.
    private struct Refusing: NetworkMiddleware {
        private final class Count: Sendable { let value = Mutex(0) }
        private let count = Count()

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            let isFirst = count.value.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { return try await next(request) }
            throw NetworkClientError(.concurrencyLimited, "refused")
        }
    }

    /// What has met the server once may have been acted on, whatever has kept the last attempt from it.
    @Test(arguments: [
        (ScriptedReply.failure(.timedOut), false), (.failure(.connectionLost), false), (.status(503), false),
        (.status(401), true), (.failure(.cannotConnect), true),
    ])
    func isUnprocessedOnlyIfNoAttemptWas(first: ScriptedReply, isUnprocessed: Bool) async throws {
        let retry = RetryMiddleware(maxAttempts: 2, condition: .always)
        let client = makeClient(ScriptedTransport(first), retry, Refusing())
        await #expect {
            _ = try await client.call(.put)
        } throws: { error in
            let error = error as? NetworkClientError
            return error?.code == .concurrencyLimited && error?.isUnprocessed == isUnprocessed
                && error?.isTransient == true
                && error?.exchange?.attempts.count == 1
        }
        // A call that meets the refusal first was not sent at all.
        await #expect {
            _ = try await client.call(.put)
        } throws: {
            ($0 as? NetworkClientError)?.isUnprocessed == true
        }
    }

    @Test func aServerThatIsDownIsLeftAlone() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(.failure(.cannotConnect))
        let client = makeClient(transport, clock: clock) { $0.middleware += Resilience.standard() }
        for _ in 0..<50 { _ = try? await client.call() }
        #expect(transport.requests.count < 20)
        await #expect { _ = try await client.call() } throws: { isFailure($0, .circuitOpen) }
    }
}
