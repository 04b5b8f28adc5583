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

    /// Retries in vain up to this fraction of the calls, and beyond that up to `reserve` of them in a minute.
    ///
    /// A retry is paid for when it is made, and paid back when its call succeeds after all (with a status below 400): a
    /// server that fails every second request does not use the budget up, one that fails them all does. What calls have
    /// added is remembered up to a thousand calls. One call may have all its attempts in any case, when nothing was spent.
    ///
    /// - Parameters:
    ///   - ratio: 0.2 lets a hundred calls have twenty retries.
    ///   - reserve: retries that are allowed without any call, so that a client with few calls can retry at all. What
    ///     was spent comes back within a minute.
    public init(ratio: Double = 0.2, reserve: Int = 30) {
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
    package var tokensLeft: Int? {
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
    /// - Returns: the cost, to be handed to ``succeed(refunding:after:)``; `nil` when the attempt must not be made.
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

    /// Undoes ``takeRetry(after:at:ofAtMost:)``, or ``beginCall(at:)`` for a first attempt: the attempt was never made.
    func takeBack(retry cost: Int?, isFirst: Bool) {
        policy.withLock { policy in
            switch policy {
            case .ratio(var ratio):
                if isFirst { ratio.forgetCall() } else { ratio.putBack(1) }
                policy = .ratio(ratio)
            case .tokens(var tokens):
                if let cost { tokens.put(cost) }
                policy = .tokens(tokens)
            }
        }
    }

    /// - Parameters:
    ///   - cost: of the last retry; `nil` when there was none.
    ///   - retries: how many the call had.
    func succeed(refunding cost: Int?, after retries: Int = 0) {
        policy.withLock { policy in
            switch policy {
            case .ratio(var ratio):
                ratio.putBack(retries)
                policy = .ratio(ratio)
            case .tokens(var tokens):
                tokens.put(cost)
                policy = .tokens(tokens)
            }
        }
    }
}

/// Counts the retries that were not paid back. Calls and time reduce the count.
private struct RatioBudget: Sendable {
    let ratio: Double
    let reserve: Int
    /// Below zero: what calls have added.
    private var spent = 0.0
    private var countedAt: Duration?

    init(ratio: Double, reserve: Int) {
        self.ratio = ratio
        self.reserve = reserve
    }

    /// How many calls are remembered.
    private static let memory = 1000.0

    mutating func beginCall(at now: Duration) {
        refill(at: now)
        add(ratio)
    }

    mutating func takeRetry(at now: Duration, ofAtMost most: Int) -> Bool {
        refill(at: now)
        guard spent + 1 <= Double(max(reserve, most)) else { return false }
        spent += 1
        return true
    }

    mutating func forgetCall() { spent += ratio }

    mutating func putBack(_ retries: Int) { add(Double(retries)) }

    private mutating func add(_ amount: Double) { spent = max(spent - amount, -ratio * Self.memory) }

    /// The reserve, or one retry where there is no reserve, comes back in a minute.
    private mutating func refill(at now: Duration) {
        defer { countedAt = now }
        guard spent > 0, let countedAt, now > countedAt else { return }
        spent = max(spent - Double(max(reserve, 1)) * ((now - countedAt) / .seconds(60)), 0)
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
