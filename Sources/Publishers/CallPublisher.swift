// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// A publisher of one value: what an asynchronous call returns.
///
///     let user = CallPublisher { try await client.run(request).value }
///
/// It is lazy: the call begins with a subscriber's first demand, anew for each subscriber, and not at all without one.
/// Cancelling the subscription cancels the call's task; nothing is delivered then, not even a failure. The value arrives
/// outside of any actor: put `receive(on:)` behind it for the main queue.
public struct CallPublisher<Output, Failure: Error>: Publisher, Sendable {
    private let queue: DispatchQueue?
    private let call: @Sendable () async throws(Failure) -> Output

    public init(_ call: @escaping @Sendable () async throws(Failure) -> Output) {
        self.init(deliveringOn: nil, call)
    }

    /// Delivers on a queue, as with `receive(on:)` behind it. After a cancel on that queue, nothing that waits there is
    /// delivered.
    package init(deliveringOn queue: DispatchQueue?, _ call: @escaping @Sendable () async throws(Failure) -> Output) {
        self.queue = queue
        self.call = call
    }

    @_documentation(visibility: internal)
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let call = self.call
        let subscription = TaskSubscription(subscriber, on: queue) { consumer throws(Failure) in
            guard await consumer.wantsNext() else { return }
            await consumer.deliver(try await call())
        }
        subscriber.receive(subscription: subscription)
    }
}
