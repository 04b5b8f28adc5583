// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct KicksTests {
    /// What version 8.14 does while a transfer is paused.
    private func askInVain(_ kicks: inout Kicks, times: Int) {
        kicks.request()
        for _ in 0..<times {
            kicks.begin()
            kicks.request(after: 0, now: 0)
            kicks.end(now: 1000)
        }
    }

    @Test func oneThatAsksForNothingIsCalledLater() {
        var kicks = Kicks()
        askInVain(&kicks, times: Kicks.patience - 1)
        #expect(kicks.isDue)
        askInVain(&kicks, times: 1)
        #expect(!kicks.isDue)
        #expect(kicks.timer == 1000 + Kicks.pause)
    }

    @Test func onlyCallsInARowThatBringNothingCount() {
        var kicks = Kicks()
        askInVain(&kicks, times: Kicks.patience - 1)
        kicks.begin()
        kicks.noteProgress()
        kicks.request(after: 0, now: 0)
        kicks.end(now: 1000)
        askInVain(&kicks, times: Kicks.patience - 1)
        #expect(kicks.isDue)
    }

    @Test func newCommandsAreActedOnAtOnce() {
        var kicks = Kicks()
        askInVain(&kicks, times: Kicks.patience)
        kicks.noteCommands()
        kicks.request()
        #expect(kicks.isDue)
        askInVain(&kicks, times: Kicks.patience - 1)
        #expect(kicks.isDue)
    }

    @Test(arguments: [(-1, UInt64.max), (7, 7_001_000)])
    func theTimerIsTheLastThatWasAskedFor(_ milliseconds: Int, _ time: UInt64) {
        var kicks = Kicks()
        kicks.request(after: 50, now: 1000)
        kicks.request(after: milliseconds, now: 1000)
        #expect(kicks.timer == time)
        #expect(!kicks.isDue)
    }

    @Test func aCallEndsWhatWasAskedForBefore() {
        var kicks = Kicks()
        kicks.request(after: 50, now: 1000)
        kicks.request()
        kicks.begin()
        kicks.end(now: 2000)
        #expect(!kicks.isDue)
        #expect(kicks.timer == .max)
    }
}
