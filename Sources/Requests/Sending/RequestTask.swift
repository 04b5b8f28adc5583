// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A request that was sent with a completion handler, or will be when it is resumed.
///
/// It runs on when nobody holds it.
public final class RequestTask: Sendable {
    public enum State: Hashable, Sendable {
        /// Not yet resumed.
        case suspended
        case running
        /// Cancelled; the completion handler is about to be called.
        case canceling
        /// The completion handler was called.
        case completed
    }

    private let current = Mutex<(state: State, task: Task<Void, Never>?)>((.suspended, nil))
    private let work: @Sendable () async -> Void

    init(_ work: @escaping @Sendable () async -> Void) {
        self.work = work
    }

    public var state: State { current.withLock(\.state) }

    /// Sends the request; the second time nothing happens.
    public func resume() {
        current.withLock { current in
            guard current.state == .suspended else { return }
            current.state = .running
            current.task = run()
        }
    }

    /// Ends the call. The completion handler is called with the failure, also when the task was never resumed; nothing
    /// happens when it was called already.
    public func cancel() {
        let task = current.withLock { current -> Task<Void, Never>? in
            switch current.state {
            case .running: break
            case .suspended: current.task = run()
            case .canceling, .completed: return nil
            }
            current.state = .canceling
            return current.task
        }
        task?.cancel()
    }

    /// Called under the lock, so that the work finds the state settled.
    private func run() -> Task<Void, Never> {
        Task {
            // A task that is cancelled before it was resumed must not begin before it knows.
            if state == .canceling { withUnsafeCurrentTask { $0?.cancel() } }
            await work()
            current.withLock { $0 = (.completed, nil) }
        }
    }
}
