// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What a server has said of its rate limits, as far as that has not passed.
struct LearnedQuotas: Sendable {
    private struct Quota {
        let name: String
        /// How many requests there are in each window, as far as the server has said so.
        var limit: Int?
        /// How many of them are left.
        var remaining: Int
        /// When the window ends.
        var end: Duration
        /// At least so long is a window: the longest rest of one that the server has named.
        var length: Duration
        /// Whether the server has said nothing of this window, so that it is the one before, moved on.
        var isGuess = false
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

    /// Moves on to the windows of this time.
    mutating func roll(to now: Duration) {
        if let end = blockedUntil, end <= now { blockedUntil = nil }
        quotas.removeAll { $0.end <= now && ($0.limit == nil || $0.isGuess) }
        for index in quotas.indices where quotas[index].end <= now {
            version += 1
            quotas[index].remaining = quotas[index].limit ?? 0
            quotas[index].end = now + quotas[index].length
            quotas[index].isGuess = true
        }
    }

    mutating func take() {
        for index in quotas.indices { quotas[index].remaining = max(quotas[index].remaining - 1, 0) }
    }

    /// Takes back what was taken in this version: the server has not counted it.
    mutating func putBack(of version: UInt64) {
        guard version == self.version else { return }
        for index in quotas.indices { quotas[index].remaining += 1 }
    }

    mutating func block(for wait: Duration, now: Duration) {
        guard wait > .zero else { return }
        blockedUntil = max(blockedUntil ?? now, now + min(wait, Self.longestWait))
    }

    /// - Parameter isRefused: whether the response refuses the request: of a quota that does not say otherwise, nothing is left.
    mutating func learn(_ told: [RateLimitFields.Quota], isRefused: Bool, now: Duration) {
        for quota in told {
            guard let remaining = quota.remaining ?? (isRefused ? 0 : nil), let reset = quota.reset ?? quota.window,
                reset > .zero
            else { continue }
            learn(quota, remaining, end: now + min(reset, Self.longestWait), now: now)
        }
        version += 1
        if quotas.count > Self.most { quotas.removeFirst(quotas.count - Self.most) }
    }

    private mutating func learn(
        _ told: RateLimitFields.Quota, _ remaining: Int, end: Duration, now: Duration
    ) {
        let known = quotas.firstIndex { $0.name == told.name }
        var quota = Quota(
            name: told.name, limit: told.limit.flatMap { $0 > 0 ? $0 : nil }, remaining: remaining, end: end,
            length: max(min(told.window ?? end - now, Self.longestWait), .seconds(1)))
        guard let known else { return quotas.append(quota) }
        let before = quotas[known]
        if told.window == nil { quota.length = max(quota.length, before.length) }
        // In one window, requests under way are counted here, and perhaps not yet there; a response that was overtaken by
        // others tells of more than is left. The server rounds to seconds.
        if !before.isGuess, abs(end - before.end) <= .seconds(1) {
            quota.remaining = min(remaining, before.remaining)
            quota.end = max(end, before.end)
        }
        quotas[known] = quota
    }

    private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
}
