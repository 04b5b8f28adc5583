// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What a server has said of its rate limits, as far as that has not passed.
struct LearnedQuotas: Sendable {
    private struct Quota {
        let name: String
        /// How many requests there are in each window, as far as the server has said so.
        var limit: Int?
        /// How many of them are left: of what the server has said, less what it has not counted yet.
        var remaining: Int
        /// How many are left when all is given back that was taken before the server last spoke.
        var told: Int
        /// What the server has said last: within a window, the least. ``told`` counts since that version.
        var said: Int
        var toldSince: UInt64
        /// The version in which this window began.
        var began: UInt64
        /// When the window ends.
        var end: Duration
        /// At least so long is a window: the longest rest of one that the server has named.
        var length: Duration
        /// When the server last spoke of this quota.
        var heardAt: Duration
        /// When this window took the place of the one before, whose end had come.
        var start: Duration?
        /// Whether the server has said nothing of this window, so that it is the one before, moved on.
        var isGuess = false
        /// How many were taken of a guess.
        var taken = 0
        /// Whether the server has answered a request of this window.
        var isAnswered = false

        /// Whether a request that was sent then may be of a window before.
        func isOlder(_ sent: Duration?) -> Bool { start.map { start in sent.map { $0 < start } ?? true } ?? false }
    }

    private var quotas: [Quota] = []
    /// How often the server, or time, has said anew how many requests are left.
    private(set) var version: UInt64 = 0
    /// Nothing may be sent before.
    private var blockedUntil: Duration?

    /// A server may name nine different quotas, or a name of its own in each response: the oldest are forgotten.
    private static let most = 8
    /// No server is believed when it names a longer wait: after this time one is asked again.
    static let longestWait = Duration.seconds(3600)

    var isEmpty: Bool { quotas.isEmpty && blockedUntil == nil }

    /// When the next request but `position` may be sent.
    func ready(_ position: Int, now: Duration) -> Duration {
        quotas.reduce(max(blockedUntil ?? now, now)) { ready, quota in
            guard quota.remaining <= position else { return ready }
            let windows = quota.limit.map { (position - quota.remaining) / $0 } ?? 0
            return max(ready, quota.end + quota.length * windows)
        }
    }

    /// Whether a request may have to wait longer than before.
    func mayDelay(more before: LearnedQuotas) -> Bool {
        guard quotas.count == before.quotas.count else { return true }
        return blockedUntil.map { $0 > before.blockedUntil ?? .zero } == true
            || zip(quotas, before.quotas).contains { now, before in
                now.name != before.name || now.limit != before.limit || now.remaining < before.remaining
                    || now.end > before.end || now.length > before.length
            }
    }

    /// Moves on to the windows of this time.
    mutating func roll(to now: Duration) {
        if let end = blockedUntil, end <= now { blockedUntil = nil }
        // A guess is held to until an answer does not name it, for its answers may come after its end.
        quotas.removeAll { quota in
            quota.end <= now
                && (quota.limit == nil
                    || quota.isGuess && (quota.isAnswered || now - quota.heardAt >= Self.longestWait))
        }
        for index in quotas.indices where quotas[index].end <= now {
            version += 1
            quotas[index].remaining = quotas[index].limit ?? 0
            (quotas[index].told, quotas[index].said) = (quotas[index].remaining, quotas[index].remaining)
            (quotas[index].toldSince, quotas[index].began) = (version, version)
            quotas[index].start = now
            quotas[index].end = now + quotas[index].length
            quotas[index].isGuess = true
            quotas[index].taken = 0
            quotas[index].isAnswered = false
        }
    }

    mutating func take() {
        for index in quotas.indices {
            quotas[index].remaining = max(quotas[index].remaining - 1, 0)
            quotas[index].told = max(quotas[index].told - 1, 0)
            quotas[index].taken += 1
        }
    }

    /// The server has answered a request that was sent then.
    mutating func noteAnswer(sent: Duration) {
        for index in quotas.indices where !quotas[index].isOlder(sent) { quotas[index].isAnswered = true }
    }

    /// Takes back what was taken in this version: the server has not counted it.
    mutating func putBack(takenIn version: UInt64) {
        for index in quotas.indices where version >= quotas[index].began {
            if version >= quotas[index].toldSince { quotas[index].told += 1 }
            quotas[index].remaining = min(quotas[index].remaining + 1, quotas[index].told)
            quotas[index].taken -= 1
        }
    }

    mutating func block(for wait: Duration, now: Duration) {
        guard wait > .zero else { return }
        blockedUntil = max(blockedUntil ?? now, now + min(wait, Self.longestWait))
    }

    /// - Parameters:
    ///   - isRefused: whether the response refuses the request: of a quota that does not say otherwise, nothing is left.
    ///   - sent: when the request was sent. `nil`: before anything was known.
    mutating func learn(_ told: [RateLimitFields.Quota], isRefused: Bool, sent: Duration?, now: Duration) {
        roll(to: now)
        for quota in told {
            guard let remaining = quota.remaining ?? (isRefused ? 0 : nil), let reset = quota.reset ?? quota.window
            else { continue }
            // Servers round down: 0 is less than a second.
            learn(
                quota, remaining, reset: reset > .zero ? min(reset, Self.longestWait) : .seconds(1), sent: sent,
                now: now)
        }
        version += 1
        if quotas.count > Self.most { quotas.removeFirst(quotas.count - Self.most) }
    }

    private mutating func learn(
        _ told: RateLimitFields.Quota, _ remaining: Int, reset: Duration, sent: Duration?, now: Duration
    ) {
        let known = quotas.firstIndex { $0.name == told.name }
        var quota = Quota(
            name: told.name, limit: told.limit.flatMap { $0 > 0 ? $0 : nil }, remaining: remaining, told: remaining,
            said: remaining, toldSince: version + 1, began: version + 1, end: now + reset,
            length: max(min(told.window ?? reset, Self.longestWait), .seconds(1)), heardAt: now)
        guard let known else { return quotas.append(quota) }
        let before = quotas[known]
        // The server rounds to seconds, and its response was on its way since the request was sent, at the most.
        let isBehind = quota.end + .seconds(1) < before.end
        let isAhead = (sent ?? .zero) + reset - .seconds(1) > before.end
        let isSame = !isBehind && !isAhead
        // It tells of a window that has passed.
        if !isSame, before.isOlder(sent) { return }
        if told.window == nil { quota.length = max(quota.length, before.length) }
        quota.start = before.start
        // Requests under way are counted here, and perhaps not yet there; a response that was overtaken by others tells of
        // more than is left.
        if before.isGuess || isSame {
            quota.began = before.began
            if remaining >= before.said {
                (quota.told, quota.said, quota.toldSince) = (before.told, before.said, before.toldSince)
            }
        }
        if before.isGuess {
            quota.remaining = min(remaining, max((quota.limit ?? remaining) - before.taken, 0))
        } else if isSame {
            quota.remaining = min(remaining, before.remaining)
        }
        if isSame, quota.end > before.end + .seconds(1) {
            quota.end = before.end
        } else if isSame, !before.isGuess {
            quota.end = max(quota.end, before.end)
        }
        quotas[known] = quota
    }
}
