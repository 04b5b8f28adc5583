// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A clock for tests: waiting takes no time, but moves it.
///
/// Waits at the same time add up, since each moves the clock: give calls that run at once a clock each.
///
///     let clock = VirtualClock()
///     configuration.clock = clock
///     …
///     #expect(clock.sleeps == [.seconds(7)])
public final class VirtualClock: NetworkClock {
    private struct State {
        var now: Duration = .zero
        var sleeps: [Duration] = []
        /// What waits for a limit, and when the limit passes.
        var limits: [(end: Duration, passed: SharedResult<Void>)] = []

        /// - Returns: the limits that have passed.
        mutating func move(to time: Duration) -> [SharedResult<Void>] {
            now = max(now, time)
            let passed = limits.filter { $0.end <= now }.map(\.passed)
            limits.removeAll { $0.end <= now }
            return passed
        }
    }

    private let state = Mutex(State())
    private let start: Date
    private let machineWait: Duration

    /// - Parameter date: the time of day at which the clock begins. Default: 2026-01-01 00:00:00 UTC.
    public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        start = date
        // So long that no machine is so slow that a limit passes by itself in a test that has none in mind.
        machineWait = .seconds(600)
    }

    /// - Parameter machineWait: after how long, by the machine's clock, a limit passes that nothing reaches.
    init(date: Date, machineWait: Duration) {
        start = date
        self.machineWait = machineWait
    }

    public var now: Duration { state.withLock(\.now) }

    public var date: Date { start.addingTimeInterval(now / .seconds(1)) }

    /// Every wait that was asked for, in order.
    public var sleeps: [Duration] { state.withLock(\.sleeps) }

    /// Moves time on, as if work had taken it; a negative duration does not move it.
    public func advance(by duration: Duration) {
        move { $0.move(to: $0.now + duration) }
    }

    private func move(_ change: (inout State) -> [SharedResult<Void>]) {
        // Outside of the lock, because who waits may ask for the time at once.
        for limit in state.withLock({ change(&$0) }) { limit.finish(.success(())) }
    }

    /// Returns at once, with the time moved on; other tasks get a turn.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        move { state in
            state.sleeps.append(duration)
            return state.move(to: state.now + duration)
        }
        await Task.yield()
        try Task.checkCancellation()
    }

    /// Returns when time has been moved on that far, by another wait or by ``advance(by:)``, and is not among
    /// ``sleeps``. When that does not happen, it returns after ten minutes by the machine's clock, and moves time on: a test
    /// in which something stays silent ends, and no test depends on how fast the machine is.
    public func waitForLimit(_ duration: Duration) async throws {
        try Task.checkCancellation()
        let passed = SharedResult<Void>()
        let end = state.withLock { state in
            let end = state.now + duration
            if duration > .zero { state.limits.append((end, passed)) } else { passed.finish(.success(())) }
            return end
        }
        let machine = Task {
            try await SystemClock().sleep(for: machineWait)
            move { $0.move(to: end) }
        }
        defer {
            machine.cancel()
            state.withLock { state in state.limits.removeAll { $0.passed === passed } }
        }
        try await passed.value()
    }
}
