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
    @Test func aServerWithCallsUnderWayIsNotForgottenForOthers() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            if request.url.contains("/late") { await gate.pass() }
            return .status(request.url.contains("down") ? 500 : 200)
        }
        let client = makeClient(transport, CircuitBreakerMiddleware(.quick))
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
        var thresholds = CircuitBreakerMiddleware.Thresholds.quick
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

    @Test func theOneThatTakesAForgottenPlaceIsRemembered() async throws {
        let transport = ScriptedTransport { .status($0.url.contains("down") ? 500 : 200) }
        let client = makeClient(transport, CircuitBreakerMiddleware(.quick))
        for number in 0..<1_100 { _ = try await client.call(.get, "https://\(number).example/") }
        for number in 0..<3 {
            _ = try await client.call(.get, "https://down.example/")
            _ = try await client.call(.get, "https://other\(number).example/")
        }
        await #expect { _ = try await client.call(.get, "https://down.example/") } throws: {
            isFailure($0, .circuitOpen)
        }
    }

    @Test(arguments: [
        ("https://a.example/x", "https://a.example/y", true), ("https://a.example/", "https://A.EXAMPLE/", true),
        ("https://a.example/", "https://a.example:443/", true), ("http://a.example:80/", "http://a.example/", true),
        ("https://a.example/", "http://a.example/", false), ("https://a.example/", "https://b.example/", false),
        ("https://a.example/", "https://a.example:444/", false),
        ("https://a.example:444/", "https://a.example/", false),
    ])
    func anOriginIsTheSameHoweverItIsWritten(one: String, other: String, isSame: Bool) async throws {
        let client = makeClient(ScriptedTransport { _ in .status(500) }, CircuitBreakerMiddleware(.quick))
        for url in [one, other, one] { _ = try await client.call(.get, url) }
        // The third failure of one origin has opened its circuit.
        if isSame {
            for url in [one, other] {
                await #expect { _ = try await client.call(.get, url) } throws: { isFailure($0, .circuitOpen) }
            }
        } else {
            for url in [other, one] { #expect(try await client.call(.get, url).head.status == .internalServerError) }
        }
    }

    @Test func membersOfAScopeAreCountedForThemselvesInWhateverOrderTheyCome() async throws {
        let origins = ["https://a.example/", "https://b.example/", "https://a.example/", "http://b.example/"]
        let scopes: [(LoadScope, Int)] = [(.client, 3), (.origin, 9), (.key { $0.head.path ?? "" }, 6)]
        for (scope, expected) in scopes {
            let client = makeClient(
                ScriptedTransport { _ in .status(500) }, CircuitBreakerMiddleware(.quick, per: scope))
            var sent = 0
            for _ in 0..<5 {
                for url in origins.flatMap({ [$0, "\($0)other"] }) {
                    if (try? await client.call(.get, url)) != nil { sent += 1 }
                }
            }
            #expect(sent == expected)
        }
    }
}
