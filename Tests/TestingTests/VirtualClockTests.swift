// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Synchronization
import Testing

@testable import StrataTesting

struct VirtualClockTests {
    @Test func aWaitTakesNoTimeAndMovesIt() async throws {
        let start = Date(timeIntervalSince1970: 1000)
        let clock = VirtualClock(date: start)
        try await clock.sleep(for: .seconds(86_400))
        try await clock.sleep(for: .milliseconds(500))
        #expect(clock.sleeps == [.seconds(86_400), .milliseconds(500)])
        #expect(clock.now == .milliseconds(86_400_500))
        #expect(clock.date == start.addingTimeInterval(86_400.5))
    }

    @Test func neverGoesBack() async throws {
        let clock = VirtualClock()
        try await clock.sleep(for: .seconds(-1))
        clock.advance(by: .seconds(-1))
        #expect(clock.now == .zero)
        #expect(clock.sleeps == [.seconds(-1)])
    }

    @Test func timeThatWorkTookIsNoWait() {
        let clock = VirtualClock()
        clock.advance(by: .seconds(2))
        #expect(clock.now == .seconds(2))
        #expect(clock.sleeps.isEmpty)
    }

    @Test func aCancelledTaskDoesNotWait() async {
        let clock = VirtualClock()
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(clock.now == .zero && clock.sleeps.isEmpty)
    }

    @Test func aLimitPassesWhenSomethingElseMovesTime() async throws {
        final class Flag: Sendable {
            let isSet = Atomic(false)
        }
        let (clock, isOver) = (VirtualClock(), Flag())
        let limit = Task {
            try await clock.waitForLimit(.seconds(3600))
            isOver.isSet.store(true, ordering: .relaxed)
        }
        while !isOver.isSet.load(ordering: .relaxed) {
            try await clock.sleep(for: .seconds(1800))
            clock.advance(by: .seconds(1800))
        }
        try await limit.value
        #expect(clock.now >= .seconds(3600))
        #expect(Set(clock.sleeps) == [.seconds(1800)])
    }

    @Test func aLimitMovesNoTimeAndEndsWithItsTask() async {
        let clock = VirtualClock()
        let limit = Task { try await clock.waitForLimit(.seconds(3600)) }
        limit.cancel()
        await #expect(throws: CancellationError.self) { try await limit.value }
        #expect(clock.now == .zero && clock.sleeps.isEmpty)
    }

    @Test func aLimitThatNothingReachesPassesByTheMachinesClock() async throws {
        let clock = VirtualClock(date: .now, machineWait: .milliseconds(1))
        try await clock.waitForLimit(.seconds(3600))
        #expect(clock.now == .seconds(3600))
        try await clock.waitForLimit(.zero)
        #expect(clock.now == .seconds(3600))
    }

    /// Or what a busy machine takes for a while passes limits that a test has not in mind.
    @Test func aShortLimitDoesNotPassByTheMachinesClock() async throws {
        let clock = VirtualClock()
        let limit = Task { try await clock.waitForLimit(.nanoseconds(1)) }
        for _ in 0..<1000 { await Task.yield() }
        #expect(clock.now == .zero)
        limit.cancel()
        await #expect(throws: CancellationError.self) { try await limit.value }
    }
}
