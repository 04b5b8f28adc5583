// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataNative

struct TimersTests {
    private final class Owner: TimerOwner {
        func timeIsUp(_ engine: Engine) {}
    }

    @Test func givesThemOutInTheOrderOfTheirMoments() {
        var timers = Timers()
        let owners = (0..<5).map { _ in Owner() }
        let slots = owners.map { timers.insert($0) }
        for (slot, time) in zip(slots, [50, 10, 40, 20, 30] as [UInt64]) { timers.note(slot, at: time) }
        #expect(timers.next == 10)
        var order: [Int] = []
        while let owner = timers.popDue(at: 40) {
            if let index = owners.firstIndex(where: { $0 === owner }) { order.append(index) }
        }
        #expect(order == [1, 3, 4, 2])
        #expect(timers.next == 50)
    }

    @Test func forgetsWhoHasLeft() {
        var timers = Timers()
        let slot = timers.insert(Owner())
        timers.note(slot, at: 10)
        timers.remove(slot)
        #expect(timers.popDue(at: 100) == nil)
        #expect(timers.all.isEmpty)
    }

    @Test func anEarlierMomentCounts() {
        var timers = Timers()
        let owner = Owner()
        let slot = timers.insert(owner)
        timers.note(slot, at: 100)
        timers.note(slot, at: 10)
        #expect(timers.popDue(at: 10) === owner)
        #expect(timers.popDue(at: 1000) == nil)
    }

    @Test func theEndOfTimeNeverComes() {
        var timers = Timers()
        timers.note(timers.insert(Owner()), at: .max)
        #expect(timers.next == nil)
    }
}
