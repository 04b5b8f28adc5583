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
    }

    private let state = Mutex(State())
    private let start: Date

    /// - Parameter date: the time of day at which the clock begins. Default: 2026-01-01 00:00:00 UTC.
    public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        start = date
    }

    public var now: Duration { state.withLock(\.now) }

    public var date: Date { start.addingTimeInterval(now / .seconds(1)) }

    /// Every wait that was asked for, in order.
    public var sleeps: [Duration] { state.withLock(\.sleeps) }

    /// Moves time on, as if work had taken it; a negative duration does not move it.
    public func advance(by duration: Duration) {
        state.withLock { $0.now += max(duration, .zero) }
    }

    /// Returns at once, with the time moved on; other tasks get a turn.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(duration)
            state.now += max(duration, .zero)
        }
        await Task.yield()
        try Task.checkCancellation()
    }
}
