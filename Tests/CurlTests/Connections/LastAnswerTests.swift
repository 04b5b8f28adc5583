// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct LastAnswerTests {
    @Test func itHasJustComeForAMillisecondAndToItsPortAlone() {
        var answer = LastAnswer()
        answer.note(port: 80, at: 5_000_000)
        #expect(answer.hasJustCome(to: 80, now: 6_000_000))
        #expect(!answer.hasJustCome(to: 80, now: 6_000_001))
        #expect(!answer.hasJustCome(to: 81, now: 5_000_000))
        #expect(!answer.hasJustCome(to: nil, now: 5_000_000))
    }

    @Test func behindOneThatMayHaveMoreSomethingIsExpected() {
        var answer = LastAnswer()
        answer.note(port: 80, at: 5_000_000)
        answer.mayHaveMore()
        #expect(!answer.hasJustCome(to: 80, now: 5_000_000))
        #expect(!answer.hasJustCome(to: 0, now: 5_000_000))
    }
}
