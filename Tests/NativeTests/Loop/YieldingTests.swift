// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataNative

struct YieldingTests {
    private static let start: UInt64 = 5_000_000_000

    /// Whether the next batch of several tasks is followed by a yield.
    private func goesOn(after duration: UInt64, resumed: Int, asked: Int) -> Bool {
        var yielding = Yielding()
        yielding.end(from: Self.start, to: Self.start + duration, resumed: resumed, asked: asked)
        return yielding.begin(after: 64, at: Self.start + duration)
    }

    @Test func severalTasksAreWorthAYieldAndASingleOneBesideThem() {
        var yielding = Yielding()
        let times = [(1, 0), (2, 0), (0, 0), (1, Yielding.memory - 1), (1, Yielding.memory)]
        let yields = times.map { yielding.begin(after: $0, at: Self.start + $1) }
        #expect(yields == [false, true, false, true, false])
    }

    @Test func goesOnWhileTheTasksAskForMore() {
        #expect(goesOn(after: 4_000_000, resumed: 64, asked: 64))
        #expect(goesOn(after: 4_000_000, resumed: 64, asked: 16))
        #expect(goesOn(after: 4_000_000, resumed: 1, asked: 1))
    }

    @Test func pausesWhenOthersHadTheProcessor() {
        #expect(!goesOn(after: 4_000_000, resumed: 64, asked: 15))
        #expect(!goesOn(after: Yielding.harmless + 1, resumed: 1, asked: 0))
        #expect(goesOn(after: Yielding.harmless, resumed: 1, asked: 0), "it took no time")
    }

    @Test func triesAgainAfterThePause() {
        var yielding = Yielding()
        yielding.end(from: Self.start, to: Self.start + 4_000_000, resumed: 8, asked: 0)
        let end = Self.start + 4_000_000 + Yielding.pause
        let yields = [end - 1, end].map { yielding.begin(after: 8, at: $0) }
        #expect(yields == [false, true])
    }
}
