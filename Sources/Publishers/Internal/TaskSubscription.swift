// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A subscription that is carried out by one task, which begins with the first demand and ends with a cancel.
///
/// The task alone signals the subscriber, so that its signals never overlap.
final class TaskSubscription<Input, Failure: Error>: Subscription, Sendable {
    typealias Work = @Sendable (TaskSubscription) async throws(Failure) -> Void

    private struct Signals: @unchecked Sendable {
        // Unchecked because subscribers are not Sendable: only the subscription's task signals this one.
        let value: (Input) -> Subscribers.Demand
        let completion: (Subscribers.Completion<Failure>) -> Void
    }

    private struct State {
        typealias Answered = (CheckedContinuation<Bool, Never>, Bool)

        /// `nil` once it is finished or cancelled.
        var signals: Signals?
        var demand = Subscribers.Demand.none
        var task: Task<Void, Never>?
        var waiting: CheckedContinuation<Bool, Never>?

        /// Whether an element is wanted, which is then taken off the demand; `nil` when that is still open.
        mutating func answer() -> Bool? {
            if signals == nil { return false }
            guard demand > .none else { return nil }
            demand -= 1
            return true
        }

        /// Who waits, with its answer.
        mutating func takeAnswered() -> Answered? {
            guard let waiting, let answer = answer() else { return nil }
            self.waiting = nil
            return (waiting, answer)
        }
    }

    private let state: Mutex<State>
    private let work: Work

    init<Downstream: Subscriber>(_ subscriber: Downstream, work: @escaping Work)
    where Downstream.Input == Input, Downstream.Failure == Failure {
        state = Mutex(
            State(signals: Signals(value: subscriber.receive(_:), completion: subscriber.receive(completion:))))
        self.work = work
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let answered = state.withLock { state -> State.Answered? in
            guard state.signals != nil else { return nil }
            state.demand += demand
            if state.task == nil { state.task = Task { await self.run() } }
            return state.takeAnswered()
        }
        if let (waiting, answer) = answered { waiting.resume(returning: answer) }
    }

    func cancel() {
        let (task, answered, signals) = state.withLock { state in
            // The subscriber is released outside of the lock: its end may cancel other subscriptions, or this one.
            let signals = state.signals
            state.signals = nil
            return (state.task, state.takeAnswered(), signals)
        }
        task?.cancel()
        if let (waiting, answer) = answered { waiting.resume(returning: answer) }
        withExtendedLifetime(signals) {}
    }

    private func run() async {
        do throws(Failure) {
            try await work(self)
            finish(.finished)
        } catch {
            finish(.failure(error))
        }
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) {
        let signals = state.withLock { state in
            defer { state.signals = nil }
            return state.signals
        }
        signals?.completion(completion)
    }

    /// Waits until one more element is wanted, and takes it off the demand; `false` when it was cancelled.
    func wantsNext() async -> Bool {
        if let answer = state.withLock({ $0.answer() }) { return answer }
        return await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                let answer = state.answer()
                if answer == nil { state.waiting = continuation }
                return answer
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Hands over an element that was asked for.
    func deliver(_ element: Input) {
        guard let signals = state.withLock(\.signals) else { return }
        let more = signals.value(element)
        state.withLock { $0.demand += more }
    }
}
