// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A task that waits, and where it goes on.
package struct Waiter<Value: Sendable>: Sendable {
    private let continuation: UnsafeContinuation<Value, any Error>
    /// The task's priority when it goes on in Swift's thread pool; `nil` when an actor or an executor of its own has it.
    /// As a number, which has a size known here.
    package let poolPriority: UInt8?

    /// - Parameter isolation: that of the function that waits.
    package init(_ continuation: UnsafeContinuation<Value, any Error>, isolation: (any Actor)?) {
        self.continuation = continuation
        poolPriority = withUnsafeCurrentTask { task in
            guard isolation == nil, let task, task.unownedTaskExecutor == nil else { return nil }
            return task.priority.rawValue
        }
    }

    package func resume(with result: sending Result<Value, any Error>) { continuation.resume(with: result) }
}

/// A task to be resumed once the loop's lock is released, because what the task does then may need the lock.
package enum Resumption: Sendable {
    case answered(Waiter<Void>)
    case failed(Waiter<Void>, any Error)
    case piece(Waiter<Data?>, Data?)
    case pieceFailed(Waiter<Data?>, any Error)
    /// Something else that must not be done under the lock.
    case action(@Sendable () -> Void)

    package func perform() {
        switch self {
        case .answered(let waiter): waiter.resume(with: .success(()))
        case .failed(let waiter, let error): waiter.resume(with: .failure(error))
        case .piece(let reader, let piece): reader.resume(with: .success(piece))
        case .pieceFailed(let reader, let error): reader.resume(with: .failure(error))
        case .action(let action): action()
        }
    }

    private var poolPriority: UInt8? {
        switch self {
        case .answered(let waiter), .failed(let waiter, _): waiter.poolPriority
        case .piece(let reader, _), .pieceFailed(let reader, _): reader.poolPriority
        case .action: nil
        }
    }

    /// Resumes all, and empties the list.
    ///
    /// Resuming a task of Swift's thread pool wakes a thread of the pool, which may take the processor at once, run
    /// this one task, and sleep again: two changes of thread for each task. So when there are several such tasks, one
    /// thread of the pool resumes them all and then goes on with them.
    package static func perform(_ resumptions: inout [Resumption]) {
        let count = resumptions.count > 1 ? resumptions.count { $0.poolPriority != nil } : 0
        let isTogether = count > 1
        var pooled: [Resumption] = []
        if isTogether { pooled.reserveCapacity(count) }
        for resumption in resumptions {
            if isTogether, resumption.poolPriority != nil { pooled.append(resumption) } else { resumption.perform() }
        }
        resumptions.removeAll(keepingCapacity: true)
        guard isTogether else { return }
        let priority = pooled.lazy.compactMap(\.poolPriority).max().map(TaskPriority.init(rawValue:))
        Task.detached(priority: priority) { [pooled] in
            for resumption in pooled { resumption.perform() }
        }
    }
}
