// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The steps of tasks that run on a loop's thread, in the order in which they came.
///
/// Whoever adds one wakes the thread only if that waits: what the thread adds itself, and what others add while it is awake, costs no
/// call into the system.
final class JobQueue: Sendable {
    private struct State {
        var phase = Phase.idle
        var jobs: [UnownedJob] = []
        /// Kept from the first of these jobs on: the last one of a task may let go of everything else that keeps it.
        var executor: NativeLoop?
    }

    private enum Phase {
        /// There is no thread yet.
        case idle
        case open(EventQueue)
        /// The thread has ended, or never began.
        case closed
    }

    /// What became of a job.
    enum Outcome {
        case taken
        case noThread
        case closed
    }

    private let state = Mutex(State())
    /// Jobs in `state`.
    private let count = Atomic(0)
    private let isParked = Atomic(false)

    /// How many jobs run before the sockets are looked at again: few, so that the idle connections which they take have just been looked
    /// at and need no look of their own.
    static let share = 8

    /// The thread is there, or is about to be.
    func open(_ queue: EventQueue) { state.withLock { $0.phase = .open(queue) } }

    func add(_ job: UnownedJob, of executor: NativeLoop) -> Outcome {
        let (outcome, queue) = state.withLock { state -> (Outcome, EventQueue?) in
            switch state.phase {
            case .idle: return (.noThread, nil)
            case .closed: return (.closed, nil)
            case .open(let queue):
                if state.jobs.isEmpty { state.executor = executor }
                state.jobs.append(job)
                count.add(1, ordering: .sequentiallyConsistent)
                // In one order with `park`: either that sees the job, or this sees that the thread waits.
                let hasToWake = isParked.exchange(false, ordering: .sequentiallyConsistent)
                return (.taken, hasToWake ? queue : nil)
            }
        }
        queue?.wake()
        return outcome
    }

    // MARK: - The loop's thread

    /// Some jobs that have been taken out.
    struct Batch {
        fileprivate var jobs: [UnownedJob] = []
        fileprivate var next = 0
        /// Of all of them.
        fileprivate var executor: NativeLoop?

        fileprivate var isEmpty: Bool { next == jobs.count }
    }

    /// Whether a job waits.
    func hasJobs(_ batch: borrowing Batch) -> Bool { !batch.isEmpty || count.load(ordering: .acquiring) > 0 }

    /// Runs jobs, those included that they add, but no more than the share.
    func run(_ batch: inout Batch) {
        var left = Self.share
        while left > 0, hasJobs(batch) {
            if batch.isEmpty { refill(&batch) }
            guard let executor = batch.executor?.asUnownedTaskExecutor() else { break }
            let end = min(batch.jobs.count, batch.next + left)
            left -= end - batch.next
            while batch.next < end {
                batch.next += 1
                batch.jobs[batch.next - 1].runSynchronously(on: executor)
            }
            // When all else is gone that keeps the loop, it ends with this.
            if batch.isEmpty { batch.executor = nil }
        }
    }

    private func refill(_ batch: inout Batch) {
        batch.jobs.removeAll(keepingCapacity: true)
        batch.next = 0
        state.withLock { state in
            swap(&state.jobs, &batch.jobs)
            batch.executor = state.executor.take()
            count.store(0, ordering: .relaxed)
        }
    }

    /// The thread is about to wait.
    ///
    /// - Returns: whether it may: there is no job.
    func park(_ batch: borrowing Batch) -> Bool {
        isParked.store(true, ordering: .sequentiallyConsistent)
        if batch.isEmpty, count.load(ordering: .sequentiallyConsistent) == 0 { return true }
        isParked.store(false, ordering: .relaxed)
        return false
    }

    /// The thread waits no more.
    func unpark() { isParked.store(false, ordering: .relaxed) }

    /// Nothing runs here any more: Swift's thread pool has the jobs that are left, and those that still come.
    func close(_ batch: inout Batch) {
        let jobs = state.withLock { state in
            state.phase = .closed
            defer { (state.jobs, state.executor) = ([], nil) }
            return batch.jobs[batch.next...] + state.jobs
        }
        batch = Batch()
        for job in jobs { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// There will be no thread.
    func close() {
        var none = Batch()
        close(&none)
    }
}
