// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataPublishers
import StrataStreaming
import StrataTesting
import Testing

@API
struct PublishedAPI {
    @GET("/account") func account(id: Int) -> AnyPublisher<Account, any Error>
    @DELETE("/account") func delete() -> AnyPublisher<Void, any Error>
    @EventStreaming @GET("/events") func events() -> AnyPublisher<String, any Error>
    @HEAD("/account") func check() -> AnyPublisher<HTTPHeaders, any Error>
    @HEAD("/account") func head() -> AnyPublisher<HTTPResponse, any Error>
    @GET("/account") func response() -> AnyPublisher<NetworkResponse<Account>, any Error>
    @DELETE("/account") func emptyResponse() -> AnyPublisher<NetworkResponse<Void>, any Error>
    @EventStreaming @GET("/events") func wholeEvents() -> AnyPublisher<ServerSentEvent, any Error>
    @EventStreaming @GET("/events") func bytes() -> AnyPublisher<Data, any Error>
}

@API
protocol PublishedProtocolAPI: Sendable {
    @GET("/account") func account(id: Int) -> AnyPublisher<Account, any Error>
}

/// Endpoints that return publishers.
@Suite(.timeLimit(.minutes(1)))
struct PublisherAPITests {
    /// What a publisher delivers until it ends.
    private func values<Output: Sendable>(of publisher: AnyPublisher<Output, any Error>) async throws -> [Output] {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Output.self)
        let cancellable = publisher.sink { completion in
            if case .failure(let error) = completion {
                continuation.finish(throwing: error)
            } else {
                continuation.finish()
            }
        } receiveValue: { value in
            continuation.yield(value)
        }
        defer { cancellable.cancel() }
        var values: [Output] = []
        for try await value in stream { values.append(value) }
        return values
    }

    @Test func nothingIsSentBeforeSomebodySubscribes() async throws {
        let transport = ScriptedTransport(.json(#"{"id": 7}"#))
        let api = PublishedAPI(Provider(baseURL: "https://api.example", transport: transport))
        let publisher = api.account(id: 7)
        #expect(transport.requests.isEmpty)
        #expect(try await values(of: publisher) == [Account(id: 7)])
        #expect(try await values(of: publisher) == [Account(id: 7)])
        #expect(transport.requests.map(\.target) == ["/account?id=7", "/account?id=7"])
    }

    @Test func failuresAndStreamsArriveToo() async throws {
        let api = PublishedAPI(
            Provider(
                baseURL: "https://api.example",
                transport: ScriptedTransport { request in
                    request.target == "/events" ? .events("data: a\n\ndata: b\n\n") : .status(500)
                }))
        #expect(try await values(of: api.events()) == ["a", "b"])
        await #expect(throws: NetworkClientError.self) { try await values(of: api.delete()) }
    }

    @Test func headsAndRecordsArriveToo() async throws {
        func api(_ reply: ScriptedReply) -> PublishedAPI {
            PublishedAPI(Provider(baseURL: "https://api.example", transport: ScriptedTransport(reply)))
        }
        let head = ScriptedReply.status(202, fields: [.eTag: "x"])
        #expect(try await values(of: api(head).check()).map { $0[.eTag] } == ["x"])
        #expect(try await values(of: api(head).head()).map(\.status) == [.accepted])
        #expect(try await values(of: api(head).emptyResponse()).map(\.response.status) == [.accepted])
        let response = try await values(of: api(.json(#"{"id": 7}"#, fields: [.eTag: "x"])).response())
        #expect(response.map(\.value) == [Account(id: 7)])
        #expect(response.map { $0.response.headerFields[.eTag] } == ["x"])
    }

    @Test func eventsAndBytesArriveWhole() async throws {
        let text = "event: x\ndata: a\n\n"
        let api = PublishedAPI(
            Provider(baseURL: "https://api.example", transport: ScriptedTransport(.events(text))))
        #expect(try await values(of: api.wholeEvents()).map(\.type) == ["x"])
        #expect(try await values(of: api.bytes()) == [Data(text.utf8)])
    }

    @Test func aMockAnswersAtOnce() async throws {
        let mock = PublishedProtocolAPIMock()
        mock.onAccount.reply(Just(Account(id: 1)).setFailureType(to: (any Error).self).eraseToAnyPublisher())
        #expect(try await values(of: mock.account(id: 1)) == [Account(id: 1)])
        #expect(mock.onAccount.calls == [1])
        await #expect(throws: MockError.self) { try await values(of: PublishedProtocolAPIMock().account(id: 1)) }
    }
}
