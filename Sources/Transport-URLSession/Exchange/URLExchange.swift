// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPTypes
import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One request and its response, between the backend's callbacks and the caller who awaits.
///
/// It is also the source of the response's body. However it ends, each continuation is resumed once, outside of the
/// lock.
final class URLExchange: BodySource {
    private let state: Mutex<ExchangeState>
    private let timeouts: Timeouts
    private let limits: Mutex<TimeLimits>
    private let timer = Mutex<ExchangeTimer?>(nil)
    private let uploading = Mutex<(@Sendable () -> Void)?>(nil)
    private let kept = Mutex<(any Sendable)?>(nil)
    private let control: any TransferControl
    private let started = SystemClock().now

    init(_ request: TransportRequest, control: any TransferControl, overflow: ReceivedBody.Overflow) {
        self.control = control
        state = Mutex(ExchangeState(overflow: overflow, limit: request.options.maximumResponseBytes))
        timeouts = request.options.timeouts
        limits = Mutex(TimeLimits(timeouts, total: request.timeLimit))
    }

    /// Since the exchange began.
    var elapsed: Duration { SystemClock().now - started }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    // MARK: The caller's side

    /// Begins to watch the clock.
    func start(timers queue: DispatchQueue) {
        let timer = ExchangeTimer(queue: queue) { [weak self] in self?.lookAtClock() }
        self.timer.withLock { $0 = timer }
        lookAtClock()
        // The exchange may have ended before there was a timer to stop.
        if hasEnded { stopWorking() }
    }

    /// Runs `work` for the request's body beside the exchange, which fails when it throws.
    ///
    /// - Parameter cancel: stops the work, from any thread; called when the exchange ends, however it does.
    func upload(_ work: @escaping @Sendable () async throws -> Void, onEnd cancel: @escaping @Sendable () -> Void) {
        let task = Task { [weak self] in
            do { try await work() } catch { self?.fail(error) }
        }
        uploading.withLock {
            $0 = {
                cancel()
                task.cancel()
            }
        }
        if hasEnded { stopWorking() }
    }

    /// Lets something live as long as the transfer.
    func keep(_ value: some Sendable) { kept.withLock { $0 = value } }

    /// The backend begins to connect.
    ///
    /// - Parameter showsConnection: whether it will show that it is connected before it is answered. Without that the connect
    ///   timeout cannot be watched, and silence is what limits the wait.
    func beginConnecting(showsConnection: Bool) {
        let now = elapsed
        limits.withLock { limits in
            if showsConnection { limits.beginConnecting(at: now) }
            limits.notePreparation(at: now)
        }
        lookAtClock()
    }

    /// - Throws: what ended the exchange; `CancellationError` when the task is cancelled.
    func head() async throws -> HTTPResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform(state.withLock { $0.awaitHead(continuation) })
            }
        } onCancel: {
            cancel()
        }
    }

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                perform(state.withLock { $0.awaitPiece(continuation) })
            }
        } onCancel: {
            cancel()
        }
    }

    func cancel() {
        perform(state.withLock { $0.cancel() })
    }

    func fail(_ error: any Error) {
        perform(state.withLock { $0.fail(error) })
    }

    // MARK: The backend's side

    func receiveHead(_ head: HTTPResponse) {
        noteActivity()
        perform(state.withLock { $0.receiveHead(head) })
    }

    func receive(_ data: Data) {
        noteActivity()
        perform(state.withLock { $0.receive(data) })
    }

    /// The transfer is over. `head` stands in when none was announced.
    func finish(head: HTTPResponse?, error: (any Error)?) {
        if error == nil, let head { perform(state.withLock { $0.receiveHead(head) }) }
        perform(state.withLock { $0.finish(with: error) })
    }

    /// Notes that the user's delegate has refused the TLS connection. A cancellation that comes from the session then
    /// means that.
    func noteRefusedTrust() {
        state.withLock { $0.isTrustRefused = true }
    }

    /// The next piece of the request's body is asked for, or is there.
    func setAwaitingBody(_ isAwaiting: Bool) {
        let now = elapsed
        limits.withLock { $0.setAwaitingBody(isAwaiting, at: now) }
        if !isAwaiting { lookAtClock() }
    }

    /// Bytes went out or came in.
    func noteActivity() {
        let now = elapsed
        limits.withLock { $0.noteActivity(at: now) }
    }

    /// Calls `body` unless the transfer was told to stop; a stop waits until it has returned.
    func unlessCancelled(_ body: () -> Void) {
        state.withLock { state in
            if !state.isCancelled { body() }
        }
    }

    // MARK: Inside

    private func lookAtClock() {
        // Done in one step, so that a thread with an older verdict cannot set the timer after one with a newer verdict.
        let verdict = timer.withLock { timer in
            let now = elapsed
            let verdict = limits.withLock { $0.verdict(at: now) }
            if case .look(let time) = verdict { timer?.set(after: time - now) }
            return verdict
        }
        if case .passed(let kind) = verdict { fail(NetworkClientError.timedOut(kind, after: timeouts[kind])) }
    }

    private func perform(_ effects: consuming ExchangeState.Effects) {
        if effects.flow != .unchanged { applyFlow() }
        if effects.ends { stop() }
        if let (continuation, result) = effects.wakesHead { continuation.resume(with: result) }
        if let (continuation, result) = effects.wakesReader { continuation.resume(with: result) }
    }

    /// Holding and releasing may be asked for by two threads, and arrive in either order. So the present state is
    /// looked up, and not handed over.
    private func applyFlow() {
        control.applyFlow { [self] in
            let now = elapsed
            let isHeld = state.withLock { $0.isHeld }
            guard limits.withLock({ $0.setHeld(isHeld, at: now) }) else { return .unchanged }
            if !isHeld { lookAtClock() }
            return isHeld ? .hold : .go
        }
    }

    private func stop() {
        stopWorking()
        if state.withLock({ $0.isCancelled }) { control.cancel() }
    }

    /// Stops the timer and the production of the request's body, once they are there.
    private func stopWorking() {
        timer.withLock { timer in
            timer?.stop()
            timer = nil
        }
        // Runs code of the body's source, which may take its time; the backend's queue is the process's own on Linux.
        if let end = uploading.withLock({ $0.take() }) { Task.detached { end() } }
    }
}
