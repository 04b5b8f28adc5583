// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A result that one task makes and many wait for. A waiter that is cancelled leaves alone; the others, and the work, go on.
package final class SharedResult<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The first result counts.
    package func finish(_ result: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            guard state.result == nil else { return [Int: CheckedContinuation<Value, any Error>]() }
            state.result = result
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(with: result) }
    }

    /// - Throws: the work's error; `CancellationError` when the waiting task is cancelled; the error of a passed
    ///   deadline when `limit` is over before the work is. The machine's clock measures the limit. By a virtual clock,
    ///   which moves on when it is waited for, every limit would pass at once.
    package func value(within limit: Duration? = nil) async throws -> Value {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.waiters[id] = continuation }
                    return state.result
                }
                if let result { return continuation.resume(with: result) }
                // A cancel that came before the waiter was registered found nothing to resume.
                if Task.isCancelled { return leave(id, CancellationError()) }
                timer = limit.map { limit in
                    Task {
                        try await SystemClock().sleep(for: limit)
                        leave(id, NetworkClientError.timedOut(.deadline))
                    }
                }
            }
        } onCancel: {
            leave(id, CancellationError())
        }
    }

    private func leave(_ id: Int, _ error: any Error) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: error)
    }
}
