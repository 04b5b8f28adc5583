// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import TestSupport
import Testing

struct SendPublisherTests {
    private let transport = ScriptedTransport(.json(#"{"name": "Ada"}"#))
    private let request = Request(.get, url: usersURL)

    /// What a publisher of one value gives.
    private func first<Output>(_ publisher: AnyPublisher<Output, RequestError>) async throws -> sending Output {
        let (stream, continuation) = AsyncThrowingStream<Box<Output>, any Error>.makeStream()
        let cancellable = publisher.sink { completion in
            if case .failure(let error) = completion {
                continuation.finish(throwing: error)
            } else {
                continuation.finish()
            }
        } receiveValue: {
            continuation.yield(Box(value: $0))
        }
        defer { cancellable.cancel() }
        for try await value in stream { return value.value }
        throw CancellationError()
    }

    private struct Box<Value>: @unchecked Sendable {
        // Unchecked because it is handed from the publisher to one reader.
        let value: Value
    }

    @Test func nothingIsSentWithoutASubscriber() async throws {
        let publisher: AnyPublisher<Request.PublisherResponse, RequestError> = request.send(client: client(transport))
        for _ in 0..<100 { await Task.yield() }
        #expect(transport.requests.isEmpty)
        let response = try await first(publisher)
        #expect(response.request == request)
        #expect(response.urlResponse.statusCode == 200)
        _ = try await first(publisher)
        #expect(transport.requests.count == 2)
    }

    @Test func modelsArePublished() async throws {
        let users: AnyPublisher<User, RequestError> = request.send(client: client(transport))
        #expect(try await first(users) == User(name: "Ada"))
        let models: AnyPublisher<Request.PublisherModelResponse<User>, RequestError> = request.send(
            client: client(transport))
        let response = try await first(models)
        #expect(response.responseModel == User(name: "Ada"))
        #expect(response.urlResponse.statusCode == 200)
    }

    @Test func theDecoderGivenReadsTheModel() async throws {
        let client = client(ScriptedTransport(.json(#"{"user": {"name": "Ada"}}"#)))
        let decoder = JSONKeyPathDecoder("user")
        let users: AnyPublisher<User, RequestError> = request.send(decoder: decoder, client: client)
        #expect(try await first(users) == User(name: "Ada"))
        let models: AnyPublisher<Request.PublisherModelResponse<User>, RequestError> = request.send(
            decoder: decoder, client: client)
        #expect(try await first(models).responseModel == User(name: "Ada"))
    }

    @Test func failuresKeepTheirKind() async {
        let failing = client(ScriptedTransport(.json("{}")))
        let users: AnyPublisher<User, RequestError> = request.send(client: failing)
        let error = await #expect(throws: RequestError.self) { try await first(users) }
        guard case .decoding = error else { return #expect(Bool(false), "\(error as Any)") }

        let checked = request.setting(Request.Configuration(parseHTTPStatusErrors: true))
        let refused: AnyPublisher<User, RequestError> = checked.send(
            client: client(ScriptedTransport(.status(401))))
        let status = await #expect(throws: RequestError.self) { try await first(refused) }
        guard case .httpStatus(_, let httpError) = status else { return #expect(Bool(false), "\(status as Any)") }
        #expect(httpError.type == .unauthorized)
    }

    @Test func cancellingEndsTheRequest() async {
        let (started, ended) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let waiting = ScriptedTransport { _ in
            started.continuation.yield()
            defer { ended.continuation.finish() }
            try await untilCancelled()
        }
        let publisher: AnyPublisher<User, RequestError> = request.send(client: client(waiting))
        let cancellable = publisher.sink { _ in
            Issue.record("completed")
        } receiveValue: { _ in
            Issue.record("value")
        }
        for await _ in started.stream { break }
        cancellable.cancel()
        for await _ in ended.stream {}
    }

    @Test func streamsArePublished() async throws {
        let lines = client(ScriptedTransport(.pieces([Data("one\ntw".utf8), Data("o\n".utf8)])))
        let collected = request.publisher(as: .lines, client: lines).collect().eraseToAnyPublisher()
        #expect(try await first(collected) == ["one", "two"])
        let lost = client(
            ScriptedTransport(.pieces([Data("one\n".utf8)], failure: NetworkClientError(.connectionLost, ""))))
        let failing = request.publisher(as: .lines, client: lost).collect().eraseToAnyPublisher()
        await #expect(throws: RequestError.urlError(request: request, error: URLError(.networkConnectionLost))) {
            try await first(failing)
        }
    }

    @Test func aPrefixOfAStreamEndsWithItsLastElement() async throws {
        let silent = client(ScriptedTransport(.source { HangingSource("one\ntwo\n") }))
        let collected = request.publisher(as: .lines, client: silent).prefix(2).collect().eraseToAnyPublisher()
        #expect(try await first(collected) == ["one", "two"])
    }
}
