// SPDX-License-Identifier: Apache-2.0

import Foundation
import MetricsTestKit
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataObservability
import StrataTesting
import TestSupport
import Testing

/// How many circuits are in each state.
struct CircuitMetricsTests {
    private let factory = TestMetrics()
    private let clock = VirtualClock()
    /// Hosts are down, except for those named `up`.
    private let transport = ScriptedTransport { .status($0.url.contains("up.") ? 200 : 500) }

    /// Opens after one failure, for ten seconds.
    private func breaker(_ scope: LoadScope = .origin) -> CircuitBreakerMiddleware {
        var thresholds = CircuitBreakerMiddleware.Thresholds()
        thresholds.failures = 1
        thresholds.failureRate = 0
        thresholds.pause = .seconds(10)
        return CircuitBreakerMiddleware(thresholds, per: scope)
    }

    /// Closed, open and half open ones.
    private func counts(_ address: String? = nil, _ port: Int = 443) throws -> [Double?] {
        let server = address.map { [("server.address", $0), ("server.port", String(port))] } ?? []
        return try ["closed", "open", "half_open"].map { state in
            try factory.expectMeter("strata.circuit.states", server + [("strata.circuit.state", state)]).values.last
        }
    }

    @Test func eachOriginHasACircuit() async throws {
        let breaker = breaker()
        let reporting = breaker.swiftMetrics(factory: factory)
        let client = makeClient(transport, breaker, clock: clock)
        _ = try await client.call(.get, "https://a.example/")
        _ = try await client.call(.get, "https://b.example/")
        #expect(try counts("a.example") == [0, 1, 0] && counts("b.example") == [0, 1, 0])
        reporting.end()
    }

    @Test func originsThatDifferByTheirSchemeAloneAreCountedTogether() async throws {
        let breaker = breaker()
        let reporting = breaker.swiftMetrics(factory: factory)
        let client = makeClient(transport, breaker, clock: clock)
        _ = try await client.call(.get, "https://a.example:81/")
        _ = try await client.call(.get, "http://a.example:81/")
        #expect(try counts("a.example", 81) == [0, 2, 0])
        reporting.end()
    }

    @Test func aCircuitForTheWholeClientIsOfNoServer() async throws {
        let breaker = breaker(.client)
        let reporting = breaker.swiftMetrics(factory: factory)
        let client = makeClient(transport, breaker, clock: clock)
        _ = try await client.call(.get, "https://a.example/")
        #expect(try counts() == [0, 1, 0])
        clock.advance(by: .seconds(10))
        _ = try await client.call(.get, "https://up.example/")
        #expect(try counts() == [1, 0, 0])
        #expect(factory.meters.allSatisfy { $0.dimensions.map(\.0) == ["strata.circuit.state"] })
        reporting.end()
    }

    @Test func circuitsOfKeysAreCountedTogetherAndNotNamed() async throws {
        let breaker = breaker(.key { $0.head.path ?? "" })
        let reporting = breaker.swiftMetrics(factory: factory)
        let client = makeClient(transport, breaker, clock: clock)
        for tenant in ["/1", "/2"] { _ = try await client.call(.get, "https://a.example\(tenant)") }
        _ = try await client.call(.get, "https://up.example/3")
        #expect(try counts() == [0, 2, 0])
        clock.advance(by: .seconds(10))
        _ = try await client.call(.get, "https://up.example/2")
        #expect(try counts() == [2, 1, 0])
        #expect(factory.meters.allSatisfy { $0.dimensions.map(\.0) == ["strata.circuit.state"] })
        reporting.end()
    }

    @Test func nothingIsReportedWhenTheReportingIsGone() async throws {
        let breaker = breaker()
        breaker.swiftMetrics(factory: factory).end()
        _ = try await makeClient(transport, breaker, clock: clock).call()
        #expect(factory.meters.isEmpty)
    }
}
