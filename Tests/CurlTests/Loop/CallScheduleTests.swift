// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct CallScheduleTests {
    /// What version 8.14 does while a transfer is paused.
    private func askInVain(_ schedule: inout CallSchedule, times: Int) {
        schedule.request()
        for _ in 0..<times {
            schedule.begin()
            schedule.request(after: 0, now: 0)
            schedule.end(now: 1000)
        }
    }

    @Test func oneThatAsksForNothingIsCalledLater() {
        var schedule = CallSchedule()
        askInVain(&schedule, times: CallSchedule.patience - 1)
        #expect(schedule.isDue)
        askInVain(&schedule, times: 1)
        #expect(!schedule.isDue)
        #expect(schedule.timer == 1000 + CallSchedule.pause)
    }

    @Test func onlyCallsInARowThatBringNothingCount() {
        var schedule = CallSchedule()
        askInVain(&schedule, times: CallSchedule.patience - 1)
        schedule.begin()
        schedule.noteProgress()
        schedule.request(after: 0, now: 0)
        schedule.end(now: 1000)
        askInVain(&schedule, times: CallSchedule.patience - 1)
        #expect(schedule.isDue)
    }

    @Test func newCommandsAreActedOnAtOnce() {
        var schedule = CallSchedule()
        askInVain(&schedule, times: CallSchedule.patience)
        schedule.noteCommands()
        schedule.request()
        #expect(schedule.isDue)
        askInVain(&schedule, times: CallSchedule.patience - 1)
        #expect(schedule.isDue)
    }

    @Test(arguments: [(-1, UInt64.max), (7, 7_001_000)])
    func theTimerIsTheLastThatWasAskedFor(_ milliseconds: Int, _ time: UInt64) {
        var schedule = CallSchedule()
        schedule.request(after: 50, now: 1000)
        schedule.request(after: milliseconds, now: 1000)
        #expect(schedule.timer == time)
        #expect(!schedule.isDue)
    }

    @Test func aCallEndsWhatWasAskedForBefore() {
        var schedule = CallSchedule()
        schedule.request(after: 50, now: 1000)
        schedule.request()
        schedule.begin()
        schedule.end(now: 2000)
        #expect(!schedule.isDue)
        #expect(schedule.timer == .max)
    }
}
