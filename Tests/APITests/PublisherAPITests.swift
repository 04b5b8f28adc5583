// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataPublishers
import StrataStreaming
import StrataTesting
import TestSupport
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
    @GET("/account") func body() -> AnyPublisher<Data, any Error>
}

@API @EventStreaming
struct PublishedStreamsAPI {
    @GET("/events") func models() -> AnyPublisher<Account, any Error>
    @GET("/events") func events() -> AnyPublisher<ServerSentEvent, any Error>
    @GET("/events") func bytes() -> AnyPublisher<Data, any Error>
    @DELETE("/account") func delete() -> AnyPublisher<Void, any Error>
    @GET("/account") func response() -> AnyPublisher<NetworkResponse<Account>, any Error>
    @DELETE("/account") func emptyResponse() -> AnyPublisher<NetworkResponse<Void>, any Error>
    @HEAD("/account") func check() -> AnyPublisher<HTTPHeaders, any Error>
    @HEAD("/account") func head() -> AnyPublisher<HTTPResponse, any Error>
}

extension PublishedStreamsAPI {
    @GET("/events") func extended() -> AnyPublisher<Account, any Error>
}

@API
protocol PublishedProtocolAPI: Sendable {
    @GET("/account") func account(id: Int) -> AnyPublisher<Account, any Error>
    @GET("/one") func one<T: Decodable & SendableMetatype>(_ type: T.Type) -> AnyPublisher<T, any Error>
}

/// Endpoints that return publishers.
@Suite(.timeLimit(.minutes(10)))
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
        return try await stream.all()
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

    @Test func aBodyIsOneValueUnlessItIsAStream() async throws {
        let reply = ScriptedReply.pieces([Data([1]), Data([2])])
        let api = PublishedAPI(Provider(baseURL: "https://api.example", transport: ScriptedTransport(reply)))
        #expect(try await values(of: api.body()) == [Data([1, 2])])
        #expect(try await values(of: api.bytes()) == [Data([1]), Data([2])])
    }

    @Test func theStreamsOfATypeMayStandInAnExtension() async throws {
        let text = "event: x\ndata: {\"id\": 1}\n\ndata: {\"id\": 2}\n\n"
        let api = PublishedStreamsAPI(
            Provider(baseURL: "https://api.example", transport: ScriptedTransport(.events(text))))
        #expect(try await values(of: api.models()) == [Account(id: 1), Account(id: 2)])
        #expect(try await values(of: api.extended()) == [Account(id: 1), Account(id: 2)])
        #expect(try await values(of: api.events()).map(\.type) == ["x", "message"])
        #expect(try await values(of: api.bytes()) == [Data(text.utf8)])
    }

    @Test func anAnswerBesideTheStreamsOfATypeIsOne() async throws {
        let transport = ScriptedTransport(.json(#"{"id": 7}"#, status: 202))
        let api = PublishedStreamsAPI(Provider(baseURL: "https://api.example", transport: transport))
        #expect(try await values(of: api.delete()).count == 1)
        #expect(try await values(of: api.response()).map(\.value) == [Account(id: 7)])
        #expect(try await values(of: api.emptyResponse()).map(\.response.status) == [.accepted])
        #expect(try await values(of: api.check()).map { $0[.contentType] } == ["application/json"])
        #expect(try await values(of: api.head()).map(\.status) == [.accepted])
        #expect(transport.requests.allSatisfy { $0["accept"] != "text/event-stream" })
    }

    @Test func aMockAnswersAtOnce() async throws {
        let mock = PublishedProtocolAPIMock()
        mock.onAccount.reply(Just(Account(id: 1)).setFailureType(to: (any Error).self).eraseToAnyPublisher())
        #expect(try await values(of: mock.account(id: 1)) == [Account(id: 1)])
        #expect(mock.onAccount.calls == [1])
        await #expect(throws: MockError.self) { try await values(of: PublishedProtocolAPIMock().account(id: 1)) }
    }

    @Test func aMocksGenericPublisherIsChecked() async throws {
        let mock = PublishedProtocolAPIMock()
        mock.onOne.reply(Just([1]).setFailureType(to: (any Error).self).eraseToAnyPublisher())
        #expect(try await values(of: mock.one([Int].self)) == [[1]])
        await #expect(throws: MockError.self) { try await values(of: mock.one(String.self)) }
    }
}
