// SPDX-License-Identifier: Apache-2.0

import StrataPublishers
import Synchronization

/// A subscriber that asks for as much as it is told to, and tells what came.
final class Recorder<Input: Sendable, Failure: Error>: Subscriber, Sendable {
    enum Signal: Sendable {
        case value(Input)
        case finished
        case failure(Failure)
    }

    private struct State {
        var subscription: Held?
        var values: [Input] = []
        var isCompleted = false
    }

    private struct Held: @unchecked Sendable {
        // Unchecked because the protocol is not Sendable; the subscription under test is.
        let subscription: any Subscription
    }

    let signals: AsyncStream<Signal>
    private let output: AsyncStream<Signal>.Continuation
    private let state = Mutex(State())
    private let initialDemand: Subscribers.Demand

    init(demand: Subscribers.Demand = .none) {
        (signals, output) = AsyncStream.makeStream()
        initialDemand = demand
    }

    var values: [Input] { state.withLock(\.values) }
    var isCompleted: Bool { state.withLock(\.isCompleted) }

    func request(_ demand: Subscribers.Demand) {
        state.withLock(\.subscription)?.subscription.request(demand)
    }

    func cancel() {
        state.withLock(\.subscription)?.subscription.cancel()
    }

    func receive(subscription: any Subscription) {
        let held = Held(subscription: subscription)
        state.withLock { $0.subscription = held }
        if initialDemand > .none { subscription.request(initialDemand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock { $0.values.append(input) }
        output.yield(.value(input))
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        state.withLock { $0.isCompleted = true }
        switch completion {
        case .finished: output.yield(.finished)
        case .failure(let error): output.yield(.failure(error))
        }
        output.finish()
    }
}

/// Lets whatever could run meanwhile have its turns.
func giveTurns() async {
    for _ in 0..<200 { await Task.yield() }
}

/// All the values of a publisher.
func values<P: Publisher>(of publisher: P) async throws -> [P.Output] where P.Output: Sendable {
    let recorder = Recorder<P.Output, P.Failure>(demand: .unlimited)
    publisher.subscribe(recorder)
    for await signal in recorder.signals {
        if case .failure(let error) = signal { throw error }
    }
    return recorder.values
}
