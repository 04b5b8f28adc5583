// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits the load that retries add to the calls of all who share the budget, so that clients do not finish off a
/// server that is in trouble.
///
/// Give the same budget to every ``RetryMiddleware`` that talks to one service.
public final class RetryBudget: Sendable {
    /// The kind of a failed attempt, for budgets that charge them differently.
    enum Failure: Sendable {
        case status, timeout
    }

    private enum Policy: Sendable {
        case ratio(RatioBudget)
        case tokens(TokenBudget)
    }

    private let policy: Mutex<Policy>

    /// Retries up to this fraction of the calls, but at least `reserve`, and at least as many as one call may have.
    ///
    /// The counts of calls and retries are halved after an hour or a thousand calls, so that neither a long calm nor an old
    /// storm counts for ever.
    ///
    /// - Parameters:
    ///   - ratio: 0.2 lets a hundred calls have twenty retries.
    ///   - reserve: retries that are allowed in any case, so that a client with few calls can retry at all.
    public init(ratio: Double = 0.2, reserve: Int = 10) {
        policy = Mutex(.ratio(RatioBudget(ratio: max(ratio, 0), reserve: max(reserve, 0))))
    }

    private init(_ tokens: TokenBudget) {
        policy = Mutex(.tokens(tokens))
    }

    /// A bucket that is emptied by retries and filled by successes, as the AWS SDKs have it.
    ///
    /// A success, which is a status below 400, gives back the tokens that its last retry took. A success at the first
    /// attempt adds `deposit` tokens.
    public static func tokens(
        capacity: Int = 500, cost: Int = 5, timeoutCost: Int = 10, deposit: Int = 1
    ) -> RetryBudget {
        RetryBudget(TokenBudget(capacity: capacity, cost: cost, timeoutCost: timeoutCost, deposit: deposit))
    }

    /// What a bucket of tokens holds; `nil` for a ratio.
    var tokensLeft: Int? {
        policy.withLock { policy in
            if case .tokens(let tokens) = policy { tokens.available } else { nil }
        }
    }

    func beginCall(at now: Duration) {
        policy.withLock { policy in
            if case .ratio(var ratio) = policy {
                ratio.beginCall(at: now)
                policy = .ratio(ratio)
            }
        }
    }

    /// Takes what one more attempt costs out of the budget.
    ///
    /// - Returns: the cost, to be handed to ``succeed(refunding:)``; `nil` when the attempt must not be made.
    ///
    /// - Parameter most: how many retries one call may have. A budget with a ratio allows that many in any case.
    func takeRetry(after failure: Failure, at now: Duration, ofAtMost most: Int) -> Int? {
        policy.withLock { policy in
            switch policy {
            case .ratio(var ratio):
                defer { policy = .ratio(ratio) }
                return ratio.takeRetry(at: now, ofAtMost: most) ? 0 : nil
            case .tokens(var tokens):
                defer { policy = .tokens(tokens) }
                return tokens.take(after: failure)
            }
        }
    }

    /// - Parameter cost: of the last retry; `nil` when there was none.
    func succeed(refunding cost: Int?) {
        policy.withLock { policy in
            if case .tokens(var tokens) = policy {
                tokens.put(cost)
                policy = .tokens(tokens)
            }
        }
    }
}

/// Counts retries and calls. Both are forgotten at the same pace, so that the bound on their ratio always holds.
private struct RatioBudget: Sendable {
    let ratio: Double
    let reserve: Int
    private var calls = 0.0
    private var retries = 0.0
    private var halvedAt: Duration?

    init(ratio: Double, reserve: Int) {
        self.ratio = ratio
        self.reserve = reserve
    }

    private static let memory = 1000.0
    private static let halfLife = Duration.seconds(3600)

    mutating func beginCall(at now: Duration) {
        decay(at: now)
        calls += 1
        if calls >= Self.memory { halve() }
    }

    mutating func takeRetry(at now: Duration, ofAtMost most: Int) -> Bool {
        decay(at: now)
        guard retries + 1 <= max(Double(max(reserve, most)), ratio * calls) else { return false }
        retries += 1
        return true
    }

    private mutating func decay(at now: Duration) {
        guard let last = halvedAt else { return halvedAt = now }
        let halvings = Int((now - last).components.seconds / Self.halfLife.components.seconds)
        guard halvings > 0 else { return }
        halvedAt = last + Self.halfLife * halvings
        // After 60 halvings nothing is left.
        for _ in 0..<min(halvings, 60) { halve() }
    }

    private mutating func halve() {
        calls /= 2
        retries /= 2
    }
}

private struct TokenBudget: Sendable {
    let capacity: Int
    let cost: Int
    let timeoutCost: Int
    let deposit: Int
    private(set) var available: Int

    init(capacity: Int, cost: Int, timeoutCost: Int, deposit: Int) {
        self.capacity = max(capacity, 0)
        self.cost = max(cost, 0)
        self.timeoutCost = max(timeoutCost, 0)
        self.deposit = max(deposit, 0)
        available = self.capacity
    }

    mutating func take(after failure: RetryBudget.Failure) -> Int? {
        let price = failure == .timeout ? timeoutCost : cost
        guard available >= price else { return nil }
        available -= price
        return price
    }

    mutating func put(_ refund: Int?) {
        let (sum, overflow) = available.addingReportingOverflow(refund ?? deposit)
        available = overflow ? capacity : min(sum, capacity)
    }
}
