// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// Calls a function at a time. One task for all who wait, and none while nobody does.
final class Alarm: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var time: Duration?
        /// Of the task, so that one that was replaced does not ring.
        var number: UInt64 = 0
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - isFirst: whether an earlier time that is set already stays.
    ///   - wait: until the time, by a clock.
    func set(
        at time: Duration, unlessEarlier isFirst: Bool = false, _ wait: @escaping @Sendable () async throws -> Void,
        ring: @escaping @Sendable () -> Void
    ) {
        let replaced = state.withLock { state -> Task<Void, Never>? in
            if let earlier = state.time, isFirst ? earlier <= time : earlier == time { return nil }
            state.number += 1
            let number = state.number
            let replaced = state.task
            state.time = time
            state.task = Task { [self] in
                guard (try? await wait()) != nil, take(number) else { return }
                ring()
            }
            return replaced
        }
        replaced?.cancel()
    }

    private func take(_ number: UInt64) -> Bool {
        state.withLock { state in
            guard state.number == number, state.time != nil else { return false }
            (state.task, state.time) = (nil, nil)
            return true
        }
    }

    func cancel() {
        let task = state.withLock { state in
            state.time = nil
            return state.task.take()
        }
        task?.cancel()
    }
}
