// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataPublishers
import StrataStreaming
import StrataTesting
import Testing

/// The publishers of a client, as a caller writes them.
struct ClientPublisherTests {
    private struct Post: Codable, Equatable, Sendable {
        var id: Int
    }

    private func client(_ replies: ScriptedReply...) -> (NetworkClient, ScriptedTransport) {
        let transport = ScriptedTransport(replies)
        let configuration = NetworkConfiguration(
            baseURL: URL(string: "https://api.example/v1"), transport: transport,
            defaultEncoder: JSONEncoder(), defaultDecoder: JSONDecoder())
        return (NetworkClient(configuration: configuration), transport)
    }

    @Test func aRequestIsSentOncePerSubscriber() async throws {
        let (client, transport) = client(.json(#"[{"id": 1}]"#))
        let publisher = client.publisher(for: NetworkRequest<VoidRequest, [Post]>(path: "posts", method: .get))
        #expect(transport.requests.isEmpty)
        #expect(try await values(of: publisher.map(\.value)) == [[Post(id: 1)]])
        #expect(try await values(of: publisher.map(\.response.status.code)) == [200])
        #expect(transport.requests.map(\.url) == Array(repeating: "https://api.example/v1/posts", count: 2))
    }

    @Test func failuresAreThoseOfTheCall() async throws {
        let (client, _) = client(.status(404))
        let publisher = client.publisher(for: NetworkRequest<VoidRequest, VoidResponse>(path: "none", method: .get))
        let error = await #expect(throws: NetworkClientError.self) { try await values(of: publisher.map(\.value)) }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.status == .notFound)
    }

    @Test func aTransportRequestGivesTheResponseOfAnyStatus() async throws {
        let (client, _) = client(.text("gone", status: 410))
        let request = try TransportRequest(url: "https://api.example/old")
        let responses = try await values(of: client.publisher(for: request))
        #expect(responses.map(\.head.status.code) == [410])
        #expect(try await responses.first?.body.collect() == Data("gone".utf8))
    }

    @Test func bytesComeInPieces() async throws {
        let pieces = ["ab", "cd"].map { Data($0.utf8) }
        let (client, _) = client(.pieces(pieces))
        let request = NetworkRequest<VoidRequest, Data>(path: "file", method: .get)
        #expect(try await values(of: client.bytesPublisher(for: request)) == pieces)
    }

    @Test func linesCrossPieces() async throws {
        let (client, _) = client(.pieces(["on", "e\ntwo", "\nthree"].map { Data($0.utf8) }))
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "log", method: .get)
        #expect(try await values(of: client.linesPublisher(for: request)) == ["one", "two", "three"])
    }

    @Test func jsonLinesAreModels() async throws {
        let (client, _) = client(
            .pieces(
                [Data("{\"id\":1}\n{\"id\"".utf8), Data(":2}\n".utf8)], fields: [.contentType: "application/jsonl"]))
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "log", method: .get)
        let posts = try await values(of: client.jsonLinesPublisher(for: request, decoding: Post.self))
        #expect(posts == [Post(id: 1), Post(id: 2)])
    }

    @Test func modelsMayBePassedOverAndHaveALimit() async throws {
        let (client, _) = client(
            .pieces([Data("{}\n{\"id\":1}\n".utf8)], fields: [.contentType: "application/jsonl"]))
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "log", method: .get)
        let posts = client.jsonLinesPublisher(for: request, decoding: Post.self, skipsMalformed: true)
        #expect(try await values(of: posts) == [Post(id: 1)])
        let limited = client.jsonLinesPublisher(
            for: request, decoding: Post.self, skipsMalformed: true, maximumLength: 3)
        let error = await #expect(throws: NetworkClientError.self) { try await values(of: limited) }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test func eventsAreReadByTheirOptions() async throws {
        let (client, _) = client(.events("data: {\"id\":1}\n"))
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "events", method: .get)
        var options = ServerSentEvents.Options()
        options.keepsUnfinishedEvent = true
        let events = try await values(of: client.eventsPublisher(for: request, options: options))
        #expect(events.map(\.data) == [#"{"id":1}"#])
        let posts = client.eventsPublisher(for: request, decoding: Post.self, options: options)
        #expect(try await values(of: posts) == [Post(id: 1)])
    }

    @Test func eventsAreDeliveredByDemand() async throws {
        let (client, transport) = client(.events("data: a\n\n", "data: b\n\ndata: c\n\n"))
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "events", method: .get)
        let recorder = Recorder<ServerSentEvent, any Error>(demand: .max(1))
        client.eventsPublisher(for: request).subscribe(recorder)
        var signals = recorder.signals.makeAsyncIterator()
        _ = await signals.next()
        await giveTurns()
        #expect(recorder.values.map(\.data) == ["a"])
        recorder.request(.unlimited)
        while await signals.next() != nil {}
        #expect(recorder.values.map(\.data) == ["a", "b", "c"])
        #expect(transport.requests.first?["Accept"] == "text/event-stream")
    }

    @Test func eventsAreDecodedUntilTheirEnd() async throws {
        let (client, _) = client(.events("data: {\"id\":1}\n\n", "data: [DONE]\n\n"))
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "events", method: .get)
        let posts = try await values(of: client.eventsPublisher(for: request, decoding: Post.self, until: "[DONE]"))
        #expect(posts == [Post(id: 1)])
    }
}
