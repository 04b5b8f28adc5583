// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import StrataCore
public import StrataPublishers
import Synchronization

/// A request of a property that runs when it is first consumed, once, however many consume it.
///
///     let fruit = try await $fruit.get().value
///     cancellable = $fruit.get().sink(receiveCompletion: { … }, receiveValue: { … })
///     $fruit.get().success { … }.failure { … }
///
/// It is a publisher of one value. The request is cancelled when everyone who consumes it has given up: cancelled the
/// subscription, or the task that waits for ``value``. ``success(received:)`` and ``failure(received:)`` never give up.
/// A subscriber gets the value on ``RestConfiguration/deliveryQueue``, the main queue unless told otherwise.
public final class RestQueryResult<Query: RestQuery>: Publisher, Sendable {
    @_documentation(visibility: internal)
    public typealias Output = Query.QueryValue
    @_documentation(visibility: internal)
    public typealias Failure = RestQueryError

    /// The query that it belongs to.
    public let query: Query
    private let run: @Sendable () async throws -> RestOutcome<Output>

    private struct State {
        var task: Task<Void, Never>?
        var consumers = 0
        var underlyingError: NetworkClientError?
    }

    private let state = Mutex(State())
    private let result = SharedResult<RestOutcome<Output>>()

    init(query: Query, run: @escaping @Sendable () async throws -> RestOutcome<Output>) {
        self.query = query
        self.run = run
    }

    /// For GET the value that came, for POST the one that was sent.
    public var value: Output {
        get async throws(RestQueryError) { try await answer().value }
    }

    /// The failure as the client has it: the response, the start of its body, the record of the exchange.
    ///
    ///     let signUp = $account.post()
    ///     do {
    ///         _ = try await signUp.value
    ///     } catch RestQueryError.statusCode(422) {
    ///         let problem = try signUp.underlyingError?.decode(Problem.self)
    ///     }
    ///
    /// `nil` until a consumer has got the failure, and for failures that do not come from the client, such as a missing
    /// token. Of `a ->> b` it is that of the one which failed.
    public var underlyingError: NetworkClientError? { state.withLock(\.underlyingError) }

    /// The body of the response as a model of your own: what the server said to a POST, where ``value`` is what was sent.
    ///
    /// - Throws: the failure of the request; ``RestQueryError/decode(_:)``.
    public func answer<Model: Decodable>(as type: Model.Type) async throws(RestQueryError) -> Model {
        let response = try await answer().response
        do {
            return try query.metadata.configuration.decode(type, from: response)
        } catch {
            let failure = RestFailure(error)
            state.withLock { $0.underlyingError = failure.underlying }
            throw failure.error
        }
    }

    /// Sends the request and hands its value over. A failure is not reported.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }

    /// Sends the request, and calls `received` on success, on ``RestConfiguration/deliveryQueue``.
    @discardableResult
    public func success(received: @escaping @Sendable () -> Void) -> Self {
        Task { if (try? await value) != nil { callBack(received) } }
        return self
    }

    /// Sends the request, and calls `received` on failure, on ``RestConfiguration/deliveryQueue``.
    @discardableResult
    public func failure(received: @escaping @Sendable () -> Void) -> Self {
        Task { if (try? await value) == nil { callBack(received) } }
        return self
    }

    private var deliveryQueue: DispatchQueue? { query.metadata.configuration.deliveryQueue }

    private func callBack(_ received: @escaping @Sendable () -> Void) {
        if let deliveryQueue { deliveryQueue.async(execute: received) } else { received() }
    }

    @_documentation(visibility: internal)
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        CallPublisher(deliveringOn: deliveryQueue) { () async throws(RestQueryError) in try await self.value }
            .receive(subscriber: subscriber)
    }

    private func answer() async throws(RestQueryError) -> RestOutcome<Output> {
        do throws(RestFailure) {
            return try await outcome()
        } catch {
            throw error.error
        }
    }

    /// Begins the request unless it runs already, and waits for it. When the last task that waits is cancelled, the
    /// request is cancelled.
    func outcome() async throws(RestFailure) -> RestOutcome<Output> {
        if Task.isCancelled { throw RestFailure(CancellationError()) }
        state.withLock { state in
            state.consumers += 1
            guard state.task == nil else { return }
            state.task = Task { [run, result] in
                do {
                    result.finish(.success(try await run()))
                } catch {
                    result.finish(.failure(RestFailure(error)))
                }
            }
        }
        do {
            return try await result.value()
        } catch let failure as RestFailure {
            state.withLock { $0.underlyingError = failure.underlying }
            throw failure
        } catch {
            giveUp()
            throw RestFailure(CancellationError())
        }
    }

    private func giveUp() {
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            state.consumers -= 1
            return state.consumers == 0 ? state.task : nil
        }
        abandoned?.cancel()
    }
}
