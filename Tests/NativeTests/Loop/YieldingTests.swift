// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataNative

struct YieldingTests {
    private static let start: UInt64 = 5_000_000_000

    private func isPaused(after duration: UInt64, resumed: Int, begun: Int) -> Bool {
        var yielding = Yielding()
        yielding.note(from: Self.start, to: Self.start + duration, resumed: resumed, begun: begun)
        return yielding.isPaused(at: Self.start + duration)
    }

    @Test func goesOnWhileTheTasksAskForMore() {
        #expect(!isPaused(after: 4_000_000, resumed: 64, begun: 64))
        #expect(!isPaused(after: 4_000_000, resumed: 64, begun: 16))
        #expect(!isPaused(after: 4_000_000, resumed: 2, begun: 0), "a pair may have been the last")
    }

    @Test func pausesWhenOthersHadTheProcessor() {
        #expect(isPaused(after: 4_000_000, resumed: 64, begun: 15))
        #expect(isPaused(after: Yielding.harmless + 1, resumed: 4, begun: 0))
        #expect(!isPaused(after: Yielding.harmless, resumed: 4, begun: 0), "it took no time")
    }

    @Test func triesAgainAfterThePause() {
        var yielding = Yielding()
        yielding.note(from: Self.start, to: Self.start + 4_000_000, resumed: 8, begun: 0)
        let end = Self.start + 4_000_000 + Yielding.pause
        #expect(yielding.isPaused(at: end - 1))
        #expect(!yielding.isPaused(at: end))
    }
}
