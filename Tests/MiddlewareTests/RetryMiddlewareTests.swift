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

struct RetryMiddlewareTests {
    /// Without jitter: 1, 2, 4 … seconds.
    let plain = RetryMiddleware(
        maxAttempts: 3, backoff: Backoff(base: .seconds(1), maximum: .seconds(60), jitter: .none))

    @Test func triesAgainUntilItSucceeds() async throws {
        let transport = ScriptedTransport(.status(503), .failure(.connectionLost), .text("ok"))
        let clock = VirtualClock()
        let response = try await makeClient(transport, plain, clock: clock).call()
        #expect(try await response.body.collect() == Data("ok".utf8))
        #expect(clock.sleeps == [.seconds(1), .seconds(2)])
        #expect(
            response.exchange.attempts.map(\.reason) == [
                .first, .retry(cause: "503", waited: .seconds(1)),
                .retry(cause: "connectionLost", waited: .seconds(2)),
            ])
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (5, 5)])
    func makesAsManyAttemptsInAllAsItMay(maxAttempts: Int, requests: Int) async throws {
        let transport = ScriptedTransport(.text("down", status: 503))
        var retry = plain
        retry.maxAttempts = maxAttempts
        let response = try await makeClient(transport, retry).call()
        #expect(transport.requests.count == requests)
        #expect(response.head.status == .serviceUnavailable)
        #expect(try await response.body.collect() == Data("down".utf8))
    }

    @Test func throwsTheLastError() async throws {
        let transport = ScriptedTransport(.failure(.cannotConnect), .failure(.connectionLost))
        await #expect {
            _ = try await makeClient(transport, plain).call()
        } throws: { error in
            isFailure(error, .connectionLost) && (error as? NetworkClientError)?.exchange?.attempts.count == 3
        }
    }

    @Test func readsTheLastRefusedBodyAsAStream() async throws {
        let transport = ScriptedTransport(.pieces([Data("do".utf8), Data("wn".utf8)], status: 503))
        let response = try await makeClient(transport, plain).call()
        #expect(try await response.body.collect() == Data("down".utf8))
    }

    // MARK: What may be repeated

    @Test(arguments: ["POST", "PATCH", "CONNECT", "LOCK", "get", "PURGE"])
    func leavesMethodsThatAreNotIdempotentAlone(name: String) async throws {
        let method = try #require(HTTPMethod(name))
        let transport = ScriptedTransport(.status(503))
        #expect(try await makeClient(transport, plain).call(method).head.status.code == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func repeatsAPostWithAnIdempotencyKey() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        var fields = HTTPFields()
        try fields.setValue("k-1", forName: "Idempotency-Key")
        _ = try await makeClient(transport, plain).call(.post, fields: fields, body: .data(Data("x".utf8)))
        #expect(transport.requests.map { $0["idempotency-key"] } == ["k-1", "k-1"])
        #expect(transport.requests.map(\.text) == ["x", "x"])
    }

    @Test func makesOneIdempotencyKeyACallWhenAsked() async throws {
        let transport = ScriptedTransport(
            .status(503), .redirect(307, to: "/b"), .status(503), .status(200), .status(200))
        let count = Mutex(0)
        var retry = plain
        retry.idempotencyKey = .generated {
            count.withLock { count in
                count += 1
                return "key-\(count)"
            }
        }
        let client = makeClient(transport, retry)
        _ = try await client.call(.post, body: .data(Data("x".utf8)))
        _ = try await client.call(.post)
        _ = try await client.call(.get)
        #expect(transport.requests.map { $0["idempotency-key"] } == ["key-1", "key-1", "key-1", "key-1", "key-2", nil])
    }

    @Test func refusesAKeyWithALineBreak() async throws {
        let transport = ScriptedTransport(.status(200))
        var retry = plain
        retry.idempotencyKey = .generated { "key\r\nX: y" }
        let error = await #expect(throws: NetworkClientError.self) {
            try await makeClient(transport, retry).call(.post)
        }
        #expect(error?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test func doesNotRepeatABodyThatIsUsedUp() async throws {
        let transport = ScriptedTransport(.status(503))
        let response = try await makeClient(transport, plain).call(.put, body: oneShotBody())
        #expect(response.head.status.code == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func producesAReplayableStreamAnew() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let body = RequestBody.stream(isReplayable: true) { PiecesSource([Data("a".utf8), Data("b".utf8)]) }
        _ = try await makeClient(transport, plain).call(.put, body: body)
        #expect(transport.requests.map(\.text) == ["ab", "ab"])
    }

    @Test func repeatsWhatTheServerNeverSawWhateverTheMethod() async throws {
        var refused = NetworkClientError(.connectionLost, "refused stream")
        refused.isUnprocessed = true
        let transport = ScriptedTransport(
            .failure(.cannotConnect), .failure(refused), .failure(NetworkClientError.timedOut(.connect)), .status(200))
        var retry = plain
        retry.maxAttempts = 4
        _ = try await makeClient(transport, retry).call(.post)
        #expect(transport.requests.count == 4)
    }

    @Test(arguments: [
        NetworkClientError.Code.tlsFailed, .protocolViolation, .malformedURL, .bodyTooLarge, .decodingFailed,
    ])
    func givesUpOnErrorsThatWillNotPass(code: NetworkClientError.Code) async throws {
        let transport = ScriptedTransport(.failure(code))
        await #expect {
            _ = try await makeClient(transport, plain).call()
        } throws: {
            isFailure($0, code)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func doesNotRepeatAPostThatWasRedirectedToAServerThatIsDown() async throws {
        let transport = ScriptedTransport(.redirect(303, to: "/done"), .failure(.cannotConnect))
        let client = makeClient(transport, plain, RedirectMiddleware())
        await #expect(throws: NetworkClientError.self) {
            _ = try await client.call(.post, body: .data(Data("order".utf8)))
        }
        #expect(transport.requests.map(\.head.method) == [.post, .get])
        let get = ScriptedTransport(.redirect(to: "/done"), .failure(.cannotConnect), .status(200))
        #expect(try await makeClient(get, plain, RedirectMiddleware()).call().head.status == .ok)
    }

    @Test func repeatsAPostWhoseChallengeWasAnsweredToAServerThatIsDown() async throws {
        let transport = ScriptedTransport(.status(401), .failure(.cannotConnect), .status(200))
        let store = CredentialStore(Credential(token: Secret.token)) { _ in Credential(token: Secret.freshToken) }
        let client = makeClient(transport, plain, BearerAuthMiddleware(store))
        #expect(try await client.call(.post).head.status == .ok)
    }

    @Test func takesNoEarlierAttemptsErrorForTheOneOfALayer() async throws {
        let transport = ScriptedTransport(.failure(URLError(.notConnectedToInternet)))
        let attempts = Mutex(0)
        let failing = InterceptorMiddleware { request, next in
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            guard attempt == 1 else { throw TestError() }
            return try await next(request)
        }
        await #expect(throws: TestError()) { _ = try await makeClient(transport, plain, failing).call() }
        #expect(attempts.withLock { $0 } == 2)
    }

    @Test func passesErrorsOfLayersUnchanged() async throws {
        let transport = ScriptedTransport(.status(200))
        let failing = InterceptorMiddleware { request, next in
            _ = try await next(request)
            throw TestError()
        }
        await #expect(throws: TestError()) { _ = try await makeClient(transport, plain, failing).call() }
        #expect(transport.requests.count == 1)
    }

    @Test func repeatsAfterErrorsOfATransportsOwnAndPassesTheLastUnchanged() async throws {
        let transport = ScriptedTransport(.failure(URLError(.notConnectedToInternet)))
        let retry = RetryMiddleware(.retry(count: 3), backoff: .none)
        await #expect(throws: URLError.self) { _ = try await makeClient(transport, retry).call() }
        #expect(transport.requests.count == 4)
        let post = ScriptedTransport(.failure(URLError(.notConnectedToInternet)))
        await #expect(throws: URLError.self) { _ = try await makeClient(post, retry).call(.post) }
        #expect(post.requests.count == 1)
    }

    @Test func repeatsTimeoutsButNotThePassedDeadline() async throws {
        let idle = ScriptedTransport(.failure(NetworkClientError.timedOut(.idle)), .status(200))
        _ = try await makeClient(idle, plain).call()
        #expect(idle.requests.count == 2)
        let deadline = ScriptedTransport(.failure(NetworkClientError.timedOut(.deadline)))
        await #expect(throws: NetworkClientError.self) { _ = try await makeClient(deadline, plain).call() }
        #expect(deadline.requests.count == 1)
    }

    @Test func doesNotRepeatAResponseWhoseBodyBreaks() async throws {
        let transport = ScriptedTransport(
            .pieces([Data("half".utf8)], failure: NetworkClientError(.connectionLost, "gone")), .text("whole"))
        let response = try await makeClient(transport, plain).call()
        await #expect {
            _ = try await response.body.collect()
        } throws: {
            isFailure($0, .connectionLost)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func asksTheConditionThatItIsGiven() async throws {
        let transport = ScriptedTransport(.status(404), .status(409), .status(500))
        var retry = plain
        retry.maxAttempts = 9
        retry.condition = RetryCondition.status(404, 409, 500).and(.method(.get)).and(.not(.status(500)))
        #expect(try await makeClient(transport, retry).call().head.status.code == 500)
        #expect(transport.requests.count == 3)
    }

    // MARK: Strategy

    @Test(arguments: [
        (RetryStrategy.retry(count: 3), RetryStrategy.inherited, 4), (.none, .inherited, 1),
        (.retry(count: 3), .retry(count: 5), 6), (.retry(count: 3), .none, 1), (.retry(count: -2), .inherited, 1),
    ])
    func countsRetriesByStrategy(client: RetryStrategy, request: RetryStrategy, requests: Int) async throws {
        let transport = ScriptedTransport(.failure(.connectionLost))
        await #expect(throws: NetworkClientError.self) {
            _ = try await makeClient(transport, RetryMiddleware(client, backoff: .none)).call {
                $0.retryStrategy = request
            }
        }
        #expect(transport.requests.count == requests)
    }

    // MARK: Budget

    @Test func aStormOfRefusalsStaysWithinTheBudget() async throws {
        // Without a wait, so that the time in which the budget refills stands still.
        let transport = ScriptedTransport(.status(429, retryAfter: 0))
        let client = makeClient(transport, plain)
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<1000 { group.addTask { try? await client.call().head.status.code } }
            for await status in group { #expect(status == 429) }
        }
        let added = transport.requests.count - 1000
        #expect(added <= 230)
        #expect(added >= 180)
    }

    @Test func theBudgetIsSharedByCopies() async throws {
        let budget = RetryBudget(ratio: 0, reserve: 3)
        let transport = ScriptedTransport(.status(503))
        for _ in 0..<5 {
            var retry = plain
            retry.budget = budget
            _ = try await makeClient(transport, retry).call()
        }
        #expect(transport.requests.count == 8)
    }

    @Test func failuresPutNoTokensBack() async throws {
        var retry = plain
        retry.budget = .tokens(capacity: 5, cost: 5)
        let transport = ScriptedTransport(.status(503), .status(404), .status(503))
        let client = makeClient(transport, retry)
        #expect(try await client.call().head.status == .notFound)
        for _ in 0..<5 { _ = try await client.call(.post) }
        _ = try await client.call()
        #expect(transport.requests.count == 8, "the last call has no retry")
    }

    @Test func successesPutTokensBack() async throws {
        var retry = plain
        retry.budget = .tokens(capacity: 5, cost: 5)
        let client = makeClient(
            ScriptedTransport(.status(503), .status(304), .status(503), .status(200)), retry)
        #expect(try await client.call().head.status == .notModified)
        #expect(try await client.call().head.status == .ok)
    }

    @Test func theReserveComesBackWithinAMinute() async throws {
        let transport = ScriptedTransport(.status(503))
        let clock = VirtualClock()
        var retry = plain
        retry.backoff = .none
        retry.budget = RetryBudget(ratio: 0, reserve: 2)
        let client = makeClient(transport, retry, clock: clock)
        for _ in 0..<3 { _ = try await client.call() }
        #expect(transport.requests.count == 5)
        clock.advance(by: .seconds(30))
        _ = try await client.call()
        #expect(transport.requests.count == 7)
        clock.advance(by: .seconds(60))
        _ = try await client.call()
        #expect(transport.requests.count == 10)
    }

    @Test func callsAddToTheBudgetAndAStormIsForgotten() async throws {
        let transport = ScriptedTransport(.status(503))
        let clock = VirtualClock()
        let retry = RetryMiddleware(backoff: .none, budget: RetryBudget(ratio: 0.5, reserve: 2))
        let client = makeClient(transport, retry, clock: clock)
        for _ in 0..<101 { _ = try await client.call() }
        #expect(transport.requests.count == 153)
        clock.advance(by: .seconds(60))
        _ = try await client.call()
        #expect(transport.requests.count == 156)
    }

    @Test func theBudgetLetsOneCallHaveAllItsAttempts() async throws {
        let transport = ScriptedTransport(.status(503))
        var retry = plain
        retry.maxAttempts = 21
        retry.backoff = .none
        retry.budget = RetryBudget(ratio: 0, reserve: 10)
        let client = makeClient(transport, retry)
        _ = try await client.call()
        #expect(transport.requests.count == 21)
        _ = try await client.call()
        #expect(transport.requests.count == 22)
    }

    @Test func aStrategyIsHeldToByEveryCall() async throws {
        let transport = ScriptedTransport(.status(503))
        let client = makeClient(transport, RetryMiddleware(.retry(count: 2), backoff: .none))
        for _ in 0..<50 { _ = try await client.call() }
        #expect(transport.requests.count == 150)
    }

    @Test func withoutABudgetEveryCallMayRetry() async throws {
        let transport = ScriptedTransport(.status(503))
        let client = makeClient(transport, RetryMiddleware(maxAttempts: 2, budget: nil))
        for _ in 0..<50 { _ = try await client.call() }
        #expect(transport.requests.count == 100)
    }

    @Test(arguments: [NetworkClientError.Code.connectionLost, .cannotConnect])
    func aPOSTThatAnEarlierExchangeMayHaveCarriedOutIsNotRepeated(_ first: NetworkClientError.Code) async throws {
        let mirror = InterceptorMiddleware { request, next in
            do { return try await next(request) } catch {
                var request = request
                request.head.authority = "mirror.example"
                return try await next(request)
            }
        }
        let transport = ScriptedTransport(.failure(first), .failure(.cannotConnect), .status(200))
        let client = makeClient(transport, RetryMiddleware(backoff: .none), mirror)
        let status = try? await client.call(.post, body: .data(Data("x".utf8))).head.status
        #expect(status == (first == .cannotConnect ? .ok : nil))
        #expect(transport.requests.count == (first == .cannotConnect ? 3 : 2))
    }
}
