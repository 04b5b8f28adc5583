// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One thread, one multi handle, and the way in from other threads.
final class LoopCore: Sendable {
    private let inbox = Inbox()
    private let engine = Mutex<LoopEngine?>(nil)
    private let options: HandleOptions
    private let watch = LoopWatch()

    /// With more transfers than this under way, the loop's thread is busy anyway and carries out all commands.
    private static let fewTransfers = 2

    init(_ options: HandleOptions) { self.options = options }

    var liveTransfers: Int { inbox.live.load(ordering: .relaxed) }

    // MARK: - From other threads

    func submit(_ command: Command, mayRunHere: Bool) {
        enum Outcome {
            case done
            case rejected(NetworkClientError)
            case runHere([Resumption])
        }
        let outcome = inbox.state.withLock { state -> Outcome in
            guard state.isOpen else {
                return .rejected(NetworkClientError(.transportShutDown, "the transport was shut down"))
            }
            if let lack = start(&state) {
                return .rejected(NetworkClientError(.internalFailure, "the system has no \(lack) for another loop"))
            }
            state.commands.append(command)
            guard state.isParked else { return .done }
            if mayRunHere, EventQueue.isShareable, inbox.live.load(ordering: .relaxed) <= Self.fewTransfers {
                defer { state.spare = [] }
                return .runHere(state.spare)
            }
            state.wake()
            return .done
        }
        switch outcome {
        case .done: break
        case .rejected(let error): reject(command, error)
        case .runHere(let spare): runHere(spare)
        }
    }

    /// The loop sleeps and little is under way: driving libcurl from this thread saves two changes of thread, which would
    /// cost more than the request itself. The loop goes on sleeping, and sees the sockets that are added meanwhile.
    private func runHere(_ spare: consuming [Resumption]) {
        var resumptions = spare
        let isBusy = engine.withLockIfAvailable { $0?.runBatch(&resumptions) ?? false }
        Resumption.perform(&resumptions)
        inbox.state.withLock { state in
            if state.spare.capacity == 0 { swap(&state.spare, &resumptions) }
            if isBusy != false || !state.commands.isEmpty { state.wake() }
        }
    }

    private func reject(_ command: Command, _ error: NetworkClientError) {
        guard case .start(let exchange) = command else { return }
        exchange.upload?.close()
        exchange.takeWaiter()?.resume(with: .failure(error))
    }

    /// Makes the loop when it is needed first: its descriptors and its thread.
    ///
    /// - Returns: what the system has no more of. The next command tries again.
    private func start(_ state: inout Inbox.State) -> String? {
        guard state.phase == .idle else { return nil }
        // Under the inbox's lock, as nowhere else: nobody has the engine's before the loop runs.
        guard let queue = makeEngine() else { return "memory or descriptors" }
        // The thread keeps the core alive until it ends.
        guard let thread = LoopThread({ self.run(queue) }) else {
            engine.withLock { $0 = nil }
            return "threads"
        }
        state.queue = queue
        state.thread = thread
        state.phase = .running
        return nil
    }

    private func makeEngine() -> EventQueue? {
        engine.withLock { engine in
            guard let multi = curl_multi_init() else { return nil }
            guard let queue = EventQueue(multi: multi) else {
                curl_multi_cleanup(multi)
                return nil
            }
            engine = LoopEngine(multi: multi, queue: queue, inbox: inbox, watch: watch, options: options)
            return queue
        }
    }

    /// Asks the loop to end, without waiting for it.
    func requestStop() {
        let (phase, thread) = beginStop()
        thread?.detach()
        if phase == .idle { tearDown() }
    }

    /// Ends the loop; returns when its thread has.
    func shutdown() async {
        let (phase, thread) = beginStop()
        switch phase {
        case .idle: tearDown()
        case .stopped: break
        case .running, .stopping:
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                // Resumed once: here, or by the loop's thread, which takes all that wait.
                let isOver = inbox.state.withLock { state in
                    if state.phase == .stopped { return true }
                    state.stopWaiters.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
            thread?.finish()
        }
    }

    /// - Returns: the phase until now; the thread, when it was running.
    private func beginStop() -> (Inbox.Phase, LoopThread?) {
        inbox.state.withLock { state in
            let phase = state.phase
            switch phase {
            case .idle: state.phase = .stopped
            case .running:
                state.phase = .stopping
                state.wake()
            case .stopping, .stopped: break
            }
            defer { state.thread = nil }
            return (phase, state.thread)
        }
    }

    private func tearDown() {
        var resumptions: [Resumption] = []
        engine.withLock { engine in
            engine?.stop(&resumptions)
            engine = nil
        }
        watch.stop()
        Resumption.perform(&resumptions)
    }

    // MARK: - The loop's thread

    private func run(_ queue: EventQueue) {
        var ready = EventQueue.Ready()
        var resumptions: [Resumption] = []
        loop: while true {
            let isBusy = engine.withLock { $0?.runBatch(&ready, &resumptions) ?? false }
            let hasSeveral = resumptions.count > 1
            Resumption.perform(&resumptions)
            // Several tasks go on elsewhere, and are about to ask for more: when they get the processor first, all that they
            // ask for is carried out at once, and none of them has to wake the loop.
            if hasSeveral, !isBusy { sched_yield() }
            switch isBusy || ready.count > 0 ? .none : inbox.park() {
            case .none:
                // Between two requests of one task nothing can have happened.
                if ready.count == 0, inbox.live.load(ordering: .relaxed) > 0 { queue.wait(&ready, isBlocking: false) }
            case .forGood: break loop
            case .untilWoken:
                queue.wait(&ready, isBlocking: true)
                inbox.unpark()
            }
        }
        ready.free()
        tearDown()
        let waiters = inbox.state.withLock { state in
            state.phase = .stopped
            defer { state.stopWaiters = [] }
            return state.stopWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
