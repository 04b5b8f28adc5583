// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A request that was sent with a completion handler, or will be when it is resumed.
///
/// It runs on when nobody holds it.
public final class RequestTask: Sendable {
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum State: Hashable, Sendable {
        /// Not yet resumed.
        case suspended
        case running
        /// Cancelled; the completion handler is about to be called.
        case canceling
        /// The completion handler was called.
        case completed
    }

    private struct Current {
        var state = State.suspended
        var task: Task<Void, Never>?
        /// `nil` once it has begun, so that what it captures, which may be this task, is let go when it is done.
        var work: (@Sendable () async -> Void)?

        mutating func takeWork() -> (@Sendable () async -> Void)? {
            defer { work = nil }
            return work
        }
    }

    private let current: Mutex<Current>

    init(_ work: @escaping @Sendable () async -> Void) {
        current = Mutex(Current(work: work))
    }

    public var state: State { current.withLock(\.state) }

    /// Sends the request; the second time nothing happens.
    public func resume() {
        current.withLock { current in
            guard let work = current.takeWork() else { return }
            current.state = .running
            current.task = run(work)
        }
    }

    /// Ends the call. The completion handler is called with the failure, also when the task was never resumed; nothing
    /// happens when it was called already.
    public func cancel() {
        let task = current.withLock { current -> Task<Void, Never>? in
            guard current.state == .suspended || current.state == .running else { return nil }
            if let work = current.takeWork() { current.task = run(work) }
            current.state = .canceling
            return current.task
        }
        task?.cancel()
    }

    /// Called under the lock, so that the work finds the state settled.
    private func run(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task {
            // A task that is cancelled before it was resumed must not begin before it knows.
            if state == .canceling { withUnsafeCurrentTask { $0?.cancel() } }
            await work()
            current.withLock { $0 = Current(state: .completed) }
        }
    }
}
