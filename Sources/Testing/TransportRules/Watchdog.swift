// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Waits for `body`, but not for ever, and not for a `body` that does not heed its cancel.
func within<Value: Sendable>(
    _ limit: Duration, _ complaint: String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let race = Race<Value>()
    let work = Task {
        do { race.finish(.success(try await body())) } catch { race.finish(.failure(error)) }
    }
    let timer = Task {
        try await Task.sleep(for: limit)
        race.finish(.failure(RuleViolation(complaint)))
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    return try await race.result()
}

/// The first of several outcomes.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())

    func finish(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state in
            guard state.result == nil else { return nil as CheckedContinuation<Value, any Error>? }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: result)
    }

    func result() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
