// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport
import Synchronization

/// One thread, the lock, and the engine behind it.
final class LoopCore: Sendable {
    private enum Phase {
        /// The thread has not been needed yet.
        case idle
        case running
        /// Nothing more is taken; what is under way ends.
        case stopping
        case stopped
    }

    private struct State {
        var phase = Phase.idle
        var thread: LoopThread?
        var queue: EventQueue?
        var stopWaiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let lock = EngineLock()
    private let engine: Engine
    /// Taken for a moment, also by who has the lock above, and never the other way round.
    private let state = Mutex(State())
    private let isStopping = Atomic(false)
    /// Whether the phase is another than the first.
    private let hasBegun = Atomic(false)
    private let jobs = JobQueue()
    private let arrivals = Arrivals()

    init(_ settings: Settings, segments: SegmentPool) {
        engine = Engine(settings, segments: segments)
    }

    /// Does something with the engine, and then what that has left to be done without the lock.
    func run<Result: Sendable>(_ body: (Engine) -> Result) -> Result {
        var resumptions: [Resumption] = []
        let result = lock.withLock { use(body, &resumptions) }
        if !resumptions.isEmpty { Resumption.perform(&resumptions) }
        takeArrivals()
        return result
    }

    /// The same, after what others have asked for before, unless another thread has the engine.
    func runIfFree<Result: Sendable>(_ body: (Engine) -> Result) -> Result? {
        var resumptions: [Resumption] = []
        let result = lock.withLockIfAvailable {
            use(
                { engine in
                    engine.take(arrivals)
                    return body(engine)
                }, &resumptions)
        }
        if !resumptions.isEmpty { Resumption.perform(&resumptions) }
        takeArrivals()
        return result
    }

    /// For who has the lock and is not the loop's thread.
    private func use<Result>(_ body: (Engine) -> Result, _ resumptions: inout [Resumption]) -> Result {
        engine.beginBatch()
        let result = body(engine)
        engine.endBatch()
        if !engine.resumptions.isEmpty { swap(&engine.resumptions, &resumptions) }
        return result
    }

    /// Begins a call: here and now when nobody has the lock, and else whoever has it does.
    func start(_ exchange: Exchange, _ caller: Waiter<Void>) {
        if !hasBegun.load(ordering: .acquiring), let lack = startThread() {
            return run { engine in
                engine.closeUpload(of: exchange)
                engine.resumptions.append(
                    .failed(caller, NetworkClientError(.internalFailure, "the system has no \(lack) for another loop")))
            }
        }
        ask(.call(exchange, caller))
    }

    /// Asks something of the engine: here and now when nobody has the lock, and else whoever has it sees to it.
    func ask(_ arrival: Arrivals.Arrival) {
        arrivals.add(arrival)
        takeArrivals()
    }

    /// Has the engine see what has been asked for, unless another thread has the lock: that one sees it when it releases it.
    private func takeArrivals() {
        var resumptions: [Resumption] = []
        while !arrivals.isEmpty {
            let isTaken: Void? = lock.withLockIfAvailable { use({ $0.take(arrivals) }, &resumptions) }
            guard isTaken != nil else { return }
            if !resumptions.isEmpty { Resumption.perform(&resumptions) }
        }
    }

    /// Has the loop's thread run a step of a task; Swift's thread pool, when there is none.
    func enqueue(_ job: UnownedJob, of loop: NativeLoop) {
        var outcome = jobs.add(job, of: loop)
        if case .noThread = outcome, startThread() == nil { outcome = jobs.add(job, of: loop) }
        switch outcome {
        case .taken: break
        case .noThread, .closed: globalConcurrentExecutor.enqueue(ExecutorJob(job))
        }
    }

    /// Makes what the loop needs of the system: its descriptors and its thread.
    ///
    /// - Returns: what the system has no more of. The next call tries again.
    private func startThread() -> String? {
        // The engine's lock first, as everywhere.
        lock.withLock {
            state.withLock { state in
                guard state.phase == .idle else { return nil }
                guard let queue = EventQueue() else { return "descriptors" }
                engine.queue = queue
                // The thread keeps the core alive until it ends.
                guard let thread = LoopThread({ self.runLoop(queue) }) else {
                    engine.queue = nil
                    return "threads"
                }
                state.thread = thread
                state.queue = queue
                state.phase = .running
                jobs.open(queue)
                hasBegun.store(true, ordering: .releasing)
                return nil
            }
        }
    }

    // MARK: - The loop's thread

    private func runLoop(_ queue: EventQueue) {
        var ready = EventQueue.Ready()
        var resumptions: [Resumption] = []
        var batch = JobQueue.Batch()
        var looked: UInt64 = 0
        var yielding = Yielding()
        while !isStopping.load(ordering: .acquiring) {
            var limit: UInt64? = lock.withLock {
                engine.runBatch(&ready, arrivals, looked: looked)
                swap(&engine.resumptions, &resumptions)
                return engine.park()
            }
            let resumed = resumptions.count
            Resumption.perform(&resumptions)
            takeArrivals()
            if jobs.hasJobs(batch) {
                // What they have the engine do wakes nobody: the thread is not on its way to sleep.
                lock.withLock { engine.unpark() }
                jobs.run(&batch)
                limit = lock.withLock {
                    engine.beginBatch()
                    return engine.park()
                }
                takeArrivals()
            } else {
                yielding.yield(after: resumed, arrivals)
            }
            guard ready.areAllVisited else { continue }
            if !jobs.park(batch) { limit = 0 }
            looked = MonotonicClock.now
            queue.wait(&ready, atMost: limit)
            jobs.unpark()
        }
        ready.free()
        run { $0.stop() }
        jobs.close(&batch)
        let waiters = state.withLock { state in
            state.phase = .stopped
            state.queue = nil
            defer { state.stopWaiters = [] }
            return state.stopWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: - The end

    /// Asks the loop to end, without waiting for it. May be called by who has the lock.
    func requestStop() { beginStop()?.detach() }

    /// Ends the loop; returns when its thread has ended.
    func shutdown() async {
        let thread = beginStop()
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            // Resumed once: here, or by the loop's thread, which takes all that wait.
            let isOver = state.withLock { state in
                if state.phase == .stopped { return true }
                state.stopWaiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
        thread?.finish()
        run { $0.stop() }
    }

    /// - Returns: the thread, when it was running.
    private func beginStop() -> LoopThread? {
        isStopping.store(true, ordering: .releasing)
        return state.withLock { state in
            switch state.phase {
            case .idle:
                state.phase = .stopped
                jobs.close()
                hasBegun.store(true, ordering: .releasing)
            case .running:
                state.phase = .stopping
                state.queue?.wake()
            case .stopping, .stopped: break
            }
            return state.thread.take()
        }
    }
}
