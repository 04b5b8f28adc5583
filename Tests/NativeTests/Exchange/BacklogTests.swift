// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataNative

struct BacklogTests {
    private let second: UInt64 = 1_000_000_000

    @Test func isLookedAtSeveralTimesWithinTheLimit() {
        var backlog = Backlog()
        #expect(backlog.nextLook(since: 10 * second, idleLimit: 8 * second) == 11 * second)
        _ = backlog.look(at: 100, now: 11 * second)
        #expect(backlog.nextLook(since: 10 * second, idleLimit: 8 * second) == 12 * second)
        // What the socket has taken meanwhile is something that has happened.
        #expect(backlog.nextLook(since: 20 * second, idleLimit: 8 * second) == 21 * second)
        #expect(backlog.nextLook(since: 1, idleLimit: .max) > 1_000_000 * second)
        #expect(backlog.nextLook(since: .max - 1, idleLimit: .max) == .max)
    }

    /// The first look has nothing to compare with, so that a server that takes nothing is silent from the beginning.
    @Test func whatBecomesLessIsSomethingThatHappens() {
        var backlog = Backlog()
        let looks = [500, 500, 400, 400, 399, 600, 600, 0, 0]
        #expect(
            looks.map { backlog.look(at: $0, now: second) } == [
                false, false, true, false, true, false, false, true, false,
            ])
    }
}
