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

/// What a circuit's change means for calls that it had let through, and that wait further in.
struct CircuitBehindLinesTests {
    private enum Line: CaseIterable {
        case slots, rate, both

        var layers: [any NetworkMiddleware] {
            switch self {
            case .slots: [ConcurrencyLimitMiddleware(1)]
            case .rate: [RateLimitMiddleware(.requests(1, per: .seconds(1)))]
            case .both: [RateLimitMiddleware(.requests(1, per: .seconds(1))), ConcurrencyLimitMiddleware(1)]
            }
        }
    }

    /// As many requests as open it, and none of those that wait.
    @Test(arguments: Line.allCases) private func nothingIsSentFromALineWhenTheCircuitHasOpened(line: Line) async throws
    {
        let transport = ScriptedTransport(.status(500))
        let client = makeClient(transport) { $0.middleware += [CircuitBreakerMiddleware(.quick)] + line.layers }
        let results = await withTaskGroup(of: Result<HTTPResponse.Status, any Error>.self) { group in
            for _ in 0..<50 { group.addTask { await Task { try await client.call().head.status }.result } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refused = results.filter { result in
            if case .failure(let error) = result { isFailure(error, .circuitOpen) } else { false }
        }
        #expect(transport.requests.count == 3)
        #expect(refused.count == 47)
        // Nothing is left behind: the probe is sent, and those after it.
        (client.configuration.clock as? VirtualClock)?.advance(by: .seconds(10))
        _ = try await client.call()
        #expect(transport.requests.count == 4)
    }

    /// Half open, the probe alone is sent, wherever it waits, and not those that were let through before.
    @Test func aProbeMayWaitInALineAndOthersMayNot() async throws {
        let (gate, clock) = (Gate(), VirtualClock())
        let transport = ScriptedTransport { request in
            if request.path == "/held" { await gate.pass() }
            return .status(request.path == "/probe" ? 200 : 500)
        }
        var thresholds = CircuitBreakerMiddleware.Thresholds.quick
        thresholds.failures = 1
        let slots = ConcurrencyLimitMiddleware(1)
        let wide = makeClient(transport, clock: clock) {
            $0.middleware += [CircuitBreakerMiddleware(thresholds), slots]
        }
        let held = Task { try await wide.call(.get, "/held").head.status.code }
        await gate.waitForArrivals(1)
        let early = Task { try await wide.call(.get, "/early") }
        await eventually { slots.queued == 1 }
        // Another client, of the same layers but the slots, opens it.
        let breaker = wide.configuration.middleware[1]
        let narrow = makeClient(transport, breaker, clock: clock)
        _ = try await narrow.call(.get, "/failing")
        clock.advance(by: .seconds(10))
        let probe = Task { try await wide.call(.get, "/probe").head.status }
        await eventually { slots.queued == 2 }
        await gate.open()
        #expect(try await held.value == 500)
        await #expect { _ = try await early.value } throws: { isFailure($0, .circuitOpen) }
        #expect(try await probe.value == .ok)
        #expect(transport.requests.map(\.path) == ["/held", "/failing", "/probe"])
        #expect(slots.underWay == 0 && slots.queued == 0)
    }

    /// Of several calls under way, one opens the circuit; the others learn of it with their own failure.
    @Test func whoFailsWhileItIsOpenIsNotTriedAgain() async throws {
        let (gate, clock) = (Gate(), VirtualClock())
        let transport = ScriptedTransport { request in
            if request.path == "/slow" { await gate.pass() }
            return .status(500)
        }
        let retry = RetryMiddleware(maxAttempts: 2, backoff: .constant(.seconds(5)))
        let client = makeClient(transport, retry, CircuitBreakerMiddleware(.quick), clock: clock)
        let slow = Task { try await client.call(.get, "/slow") }
        await gate.waitForArrivals(1)
        for _ in 0..<3 { _ = try await client.call(.post) }
        await gate.open()
        let response = try await slow.value
        #expect(response.head.status.code == 500)
        #expect(response.exchange.noRetry == .circuitOpen)
        #expect(clock.sleeps.isEmpty)
    }

    /// The circuit of the server that redirected says nothing of the one where the call is now.
    @Test func anotherServersCircuitEndsNoRetries() async throws {
        let (gate, clock) = (Gate(), VirtualClock())
        let transport = ScriptedTransport { request in
            switch request.path {
            case "/moved":
                await gate.pass()
                return .status(302, fields: [.location: "https://other.example/"])
            case "/bad": return .status(500)
            default: return request.number < 6 ? .status(503) : .status(200)
            }
        }
        let client = makeClient(transport, RetryMiddleware(), CircuitBreakerMiddleware(.quick), clock: clock)
        let moved = Task { try await client.call(.get, "/moved").head.status }
        await gate.waitForArrivals(1)
        for _ in 0..<3 { _ = try await client.call(.post, "/bad") }
        await #expect { _ = try await client.call(.post, "/bad") } throws: { isFailure($0, .circuitOpen) }
        await gate.open()
        #expect(try await moved.value == .ok)
    }

    // MARK: Changes

    /// Each change begins where the one before has ended, whoever tells them.
    @Test func changesAreToldInTheirOrder() async throws {
        var thresholds = CircuitBreakerMiddleware.Thresholds()
        (thresholds.failures, thresholds.failureRate, thresholds.pause) = (1, 0, .zero)
        let breaker = CircuitBreakerMiddleware(thresholds, per: .client)
        let told = Told()
        let listening = breaker.onChange { change in told.note(change) }
        let transport = ScriptedTransport { request in .status(request.path == "/good" ? 200 : 500) }
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://api.example"), transport: transport, middleware: [breaker]))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                group.addTask { _ = try? await client.call(.get, number.isMultiple(of: 2) ? "/good" : "/bad") }
            }
        }
        listening.end()
        let changes = told.changes
        #expect(changes.count > 2 && changes.first?.from == .closed)
        #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.to == $1.from })
    }

    private final class Told: Sendable {
        private let list = Mutex<[CircuitChange]>([])
        var changes: [CircuitChange] { list.withLock { $0 } }
        func note(_ change: CircuitChange) { list.withLock { $0.append(change) } }
    }

    @Test func theStreamOfChangesEndsWithTheBreaker() async {
        var breaker: CircuitBreakerMiddleware? = CircuitBreakerMiddleware()
        let changes = breaker?.changes()
        breaker = nil
        if let changes { for await _ in changes { Issue.record("a change") } }
        #expect(changes != nil)
    }
}
