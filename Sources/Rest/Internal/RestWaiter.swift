// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One who waits for a task that others wait for too: leaves at once when its own task is cancelled.
final class RestWaiter: Sendable {
    private struct State {
        var continuation: (@Sendable (Bool) -> Void)?
        var isDone = false
    }

    private let state = Mutex(State())

    /// The task's value, or `nil` when the waiting was cancelled first; then `giveUp` has been called.
    func result<Value: Sendable>(of task: Task<Value, Never>, giveUp: @escaping @Sendable () -> Void) async -> Value? {
        let isCancelled = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let isDone = state.withLock { state in
                    if !state.isDone { state.continuation = { continuation.resume(returning: $0) } }
                    return state.isDone
                }
                if isDone { return continuation.resume(returning: true) }
                Task {
                    _ = await task.value
                    self.finish(cancelled: false)
                }
            }
        } onCancel: {
            finish(cancelled: true)
        }
        if isCancelled {
            giveUp()
            return nil
        }
        return await task.value
    }

    /// Resumes once: by the task's end or by the cancel, whichever comes first.
    private func finish(cancelled: Bool) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            if state.isDone { return nil as (@Sendable (Bool) -> Void)? }
            state.isDone = true
            return state.continuation
        }
        continuation?(cancelled)
    }
}
