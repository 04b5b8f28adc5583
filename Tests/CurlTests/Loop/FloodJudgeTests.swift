// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct FloodJudgeTests {
    /// The verdicts of a row of looks, at each of which so much more has been taken from socket 5.
    private func verdicts(
        _ growths: [UInt64], step: (Int) -> UInt64 = { _ in 1 }, judge: FloodJudge = FloodJudge()
    ) -> [[Int32]] {
        var judge = judge
        var taken: UInt64 = 0
        return growths.enumerated().map { index, growth in
            taken += growth
            guard judge.isSuspicious(step: step(index)) else { return [] }
            return judge.judge(FloodJudge.Look(step: step(index), taken: [5: taken, 6: 1000]))
        }
    }

    private let much = FloodJudge.least

    @Test func whatIsReadOnAndOnWithinOneCallIsAFlood() {
        #expect(verdicts([0, much, much, much, much]) == [[], [], [], [5], []])
    }

    @Test func aLoopThatComesFurtherIsNotFlooded() {
        #expect(verdicts(Array(repeating: much, count: 9), step: { UInt64($0) }).flatMap { $0 } == [])
        #expect(verdicts(Array(repeating: much, count: 9), step: { UInt64($0 / 3) }).flatMap { $0 } == [])
    }

    @Test func oneLongReadIsNoFlood() {
        #expect(verdicts([0, 0, much, 0, much, 0, much]).flatMap { $0 } == [])
    }

    @Test func littleIsNoFlood() {
        #expect(verdicts(Array(repeating: much - 1, count: 9)).flatMap { $0 } == [])
    }

    @Test func aLoopThatWasInNoCallBeginsAnew() {
        var judge = FloodJudge()
        for taken in stride(from: 0, through: 9 * much, by: Int(much)) {
            let isSuspicious = judge.isSuspicious(step: 1)
            let ended = isSuspicious ? judge.judge(FloodJudge.Look(step: 1, taken: [5: taken])) : []
            #expect(ended == [])
            if taken % (3 * much) == 2 * much { _ = judge.isSuspicious(step: nil) }
        }
    }

    @Test func whatComesOfACancelledStreamIsNoFloodUpToItsWindow() {
        var judge = FloodJudge()
        judge.allow(5)
        let eighth = FloodJudge.cancelledStream / 8
        let found = verdicts([0] + Array(repeating: eighth, count: 12), judge: judge)
        #expect(found.firstIndex { !$0.isEmpty } == 11)
    }

    @Test func theAllowanceGoesWithTheConnection() {
        var judge = FloodJudge()
        judge.allow(5)
        judge.closed(5)
        #expect(verdicts([0, much, much, much], judge: judge).last == [5])
    }
}
