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

struct CircuitBreakerMiddlewareTests {
    private func failures(_ count: Int, on client: NetworkClient) async {
        for _ in 0..<count { _ = try? await client.call() }
    }

    private func expectOpen(_ client: NetworkClient, _ location: SourceLocation = #_sourceLocation) async {
        await #expect(sourceLocation: location) {
            _ = try await client.call(.post)
        } throws: { error in
            let error = error as? NetworkClientError
            return error?.code == .circuitOpen && error?.isUnprocessed == true
                && error?.exchange?.attempts.isEmpty == true
        }
    }

    @Test func opensAfterTooManyFailuresAndClosesAfterASuccess() async throws {
        let clock = VirtualClock()
        let isUp = Mutex(false)
        let transport = ScriptedTransport { _ in .status(isUp.withLock { $0 } ? 200 : 500) }
        var thresholds = CircuitBreakerMiddleware.Thresholds.quick
        thresholds.window = .seconds(1000)
        let client = makeClient(transport, CircuitBreakerMiddleware(thresholds), clock: clock)
        await failures(3, on: client)
        await expectOpen(client)
        clock.advance(by: .milliseconds(9_999))
        await expectOpen(client)
        #expect(transport.requests.count == 3)
        clock.advance(by: .milliseconds(1))
        // The probe fails, and the pause begins anew.
        #expect(try await client.call().head.status.code == 500)
        await expectOpen(client)
        isUp.withLock { $0 = true }
        clock.advance(by: .seconds(10))
        for _ in 0..<3 { #expect(try await client.call().head.status == .ok) }
        isUp.withLock { $0 = false }
        // What was before the pause does not count any more.
        await failures(2, on: client)
        #expect(try await client.call().head.status.code == 500)
        await expectOpen(client)
    }

    @Test func saysHowLongItWillBeOpen() async throws {
        let clock = VirtualClock()
        let client = makeClient(ScriptedTransport(.status(500)), CircuitBreakerMiddleware(.quick), clock: clock)
        await failures(3, on: client)
        clock.advance(by: .seconds(4))
        await #expect {
            _ = try await client.call()
        } throws: {
            ($0 as? NetworkClientError)?.message == "the circuit of https://api.example is open for another 6 s"
        }
    }

    @Test func staysClosedWhileEnoughCallsSucceed() async throws {
        let transport = ScriptedTransport { .status($0.number % 3 == 0 ? 500 : 200) }
        let client = makeClient(transport, CircuitBreakerMiddleware(.quick))
        await failures(300, on: client)
        #expect(transport.requests.count == 300)
    }

    @Test func forgetsFailuresThatAreOld() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(.status(500))
        let client = makeClient(transport, CircuitBreakerMiddleware(.quick), clock: clock)
        for _ in 0..<20 {
            await failures(2, on: client)
            clock.advance(by: .seconds(22))
        }
        await failures(1, on: client)
        clock.advance(by: .seconds(86_400 * 365 * 100))
        await failures(2, on: client)
        #expect(transport.requests.count == 43)
        await failures(1, on: client)
        await expectOpen(client)
    }

    @Test(arguments: [
        ScriptedReply.status(400), .status(404), .status(429), .status(302), .failure(.invalidRequest),
        .failure(.bodyTooLarge), .failure(TestError()), .failure(CancellationError()),
    ])
    func whatIsNoFailureOfTheServerDoesNotCount(reply: ScriptedReply) async throws {
        let transport = ScriptedTransport(reply)
        await failures(20, on: makeClient(transport, CircuitBreakerMiddleware(.quick)))
        #expect(transport.requests.count == 20)
    }

    @Test(arguments: [
        ScriptedReply.status(500), .status(503), .failure(.cannotConnect), .failure(.dnsFailed), .failure(.timedOut),
        .failure(.connectionLost), .failure(.tlsFailed),
    ])
    func failuresOfTheServerCount(reply: ScriptedReply) async throws {
        let transport = ScriptedTransport(reply)
        await failures(20, on: makeClient(transport, CircuitBreakerMiddleware(.quick)))
        #expect(transport.requests.count == 3)
    }

    @Test func anAppMayJudgeItself() async throws {
        let transport = ScriptedTransport(.status(429))
        let breaker = CircuitBreakerMiddleware(.quick) { result in (try? result.get().status.code) == 429 }
        await failures(20, on: makeClient(transport, breaker))
        #expect(transport.requests.count == 3)
    }

    @Test(arguments: [CancellationError(), NetworkClientError(.cancelled, "cancelled")] as [any Error])
    func anAppIsNotAskedAboutCancellations(error: any Error) async throws {
        let broken = ScriptedReply.pieces([Data("a".utf8)], failure: error)
        let transport = ScriptedTransport { $0.number % 2 == 0 ? .failure(error) : broken }
        let failures = Mutex(0)
        let breaker = CircuitBreakerMiddleware(.quick) { result in
            if case .failure = result { failures.withLock { $0 += 1 } }
            return (try? result.get()) == nil
        }
        let client = makeClient(transport, breaker)
        for _ in 0..<20 { _ = try? await client.call().body.collect() }
        #expect(failures.withLock { $0 } == 0 && transport.requests.count == 20)
    }

    @Test func aProbeThatIsCancelledMakesRoomForAnother() async throws {
        let clock = VirtualClock()
        let gate = Gate()
        let transport = ScriptedTransport { request in
            if request.path == "/held" { await gate.pass() }
            return .status(request.number < 3 ? 500 : 200)
        }
        let breaker = CircuitBreakerMiddleware(.quick)
        let client = makeClient(transport, breaker, clock: clock)
        await failures(3, on: client)
        clock.advance(by: .seconds(10))
        let probe = Task { try await client.call(.get, "/held") }
        await gate.waitForArrivals(1)
        #expect(breaker.underWay == (1, 1))
        await #expect { _ = try await client.call() } throws: {
            isFailure($0, .circuitOpen) && "\($0)".contains("while others try the server")
        }
        probe.cancel()
        await gate.open()
        await #expect(throws: CancellationError.self) { try await probe.value }
        #expect(breaker.underWay == (0, 0))
        #expect(try await client.call().head.status == .ok)
        #expect(try await client.call().head.status == .ok)
    }

    @Test func anAnswerFromFurtherInIsNoSuccessOfTheServer() async throws {
        /// Answers in place of the server while it is told to.
        struct Stored: NetworkMiddleware {
            let isUsed: @Sendable () -> Bool

            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                if isUsed() { return TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(Data())) }
                return try await next(request)
            }
        }
        let clock = VirtualClock()
        let isStored = Mutex(false)
        let changes = Mutex<[CircuitState]>([])
        let breaker = CircuitBreakerMiddleware(.quick)
        let listening = breaker.onChange { change in changes.withLock { $0.append(change.to) } }
        let client = makeClient(
            ScriptedTransport { .status($0.number < 3 ? 500 : 200) }, breaker,
            Stored { isStored.withLock { $0 } }, clock: clock)
        await failures(3, on: client)
        clock.advance(by: .seconds(10))
        isStored.withLock { $0 = true }
        for _ in 0..<3 { _ = try await client.call() }
        #expect(changes.withLock { $0 } == [.open, .halfOpen])
        isStored.withLock { $0 = false }
        _ = try await client.call()
        #expect(changes.withLock { $0 } == [.open, .halfOpen, .closed])
        listening.end()
    }

    /// The server has answered, and a layer further in did not like the answer.
    @Test(arguments: [true, false]) func aRefusalOfAnAnswerIsASuccessOfTheServer(_ comesBack: Bool) async throws {
        let clock = VirtualClock()
        let status = Mutex(500)
        let transport = ScriptedTransport { _ in
            .status(status.withLock { $0 }, fields: [.retryAfter: "5"])
        }
        let inner: any NetworkMiddleware =
            comesBack
            ? RetryAfterMiddleware()
            : InterceptorMiddleware { request, next in
                let response = try await next(request)
                if response.head.status.code == 500 { return response }
                throw NetworkClientError(.unacceptableStatus, "", response: response.head)
            }
        let client = makeClient(transport, CircuitBreakerMiddleware(.quick), inner, clock: clock)
        await failures(3, on: client)
        clock.advance(by: .seconds(10))
        status.withLock { $0 = 429 }
        await #expect(throws: (any Error).self) { try await client.call() }
        status.withLock { $0 = 500 }
        // Two are not enough for a circuit that is closed.
        await failures(3, on: client)
        #expect(transport.requests.count == 7)
    }

    @Test func severalProbesHaveToSucceed() async throws {
        let clock = VirtualClock()
        var thresholds = CircuitBreakerMiddleware.Thresholds.quick
        thresholds.probes = 3
        let breaker = CircuitBreakerMiddleware(thresholds)
        let changes = Mutex<[CircuitState]>([])
        let listening = breaker.onChange { change in changes.withLock { $0.append(change.to) } }
        let transport = ScriptedTransport { .status($0.number < 3 ? 500 : 200) }
        let client = makeClient(transport, breaker, clock: clock)
        await failures(3, on: client)
        clock.advance(by: .seconds(10))
        for _ in 0..<2 { _ = try await client.call() }
        #expect(changes.withLock { $0 } == [.open, .halfOpen])
        _ = try await client.call()
        #expect(changes.withLock { $0 } == [.open, .halfOpen, .closed])
        listening.end()
    }

    @Test func callsFromBeforeSayNothingOfALaterState() async throws {
        let clock = VirtualClock()
        let gate = Gate()
        let transport = ScriptedTransport { request in
            if request.path == "/late" {
                await gate.pass()
                return .status(500)
            }
            return .status(request.number < 4 ? 500 : 200)
        }
        let client = makeClient(transport, CircuitBreakerMiddleware(.quick), clock: clock)
        let late = Task { try await client.call(.get, "/late") }
        await gate.waitForArrivals(1)
        await failures(3, on: client)
        clock.advance(by: .seconds(10))
        #expect(try await client.call().head.status == .ok)
        await gate.open()
        _ = try await late.value
        await failures(0, on: client)
        #expect(try await client.call().head.status == .ok)
    }

    @Test func tellsItsStatesAsValues() async throws {
        let clock = VirtualClock()
        let breaker = CircuitBreakerMiddleware(.quick)
        var changes = breaker.changes().makeAsyncIterator()
        let transport = ScriptedTransport { .status($0.number < 3 ? 500 : 200) }
        let client = makeClient(transport, breaker, clock: clock)
        await failures(3, on: client)
        clock.advance(by: .seconds(10))
        _ = try await client.call()
        let origin = Origin(scheme: "https", host: "api.example")
        for (from, to) in [(CircuitState.closed, CircuitState.open), (.open, .halfOpen), (.halfOpen, .closed)] {
            let change = await changes.next()
            #expect(change?.origin == origin && change?.from == from && change?.to == to)
        }
    }

    @Test func theNewestChangesAreKeptForWhoReadsLate() async throws {
        let clock = VirtualClock()
        let breaker = CircuitBreakerMiddleware(.quick)
        var changes = breaker.changes().makeAsyncIterator()
        let client = makeClient(ScriptedTransport(.status(500)), breaker, clock: clock)
        await failures(3, on: client)
        // Each probe is two more, so that the newest 64 begin with one.
        for _ in 0..<40 {
            clock.advance(by: .seconds(10))
            await failures(1, on: client)
        }
        for _ in 0..<32 {
            let pair = [await changes.next(), await changes.next()]
            #expect(pair.map { $0?.from } == [.open, .halfOpen])
        }
    }

    @Test func originsHaveCircuitsOfTheirOwnAndCopiesShareThem() async throws {
        let breaker = CircuitBreakerMiddleware(.quick)
        let transport = ScriptedTransport { .status($0.url.contains("down") ? 500 : 200) }
        let client = makeClient(transport, breaker)
        for _ in 0..<3 { _ = try await client.call(.get, "https://down.example/") }
        await #expect { _ = try await makeClient(transport, breaker).call(.get, "https://down.example/") } throws: {
            isFailure($0, .circuitOpen)
        }
        #expect(try await client.call(.get, "https://up.example/").head.status == .ok)
    }

    // MARK: With retries

    @Test func anOpenCircuitEndsTheRetriesAndCostsNoBudget() async throws {
        let clock = VirtualClock()
        let budget = RetryBudget.tokens(capacity: 10, cost: 5)
        let retry = RetryMiddleware(
            maxAttempts: 5, backoff: Backoff(base: .seconds(1), maximum: .seconds(1), jitter: .none), budget: budget)
        let transport = ScriptedTransport(.status(503))
        let client = makeClient(transport, retry, CircuitBreakerMiddleware(.quick), clock: clock)
        let first = try await client.call()
        // The third failure opens the circuit: no wait, and no token, for an attempt that it would refuse.
        #expect(first.head.status.code == 503 && first.exchange.noRetry == .circuitOpen)
        #expect(transport.requests.count == 3 && clock.sleeps.count == 2)
        for _ in 0..<100 {
            await #expect {
                _ = try await client.call()
            } throws: { error in
                (error as? NetworkClientError)?.exchange?.noRetry == .circuitOpen
            }
        }
        #expect(clock.sleeps.count == 2 && budget.tokensLeft == 0)
    }

    @Test func aRetryThatMeetsAnOpenCircuitIsPaidBack() async throws {
        let clock = VirtualClock()
        let budget = RetryBudget.tokens(capacity: 20, cost: 5)
        var retry = RetryMiddleware(maxAttempts: 5, backoff: Backoff(base: .seconds(1), jitter: .none), budget: budget)
        let other = Mutex<NetworkClient?>(nil)
        retry.onRetry = { _ in }
        let breaker = CircuitBreakerMiddleware(.quick)
        let transport = ScriptedTransport(.status(503))
        other.withLock { $0 = makeClient(transport, breaker, clock: clock) }
        // While this call waits, others open the circuit.
        let opener = InterceptorMiddleware { request, next in
            let response = try await next(request)
            if let client = other.withLock({ $0.take() }) { for _ in 0..<2 { _ = try await client.call() } }
            return response
        }
        let client = makeClient(transport, retry, opener, breaker, clock: clock)
        await #expect { _ = try await client.call() } throws: { isFailure($0, .circuitOpen) }
        #expect(budget.tokensLeft == 20)
        #expect(clock.sleeps == [.seconds(1)])
    }

    @Test func callsThatAnOpenCircuitRefusesEarnNoRetries() async throws {
        let clock = VirtualClock()
        let budget = RetryBudget(ratio: 1, reserve: 0)
        let retry = RetryMiddleware(maxAttempts: 1, budget: budget)
        let refused = makeClient(
            ScriptedTransport(.status(500)), retry, CircuitBreakerMiddleware(.quick), clock: clock)
        await failures(1003, on: refused)
        let transport = ScriptedTransport(.status(503))
        let eager = RetryMiddleware(maxAttempts: 1000, backoff: .none, budget: budget)
        let response = try await makeClient(transport, eager, clock: clock).call()
        // One for each call that was sent, and as many as one call may have in any case.
        #expect(response.exchange.noRetry == .attemptsUsedUp)
        let next = try await makeClient(transport, eager, clock: clock).call()
        #expect(next.exchange.attempts.count < 10 && next.exchange.noRetry == .budgetUsedUp)
    }

    @Test(arguments: [1] as [UInt64])
    func tenThousandCallsLeaveNoProbeBehind(seed: UInt64) async throws {
        let clock = VirtualClock()
        let breaker = CircuitBreakerMiddleware(.quick)
        let transport = ScriptedTransport { request in
            if request.number % 3 == 0 { await Task.yield() }
            return request.number % 5 < 3 ? .status(500) : .pieces([Data("a".utf8)])
        }
        let calls = ManyCalls(seed: seed, transport, breaker, clock: clock)
        await calls.run { client, number in
            if number % 50 == 0 { clock.advance(by: .seconds(10)) }
            _ = try await client.call().body.collect()
        }
        #expect(breaker.underWay == (0, 0))
        clock.advance(by: .seconds(1000))
        let before = transport.requests.count
        _ = try? await calls.client.call()
        #expect(transport.requests.count == before + 1)
    }
}
