// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct LoopTimersTests {
    @Test func theSystemsTimerIsSetForAnEarlierTimeAlone() {
        var timers = LoopTimers()
        let answers = [100, 100, 200, 50, .max].map { timers.arm(at: $0) }
        #expect(answers == [true, false, false, true, false])
        #expect(timers.armed == 50)
        timers.armed = .max
        let isSet = timers.arm(at: 200)
        #expect(isSet)
    }

    @Test func idleConnectionsAreLookedAtAtTheEarliestTime() {
        var timers = LoopTimers()
        for time in [300, 100, 200] as [UInt64] { timers.checkIdle(at: time) }
        #expect(timers.idleCheck == 100)
    }
}
