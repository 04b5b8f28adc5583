// SPDX-License-Identifier: Apache-2.0

/// A publisher of the elements of an asynchronous sequence, by demand.
///
///     let lines = StreamPublisher { try await client.lines(for: request) }
///
/// It is lazy: the sequence is opened with a subscriber's first demand, once for each subscriber. It pulls: the next
/// element is asked for only when there is demand, so that a slow subscriber slows the sender and nothing is buffered.
/// The end is therefore noticed with the first demand that cannot be met.
///
/// Cancelling the subscription cancels the task and drops the iterator, which ends a transfer; nothing is delivered
/// then. Elements arrive one at a time, outside of any actor.
///
/// - Note: Leaving a loop over OpenCombine's `values` does not cancel: its iterator and the subscription hold each other. Put
///   `prefix(_:)` or `prefix(while:)` before `values`, cancel the loop's task, or loop over the sequence itself.
public struct StreamPublisher<Output, Failure: Error>: Publisher, Sendable {
    private typealias Consumer = TaskSubscription<Output, Failure>

    /// Hands over as many elements as it is told, or all when there are fewer.
    private let pump: @Sendable (Consumer, Int) async throws(Failure) -> Void
    private var maximumLength = Int.max

    /// - Parameter open: makes the sequence; what it throws is the publisher's failure, as is what the sequence throws.
    public init<Elements: AsyncSequence & SendableMetatype>(_ open: @escaping @Sendable () async throws -> Elements)
    where Elements.Element == Output, Failure == any Error {
        pump = { consumer, count in try await Self.pump(count, of: try await open(), to: consumer) }
    }

    /// - Parameters:
    ///   - mapError: makes the publisher's failure of what `open` and the sequence throw.
    ///   - open: makes the sequence.
    public init<Elements: AsyncSequence & SendableMetatype>(
        mapError: @escaping @Sendable (any Error) -> Failure, _ open: @escaping @Sendable () async throws -> Elements
    ) where Elements.Element == Output {
        pump = { consumer, count throws(Failure) in
            do {
                try await Self.pump(count, of: try await open(), to: consumer)
            } catch {
                throw mapError(error)
            }
        }
    }

    private static func pump<Elements: AsyncSequence>(
        _ count: Int, of elements: Elements, to consumer: Consumer
    ) async throws where Elements.Element == Output {
        var iterator = elements.makeAsyncIterator()
        var count = count
        while count > 0, await consumer.wantsNext(), let element = try await iterator.next(isolation: #isolation) {
            await consumer.deliver(element)
            count -= 1
        }
    }

    @_documentation(visibility: internal)
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        subscriber.receive(
            subscription: TaskSubscription(subscriber) { [pump, maximumLength] consumer throws(Failure) in
                if maximumLength > 0 { try await pump(consumer, maximumLength) }
            })
    }
}

#if !canImport(Combine)
extension StreamPublisher {
    /// The first elements. It ends with the last of them, as in Combine. OpenCombine's own operator ends only with the
    /// element after, which a stream may be slow to send.
    public func prefix(_ maxLength: Int) -> StreamPublisher {
        var publisher = self
        publisher.maximumLength = Swift.min(maximumLength, maxLength)
        return publisher
    }
}
#endif
