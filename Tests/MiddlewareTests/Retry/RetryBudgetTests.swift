// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataTesting
import Testing

@testable import StrataMiddleware

/// What a budget allows, by the time that it is given.
struct RetryBudgetTests {
    /// How many retries are allowed at a moment, of ten that are asked for.
    private func allowed(_ budget: RetryBudget, at seconds: Double = 0, ofAtMost most: Int = 0) -> Int {
        (1...10).filter { _ in budget.takeRetry(after: .status, at: .seconds(seconds), ofAtMost: most) != nil }.count
    }

    // MARK: A ratio

    @Test(arguments: [(0, 0, 0), (3, 0, 3), (3, 2, 3), (3, 4, 4), (0, 1, 1), (-1, 0, 0), (30, 0, 10)])
    func aCallMayHaveTheReserveOrAllItsAttempts(_ reserve: Int, _ most: Int, _ expected: Int) {
        #expect(allowed(RetryBudget(ratio: 0, reserve: reserve), ofAtMost: most) == expected)
    }

    @Test(arguments: [(0.5, 1, 2), (0.5, 2, 3), (0.5, 3, 3), (0.5, 4, 4), (0, 4, 2), (-1, 4, 2), (1, 4, 6)])
    func eachCallAddsItsFraction(_ ratio: Double, _ calls: Int, _ expected: Int) {
        let budget = RetryBudget(ratio: ratio, reserve: 2)
        for _ in 0..<calls { budget.beginCall(at: .zero) }
        #expect(allowed(budget) == expected)
        #expect(budget.tokensLeft == nil)
    }

    @Test(arguments: [(999, 999), (1000, 1000), (1001, 1000), (1500, 1000)])
    func aThousandCallsAreRemembered(_ calls: Int, _ expected: Int) {
        let budget = RetryBudget(ratio: 1, reserve: 0)
        for _ in 0..<calls { budget.beginCall(at: .zero) }
        var count = 0
        while count < 2000, budget.takeRetry(after: .status, at: .zero, ofAtMost: 0) != nil { count += 1 }
        #expect(count == expected)
    }

    @Test(arguments: [(0, 0), (14.9, 0), (15, 1), (29.9, 1), (30, 2), (60, 4), (3600, 4)])
    func theReserveComesBackEvenlyWithinAMinute(_ seconds: Double, _ expected: Int) {
        let budget = RetryBudget(ratio: 0, reserve: 4)
        #expect(allowed(budget, at: 100) == 4)
        #expect(allowed(budget, at: 100 + seconds) == expected)
    }

    @Test func withoutAReserveOneRetryComesBackInAMinute() {
        for (seconds, expected) in [(59.0, 0), (60, 1), (120, 1)] {
            let budget = RetryBudget(ratio: 0, reserve: 0)
            #expect(allowed(budget, ofAtMost: 1) == 1)
            #expect(allowed(budget, at: seconds, ofAtMost: 1) == expected)
        }
    }

    @Test func timeTakesNothingAwayAndDoesNotGoBack() {
        let budget = RetryBudget(ratio: 1, reserve: 2)
        for _ in 1...3 { budget.beginCall(at: .zero) }
        #expect(allowed(budget, at: 600) == 5)
        #expect(allowed(budget, at: 500) == 0)
        // From there on it is counted.
        #expect(allowed(budget, at: 530) == 1)
    }

    @Test func whatSucceedsIsPaidBack() {
        let budget = RetryBudget(ratio: 0, reserve: 3)
        #expect(allowed(budget) == 3)
        budget.succeed(refunding: 0, after: 2)
        #expect(allowed(budget) == 2)
        budget.succeed(refunding: nil, after: 0)
        #expect(allowed(budget) == 0)
    }

    @Test func whatWasNeverSentIsTakenBack() {
        let budget = RetryBudget(ratio: 1, reserve: 1)
        budget.beginCall(at: .zero)
        budget.takeBack(retry: nil, isFirst: true)
        #expect(allowed(budget) == 1)
        budget.takeBack(retry: 0, isFirst: false)
        #expect(allowed(budget) == 1)
    }

    // MARK: Tokens

    @Test func tokensAreTakenByTheirCost() {
        let budget = RetryBudget.tokens(capacity: 20, cost: 5, timeoutCost: 10, deposit: 2)
        #expect(budget.tokensLeft == 20)
        #expect(budget.takeRetry(after: .timeout, at: .zero, ofAtMost: 9) == 10)
        #expect(budget.takeRetry(after: .status, at: .zero, ofAtMost: 9) == 5)
        #expect(budget.tokensLeft == 5)
        // Not enough for the one, just enough for the other.
        #expect(budget.takeRetry(after: .timeout, at: .seconds(900), ofAtMost: 9) == nil)
        #expect(budget.takeRetry(after: .status, at: .seconds(900), ofAtMost: 9) == 5)
        #expect(budget.tokensLeft == 0)
        budget.succeed(refunding: 5, after: 1)
        #expect(budget.tokensLeft == 5)
        budget.succeed(refunding: nil)
        #expect(budget.tokensLeft == 7)
        budget.takeBack(retry: nil, isFirst: true)
        budget.beginCall(at: .zero)
        #expect(budget.tokensLeft == 7)
        budget.takeBack(retry: 10, isFirst: false)
        #expect(budget.tokensLeft == 17)
        budget.succeed(refunding: 10)
        #expect(budget.tokensLeft == 20, "no more than it holds")
    }

    @Test func absurdNumbersCountAsNothing() {
        let empty = RetryBudget.tokens(capacity: -1, cost: 1)
        #expect(empty.tokensLeft == 0 && empty.takeRetry(after: .status, at: .zero, ofAtMost: 9) == nil)
        let free = RetryBudget.tokens(capacity: 0, cost: -1, timeoutCost: -1, deposit: -1)
        #expect(free.takeRetry(after: .status, at: .zero, ofAtMost: 9) == 0)
        #expect(free.takeRetry(after: .timeout, at: .zero, ofAtMost: 9) == 0)
        free.succeed(refunding: nil)
        #expect(free.tokensLeft == 0)
        let full = RetryBudget.tokens(capacity: .max, cost: 1, deposit: .max)
        full.succeed(refunding: nil)
        #expect(full.tokensLeft == .max)
    }

    /// A status below 400 is a success.
    @Test(arguments: [(200, 10), (304, 10), (399, 10), (400, 5), (401, 5), (404, 5)])
    func aSuccessOfACallIsPaidBack(_ status: Int, _ left: Int) async throws {
        let budget = RetryBudget.tokens(capacity: 10, cost: 5)
        let transport = ScriptedTransport(.status(503), .status(status))
        let client = makeClient(transport, RetryMiddleware(backoff: .none, budget: budget))
        #expect(try await client.call().head.status.code == status)
        #expect(budget.tokensLeft == left)
    }

    @Test(arguments: [(NetworkClientError.timedOut(.idle), 0), (NetworkClientError(.connectionLost, ""), 5)])
    func aTimeoutCostsMore(_ error: NetworkClientError, _ left: Int) async throws {
        let budget = RetryBudget.tokens(capacity: 10, cost: 5, timeoutCost: 10)
        let transport = ScriptedTransport(.failure(error), .status(404))
        _ = try await makeClient(transport, RetryMiddleware(backoff: .none, budget: budget)).call()
        #expect(budget.tokensLeft == left)
    }
}
