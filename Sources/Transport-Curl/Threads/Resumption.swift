// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A task that waits, and where it goes on.
struct Waiter<Value: Sendable>: Sendable {
    private let continuation: UnsafeContinuation<Value, any Error>
    /// The task's priority when it goes on in Swift's thread pool; `nil` when an actor or an executor of its own has it.
    /// As a number, which has a size known here.
    let poolPriority: UInt8?

    /// - Parameter isolation: that of the function that waits.
    init(_ continuation: UnsafeContinuation<Value, any Error>, isolation: (any Actor)?) {
        self.continuation = continuation
        poolPriority = withUnsafeCurrentTask { task in
            guard isolation == nil, let task, task.unownedTaskExecutor == nil else { return nil }
            return task.priority.rawValue
        }
    }

    func resume(with result: sending Result<Value, any Error>) { continuation.resume(with: result) }
}

/// A task to be resumed once the loop's lock is released, because what the task does then may need the lock.
enum Resumption: Sendable {
    case answered(Waiter<Void>)
    case failed(Waiter<Void>, any Error)
    case piece(Waiter<Data?>, Data?)
    case pieceFailed(Waiter<Data?>, any Error)

    func perform() {
        switch self {
        case .answered(let waiter): waiter.resume(with: .success(()))
        case .failed(let waiter, let error): waiter.resume(with: .failure(error))
        case .piece(let reader, let piece): reader.resume(with: .success(piece))
        case .pieceFailed(let reader, let error): reader.resume(with: .failure(error))
        }
    }

    private var poolPriority: UInt8? {
        switch self {
        case .answered(let waiter), .failed(let waiter, _): waiter.poolPriority
        case .piece(let reader, _), .pieceFailed(let reader, _): reader.poolPriority
        }
    }

    /// Resumes all, and empties the list.
    ///
    /// Resuming a task of Swift's thread pool wakes a thread of the pool, which may take the processor at once, run
    /// this one task, and sleep again: two changes of thread for each task. So when there are several such tasks, one
    /// thread of the pool resumes them all and then goes on with them.
    static func perform(_ resumptions: inout [Resumption]) {
        let pooled = resumptions.count > 1 ? resumptions.filter { $0.poolPriority != nil } : []
        let isTogether = pooled.count > 1
        for resumption in resumptions where !isTogether || resumption.poolPriority == nil { resumption.perform() }
        resumptions.removeAll(keepingCapacity: true)
        guard isTogether else { return }
        Task.detached(priority: pooled.lazy.compactMap(\.poolPriority).max().map(TaskPriority.init(rawValue:))) {
            for resumption in pooled { resumption.perform() }
        }
    }
}
