// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Waits for `body`, which has threads of its own, but not for ever, and not for a `body` that does not heed its cancel.
func within<Value: Sendable>(
    _ limit: Duration, _ complaint: String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let outcome = SharedResult<Value>()
    let work = Task(executorPreference: ThreadExecutor.shared) {
        do { outcome.finish(.success(try await body())) } catch { outcome.finish(.failure(error)) }
    }
    let timer = Task {
        try await Task.sleep(for: limit)
        outcome.finish(.failure(RuleViolation(complaint)))
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    return try await outcome.value()
}
