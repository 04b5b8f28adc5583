// SPDX-License-Identifier: Apache-2.0

import StrataStreaming
import Synchronization

/// What an event stream has given.
final class EventLog: Sendable {
    private struct State {
        var events: [WireEvent] = []
        var errors: [WireFailure] = []
    }

    private let state = Mutex(State())
    private let started = ContinuousClock.now

    var events: [WireEvent] { state.withLock(\.events) }
    var errors: [WireFailure] { state.withLock(\.errors) }

    /// How many there are now.
    func add(_ event: ServerSentEvent) -> Int {
        let elapsed = (ContinuousClock.now - started) / .milliseconds(1)
        return state.withLock { state in
            state.events.append(
                WireEvent(type: event.type, data: event.data, lastEventId: event.lastEventID, t_ms: Int64(elapsed)))
            return state.events.count
        }
    }

    func add(_ error: any Error) {
        state.withLock { $0.errors.append(WireFailure(error)) }
    }
}
