// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataURLSession

struct TimeLimitsTests {
    @Test func namesTheLimitThatPassesFirst() {
        var limits = TimeLimits(
            Timeouts(connect: .seconds(3), idle: .seconds(5)), total: (.seconds(10), .deadline))
        limits.beginConnecting(at: .zero)
        #expect(limits.verdict(at: .zero) == .look(at: .seconds(3)))
        #expect(limits.verdict(at: .seconds(3)) == .passed(.connect))
    }

    @Test func isConnectedWithTheFirstActivity() {
        var limits = TimeLimits(
            Timeouts(connect: .seconds(3), idle: .seconds(5)), total: (.seconds(10), .attempt))
        limits.beginConnecting(at: .zero)
        limits.noteActivity(at: .seconds(2))
        #expect(limits.verdict(at: .seconds(3)) == .look(at: .seconds(7)))
        #expect(limits.verdict(at: .seconds(7)) == .passed(.idle))
        limits.noteActivity(at: .seconds(8))
        #expect(limits.verdict(at: .seconds(8)) == .look(at: .seconds(10)))
        #expect(limits.verdict(at: .seconds(10)) == .passed(.attempt))
    }

    @Test func doesNotWatchAConnectionThatCannotBeSeen() {
        let limits = TimeLimits(Timeouts(connect: .seconds(3), idle: nil), total: nil)
        #expect(limits.verdict(at: .seconds(1000)) == .never)
    }

    @Test func countsConnectingFromItsBeginning() {
        var limits = TimeLimits(Timeouts(connect: .seconds(3), idle: .seconds(5)), total: nil)
        for second in 1...20 { limits.notePreparation(at: .seconds(second)) }
        limits.beginConnecting(at: .seconds(20))
        limits.notePreparation(at: .seconds(21))
        #expect(limits.verdict(at: .seconds(21)) == .look(at: .seconds(23)))
        #expect(limits.verdict(at: .seconds(23)) == .passed(.connect))
    }

    @Test func doesNotCountTheSilenceOfTheBodysProducer() {
        var limits = TimeLimits(Timeouts(idle: .seconds(5), attempt: .seconds(60)), total: (.seconds(60), .attempt))
        limits.setAwaitingBody(true, at: .seconds(1))
        #expect(limits.verdict(at: .seconds(30)) == .look(at: .seconds(60)))
        limits.setAwaitingBody(false, at: .seconds(30))
        #expect(limits.verdict(at: .seconds(31)) == .look(at: .seconds(35)))
        #expect(limits.verdict(at: .seconds(35)) == .passed(.idle))
    }

    @Test func doesNotConnectAgainWhenItHasBeenAnswered() {
        var limits = TimeLimits(Timeouts(connect: .seconds(3), idle: .seconds(5)), total: nil)
        limits.noteActivity(at: .seconds(1))
        limits.beginConnecting(at: .seconds(2))
        #expect(limits.verdict(at: .seconds(2)) == .look(at: .seconds(6)))
    }

    @Test func doesNotCountSilenceWhileTheReaderHoldsBack() {
        var limits = TimeLimits(Timeouts(connect: nil, idle: .seconds(5)), total: nil)
        let isNews = [limits.setHeld(true, at: .seconds(1)), limits.setHeld(true, at: .seconds(2))]
        #expect(isNews == [true, false])
        #expect(limits.verdict(at: .seconds(100)) == .never)
        _ = limits.setHeld(false, at: .seconds(100))
        #expect(limits.verdict(at: .seconds(100)) == .look(at: .seconds(105)))
    }

    @Test func aLimitOfNothingHasPassed() {
        let limits = TimeLimits(Timeouts(connect: nil, idle: nil), total: (.zero, .deadline))
        #expect(limits.verdict(at: .zero) == .passed(.deadline))
    }
}
