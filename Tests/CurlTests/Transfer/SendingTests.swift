// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct SendingTests {
    @Test func nothingIsDueAtFirst() {
        let sending = Sending()
        #expect(sending.nextCheck == .max)
        #expect(!sending.answerIsDue(now: .max - 1))
    }

    @Test func countsWhatWasTakenAndBeginsAgain() {
        var sending = Sending()
        sending.took(3)
        sending.took(4)
        #expect(sending.taken == 7)
        sending.rewind()
        #expect(sending.taken == 0)
    }

    @Test func progressIsWhatIsMoreThanAtTheLastLook() {
        var sending = Sending()
        let counts: [Int64?] = [nil, 0, 5, 5, 4, 6]
        let looks = counts.map { sending.note(written: $0) }
        #expect(looks == [false, false, true, false, false, true])
    }

    @Test func aRefusedBodyIsLookedAtInAMoment() {
        var sending = Sending()
        sending.pauseRefused(now: 10)
        #expect(sending.isPaused)
        #expect(sending.nextCheck == 10 + Sending.refusalCheck)
        let times = [9 + Sending.refusalCheck, 10 + Sending.refusalCheck, UInt64.max - 1]
        let checks = times.map { sending.checksPause(now: $0) }
        #expect(checks == [false, true, false])
    }

    @Test(arguments: [true, false]) func aStarvingBodyIsLookedAtWhereLibcurlHasToBeAsked(isAsked: Bool) {
        var sending = Sending()
        let isNew = sending.pauseStarving(now: 10, isAsked: isAsked)
        let isNewAgain = sending.pauseStarving(now: 20, isAsked: isAsked)
        #expect(sending.isPaused)
        #expect((isNew, isNewAgain) == (isAsked, false))
        #expect(sending.nextCheck == (isAsked ? 10 + Sending.starvationCheck : .max))
    }

    @Test func aBodyThatGoesOnIsNotLookedAt() {
        var sending = Sending()
        _ = sending.pauseStarving(now: 0, isAsked: true)
        sending.isPaused = false
        let checks = sending.checksPause(now: Sending.starvationCheck)
        #expect(!checks)
    }

    @Test func theLastByteIsHeldOnceAndForItsTime() {
        var sending = Sending()
        let holds = [1, 2].map { sending.holdLastByte(now: $0) }
        #expect(holds == [true, false])
        sending.isPaused = true
        let times = [Sending.hold, 1 + Sending.hold, UInt64.max - 1]
        let releases = times.map { sending.releasesLastByte(now: $0) }
        #expect(releases == [false, true, false])
    }

    @Test func anEarlyAnswerStandsUntilTheServerTakesMore() {
        var sending = Sending()
        sending.putOffAnswer(now: 5)
        #expect(!sending.answerIsDue(now: .max - 1))
        let news = [10, 20].map { sending.answerCame(now: $0) }
        #expect(news == [true, false])
        #expect(sending.answerIsDue(now: 10 + Sending.hold))
        sending.putOffAnswer(now: 20)
        #expect(!sending.answerIsDue(now: 10 + Sending.hold))
        #expect(sending.answerIsDue(now: 20 + Sending.hold))
    }
}
