// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// What is forgotten when there are many servers, by the example of the circuit breaker.
struct LoadTableTests {
    /// Opens after three failures.
    private var quick: CircuitBreakerMiddleware.Thresholds {
        var thresholds = CircuitBreakerMiddleware.Thresholds()
        thresholds.failures = 3
        return thresholds
    }

    @Test func aServerWithCallsUnderWayIsNotForgottenForOthers() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            if request.url.contains("/late") { await gate.pass() }
            return .status(request.url.contains("down") ? 500 : 200)
        }
        let client = makeClient(transport, CircuitBreakerMiddleware(quick))
        for _ in 0..<2 { _ = try await client.call(.get, "https://down.example/") }
        let late = Task { try await client.call(.get, "https://down.example/late") }
        await gate.waitForArrivals(1)
        for number in 0..<1_100 { _ = try await client.call(.get, "https://\(number).example/") }
        await gate.open()
        _ = try await late.value
        await #expect { _ = try await client.call(.get, "https://down.example/") } throws: {
            isFailure($0, .circuitOpen)
        }
    }

    @Test func theServerThatWasNotAskedForTheLongestTimeIsForgottenFirst() async throws {
        let transport = ScriptedTransport { .status($0.path == "/down" ? 500 : 200) }
        var thresholds = quick
        thresholds.failureRate = 0.01
        let client = makeClient(transport, CircuitBreakerMiddleware(thresholds))
        for host in ["used", "unused"] {
            for _ in 0..<2 { _ = try await client.call(.get, "https://\(host).example/down") }
        }
        for number in 0..<2_000 {
            _ = try await client.call(.get, "https://\(number).example/")
            if number.isMultiple(of: 100) { _ = try await client.call(.get, "https://used.example/") }
        }
        for host in ["used", "unused"] { _ = try await client.call(.get, "https://\(host).example/down") }
        #expect(try await client.call(.get, "https://unused.example/").head.status == .ok)
        await #expect { _ = try await client.call(.get, "https://used.example/") } throws: {
            isFailure($0, .circuitOpen)
        }
    }
}
