// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// What the bodies of responses say of a server.
struct CircuitBodiesTests {
    private let clock = VirtualClock()
    private let lost = NetworkClientError(.connectionLost, "lost")

    /// The states that circuits have come to.
    private final class States: Sendable {
        private let states = Mutex<[CircuitState]>([])
        private let listening = Mutex<Listening?>(nil)

        init(_ breaker: CircuitBreakerMiddleware) {
            let listening = breaker.onChange { [weak self] change in self?.states.withLock { $0.append(change.to) } }
            self.listening.withLock { $0 = listening }
        }

        var all: [CircuitState] { states.withLock { $0 } }
    }

    /// Three calls that fail, and the pause is over: the next call is a probe, and is answered by `probe`.
    private func halfOpen(
        _ breaker: CircuitBreakerMiddleware, probe: ScriptedReply
    ) async throws -> (client: NetworkClient, transport: ScriptedTransport) {
        let transport = ScriptedTransport { $0.number < 3 ? .status(500) : $0.number == 3 ? probe : .status(200) }
        let client = makeClient(transport, breaker, clock: clock)
        for _ in 0..<3 { _ = try await client.call() }
        clock.advance(by: .seconds(10))
        return (client, transport)
    }

    private func expectOpen(_ client: NetworkClient, _ location: SourceLocation = #_sourceLocation) async {
        await #expect(sourceLocation: location) { _ = try await client.call() } throws: { isFailure($0, .circuitOpen) }
    }

    // MARK: While it is closed

    @Test(arguments: [0, 0.5, 0.6, 1]) func whatBreaksOffInTheBodyIsOneFailure(rate: Double) async throws {
        var thresholds = CircuitBreakerMiddleware.Thresholds.quick
        thresholds.failureRate = rate
        let transport = ScriptedTransport(.pieces([Data("a".utf8)], failure: lost))
        let breaker = CircuitBreakerMiddleware(thresholds)
        let client = makeClient(transport, breaker, clock: clock)
        for _ in 0..<20 { _ = try? await client.call().body.collect() }
        #expect(transport.requests.count == 3)
        #expect(breaker.underWay == (0, 0))
    }

    @Test func withTheDefaultsTenBrokenBodiesOpenItAfterASuccess() async throws {
        let transport = ScriptedTransport(.status(200), .pieces([Data("a".utf8)], failure: lost))
        let client = makeClient(transport, CircuitBreakerMiddleware(), clock: clock)
        for _ in 0..<1_000 { _ = try? await client.call().body.collect() }
        #expect(transport.requests.count == 11)
    }

    /// The stream breaks after its head has left the window.
    @Test func anOpenStreamIsASuccessUntilItBreaks() async throws {
        let transport = ScriptedTransport { request in
            request.path == "/whole" ? .status(200) : .pieces([Data("a".utf8)], failure: lost)
        }
        let breaker = CircuitBreakerMiddleware(.quick)
        let states = States(breaker)
        let client = makeClient(transport, breaker, clock: clock)
        let stream = try await client.call(.get, "/stream")
        clock.advance(by: .seconds(3_600))
        for _ in 0..<4 { _ = try await client.call(.get, "/whole") }
        for _ in 0..<2 { _ = try? await client.call(.get, "/broken").body.collect() }
        // The third failure of seven calls: none of the successes that count is taken back for it.
        _ = try? await stream.body.collect()
        #expect(states.all.isEmpty)
        _ = try? await client.call(.get, "/broken").body.collect()
        #expect(states.all == [.open])
    }

    // MARK: While it is half open

    @Test func aProbeWhoseBodyBreaksOpensItAgain() async throws {
        let breaker = CircuitBreakerMiddleware(.quick)
        let states = States(breaker)
        let (client, _) = try await halfOpen(breaker, probe: .pieces([Data("a".utf8)], failure: lost))
        let probe = try await client.call()
        #expect(states.all == [.open, .halfOpen] && breaker.underWay == (1, 1))
        await #expect(throws: NetworkClientError.self) { try await probe.body.collect() }
        #expect(states.all == [.open, .halfOpen, .open] && breaker.underWay == (0, 0))
        clock.advance(by: .milliseconds(9_999))
        await expectOpen(client)
        clock.advance(by: .milliseconds(1))
        _ = try await client.call()
        #expect(states.all.suffix(2) == [.halfOpen, .closed])
    }

    @Test func aProbeWhoseBodyIsReadClosesIt() async throws {
        let breaker = CircuitBreakerMiddleware(.quick)
        let (client, transport) = try await halfOpen(breaker, probe: .pieces([Data("a".utf8)]))
        let probe = try await client.call()
        await expectOpen(client)
        _ = try await probe.body.collect()
        for _ in 0..<3 { _ = try await client.call() }
        #expect(transport.requests.count == 7)
    }

    @Test func aProbeWhoseBodyIsDroppedHasClosedTheCircuit() async throws {
        let breaker = CircuitBreakerMiddleware(.quick)
        let (client, transport) = try await halfOpen(breaker, probe: .pieces([Data("a".utf8)], failure: lost))
        for _ in 0..<3 { _ = try await client.call() }
        #expect(transport.requests.count == 6 && breaker.underWay == (0, 0))
    }

    @Test func aProbeThatIsALongStreamIsJudgedByItsHeadAfterThePause() async throws {
        let breaker = CircuitBreakerMiddleware(.quick)
        let states = States(breaker)
        let (client, _) = try await halfOpen(breaker, probe: .pieces([Data("a".utf8)], failure: lost))
        let probe = try await client.call()
        clock.advance(by: .milliseconds(9_999))
        await expectOpen(client)
        clock.advance(by: .milliseconds(1))
        _ = try await client.call()
        #expect(states.all == [.open, .halfOpen, .closed])
        // It is of an earlier phase, and says nothing any more.
        _ = try? await probe.body.collect()
        #expect(states.all == [.open, .halfOpen, .closed] && breaker.underWay == (0, 0))
    }
}
