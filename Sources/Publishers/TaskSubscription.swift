// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A subscription that is carried out by one task, which begins with the first demand and ends with a cancel.
///
/// Only the task signals the subscriber, so that signals never overlap. When it delivers on a queue, it checks there
/// whether the signal is still wanted. After a cancel on that queue nothing may come, or OpenCombine's `zip` ends the
/// process.
final class TaskSubscription<Input, Failure: Error>: Subscription, Sendable {
    typealias Work = @Sendable (TaskSubscription) async throws(Failure) -> Void

    /// What is held until the end: the subscriber's signals, and the work.
    private struct Held: @unchecked Sendable {
        // Unchecked because subscribers are not Sendable: only the subscription's task signals this one.
        let value: (Input) -> Subscribers.Demand
        let completion: (Subscribers.Completion<Failure>) -> Void
        let work: Work
    }

    private struct State {
        typealias Answered = (CheckedContinuation<Bool, Never>, Bool)

        /// `nil` once it is finished or cancelled.
        var held: Held?
        var demand = Subscribers.Demand.none
        var task: Task<Void, Never>?
        var waiting: CheckedContinuation<Bool, Never>?

        /// Takes one element off the demand, and says whether that is possible; `nil` when it is not known yet.
        mutating func answer() -> Bool? {
            if held == nil { return false }
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
    /// The queue on which the subscriber is signalled; `nil` for wherever the work is done.
    private let queue: DispatchQueue?

    init<Downstream: Subscriber>(_ subscriber: Downstream, on queue: DispatchQueue? = nil, work: @escaping Work)
    where Downstream.Input == Input, Downstream.Failure == Failure {
        self.queue = queue
        state = Mutex(
            State(
                held: Held(value: subscriber.receive(_:), completion: subscriber.receive(completion:), work: work)))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let answered = state.withLock { state -> State.Answered? in
            guard let work = state.held?.work else { return nil }
            state.demand += demand
            if state.task == nil { state.task = Task { await self.run(work) } }
            return state.takeAnswered()
        }
        if let (waiting, answer) = answered { waiting.resume(returning: answer) }
    }

    func cancel() {
        let (task, answered, held) = state.withLock { state in
            // The subscriber is released outside of the lock: its end may cancel other subscriptions, or this one.
            let held = state.held
            state.held = nil
            return (state.task, state.takeAnswered(), held)
        }
        task?.cancel()
        if let (waiting, answer) = answered { waiting.resume(returning: answer) }
        withExtendedLifetime(held) {}
    }

    private func run(_ work: Work) async {
        do throws(Failure) {
            try await work(self)
            await finish(.finished)
        } catch {
            await finish(.failure(error))
        }
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) async {
        await signal { [self] in
            let held = state.withLock { state in
                defer { state.held = nil }
                return state.held
            }
            held?.completion(completion)
        }
    }

    /// Returns when it is done.
    private func signal(_ signal: @escaping @Sendable () -> Void) async {
        guard let queue else { return signal() }
        await withCheckedContinuation { continuation in
            queue.async {
                signal()
                continuation.resume()
            }
        }
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
    func deliver(_ element: Input) async {
        // Unsafe because elements need not be Sendable: this one is handed on and not kept.
        nonisolated(unsafe) let element = element
        await signal { [self] in
            guard let held = state.withLock(\.held) else { return }
            let more = held.value(element)
            state.withLock { $0.demand += more }
        }
    }
}
