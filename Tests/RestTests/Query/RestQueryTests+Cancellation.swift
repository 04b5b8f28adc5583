// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting
import Synchronization
import TestSupport
import Testing

extension RestQueryTests {
    @Test func cancelsTheRequestWithItsSubscription() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Bool.self)
        // Waits for ever, except for a cancel.
        let transport = ScriptedTransport { _ in
            start.finish()
            let never = AsyncStream<Never> { _ in }
            for await _ in never {}
            end.yield(Task.isCancelled)
            end.finish()
            throw CancellationError()
        }
        let cancellable = fruit(transport).projectedValue.get().sink(
            receiveCompletion: { _ in Issue.record("a cancelled request completed") }, receiveValue: { _ in })
        for await _ in started {}
        cancellable.cancel()
        for await wasCancelled in ended { #expect(wasCancelled) }
    }

    @Test func aRequestMayAskForItsResultWhileItIsCancelled() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport { _ in
            await withTaskCancellationHandler {
                start.finish()
                for await _ in cancelled {}
            } onCancel: {
                cancel.finish()
            }
            throw CancellationError()
        }
        let result = fruit(transport).projectedValue.get()
        cancel.onTermination = { _ in _ = result.underlyingError }
        let waiting = Task { try await result.value }
        for await _ in started {}
        waiting.cancel()
        guard case .failure(RestQueryError.cancelled) = await waiting.result else {
            Issue.record("the cancelled waiter got a value")
            return
        }
    }

    @Test func leavesTheValueWhenTheAnswerComesAfterTheCancel() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        // Takes no notice of a cancel.
        let transport = ScriptedTransport { _ in
            start.finish()
            await Task { for await _ in gate {} }.value
            return .json(#"{"name": "kiwi", "size": 1, "color": "green"}"#)
        }
        let property = fruit(transport)
        let result = property.projectedValue.get()
        let quitter = Task { try await result.value }
        for await _ in started {}
        quitter.cancel()
        _ = await quitter.result
        open.finish()
        guard case .cancelled? = await failure(result) else {
            Issue.record("a cancelled request has a value")
            return
        }
        #expect(property.wrappedValue == apple)
    }

    /// Hands an answer on when the call has been cancelled.
    private struct Dawdle: NetworkMiddleware {
        let answered: AsyncStream<Void>.Continuation

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            let response = try await next(request)
            answered.finish()
            while !Task.isCancelled { await Task.yield() }
            return response
        }
    }

    @Test func leavesTheValueWhenTheCancelComesAfterTheAnswer() async throws {
        try await giveUpAfterTheAnswer(kiwi) { $0.get() }
        try await giveUpAfterTheAnswer(kiwi) { $0.post(Fruit(name: "fig", size: 1, color: "blue")) }
    }

    @Test func storesNoTokenWhenTheCancelComesAfterTheAnswer() async throws {
        let answer = #"{"token": "fresh", "accountInfo": {"accountType": "user"}}"#
        try await giveUpAfterTheAnswer(answer, bearer: false) { $0.post() }
    }

    private typealias Query = RestQueryImpl<Fruit, Fruit>

    private func giveUpAfterTheAnswer(
        _ answer: String, bearer: Bool = true, _ call: (Query) -> RestQueryResult<Query>
    ) async throws {
        let answered = AsyncStream.makeStream(of: Void.self)
        let property = fruit(ScriptedTransport(), bearer: bearer)
        let configuration = property.projectedValue.metadata.configuration
        configuration.client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: nil, transport: ScriptedTransport(.json(answer)),
                middleware: [Dawdle(answered: answered.continuation)]))
        let result = call(property.projectedValue)
        let quitter = Task { try await result.value }
        for await _ in answered.stream {}
        quitter.cancel()
        _ = await quitter.result
        guard case .cancelled? = await failure(result) else {
            Issue.record("a cancelled request has a value")
            return
        }
        #expect(property.wrappedValue == apple)
        #expect(try await configuration.storedToken == token)
    }

    /// The first request is answered after the second, by what the gate lets through.
    private func overtaken(by later: (Query) -> RestQueryResult<Query>) async throws -> Rest<Fruit, Fruit> {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let number = Mutex(0)
        let transport = ScriptedTransport { _ in
            let number = number.withLock { number in
                number += 1
                return number
            }
            if number == 1 {
                start.finish()
                for await _ in gate {}
            }
            return .json(#"{"name": "answer", "size": \#(number), "color": "green"}"#)
        }
        let property = fruit(transport)
        let first = Task { try await property.projectedValue.get().value }
        for await _ in started {}
        _ = try await later(property.projectedValue).value
        open.finish()
        #expect(try await first.value.size == 1)
        return property
    }

    @Test func anAnswerThatIsOvertakenIsNotTheValue() async throws {
        #expect(try await overtaken { $0.get() }.wrappedValue.size == 2)
        let posted = Fruit(name: "fig", size: 42, color: "blue")
        #expect(try await overtaken { $0.post(posted) }.wrappedValue == posted)
        let written = try await overtaken { query in
            query.wrappedValue = posted
            return query.post()
        }
        #expect(written.wrappedValue == posted)
    }

    @Test func aRequestThatFailedLeavesTheValueToAnEarlierOne() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport { request in
            if request.method == .post { return .status(500) }
            start.finish()
            for await _ in gate {}
            return .json(#"{"name": "kiwi", "size": 1, "color": "green"}"#)
        }
        let property = fruit(transport)
        let first = Task { try await property.projectedValue.get().value }
        for await _ in started {}
        _ = await failure(property.projectedValue.post(Fruit(name: "fig", size: 42, color: "blue")))
        open.finish()
        _ = try await first.value
        #expect(property.wrappedValue.name == "kiwi")
    }
}
