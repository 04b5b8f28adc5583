// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

struct DecodedEventsTests {
    struct Chunk: Codable, Equatable {
        var text: String
    }

    /// Not Sendable, as an app's own models may be.
    final class Update {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private let request = PlainRequest(path: "chat", method: .post)

    private func client(_ pieces: String..., failure: (any Error)? = nil) -> NetworkClient {
        NetworkClient(
            ScriptedTransport(
                .pieces(
                    pieces.map { Data($0.utf8) }, fields: [.contentType: "text/event-stream"], failure: failure)))
    }

    /// As an app has it between its views and the client.
    actor Chat {
        private let client: NetworkClient
        private let request = PlainRequest(path: "chat", method: .post)

        init(_ client: NetworkClient) { self.client = client }

        func chunks() async throws -> sending DecodedEvents<Chunk> {
            try await client.events(for: request, decoding: Chunk.self)
        }

        func prices() throws -> sending DecodedEvents<Chunk> {
            try client.eventSource(for: request).decoding(Chunk.self)
        }
    }

    // MARK: Every event

    @Test func everyEventIsAModel() async throws {
        let client = client("data: {\"text\":\ndata: \"a\"}\n\n", ": beat\n\nevent: x\ndata: {\"text\":\"b\"}\n\n")
        let chunks = try await client.events(for: request, decoding: Chunk.self)
        #expect(chunks.response?.status == .ok)
        #expect(chunks.exchange?.attempts.count == 1)
        #expect(try await chunks.all() == [Chunk(text: "a"), Chunk(text: "b")])
    }

    @Test func anActorHandsThemToWhoReadsThem() async throws {
        let chat = Chat(client("data: {\"text\":\"a\"}\n\n"))
        #expect(try await chat.chunks().all() == [Chunk(text: "a")])
        #expect(try await chat.prices().all() == [Chunk(text: "a")])
    }

    @Test func textAndBytesAreTakenAsTheyAre() async throws {
        let client = client("data: a\ndata: b\n\ndata: [DONE]\n\n")
        #expect(try await client.events(for: request, decoding: String.self).all() == ["a\nb", "[DONE]"])
        #expect(try await client.events(for: request, decoding: String?.self).all() == ["a\nb", "[DONE]"])
        #expect(
            try await client.events(for: request, decoding: Data.self, until: "[DONE]").all() == [Data("a\nb".utf8)])
    }

    @Test func dataThatDoNotMatterAreNotDecoded() async throws {
        let client = client("event: ping\ndata\n\nevent: ping\ndata: hi\n\ndata: {\"text\":\"a\"}\n\n")
        let updates = EventDecoding<String>()
            .on("ping", decoding: VoidResponse.self) { _ in "ping" }
            .on("message", decoding: Chunk.self) { $0.text }
        #expect(try await client.events(for: request, decoding: updates).all() == ["ping", "ping", "a"])
        var request = request
        request.decoder = JSONKeyPathDecoder("text")
        #expect(try await client.events(for: request, decoding: VoidResponse.self).all().count == 3)
    }

    @Test func dataThatIsNoModelThrowsAndIsInTheError() async throws {
        let client = client("data: {\"text\":\"a\"}\n\ndata: {\"error\":\"busy\"}\n\n", "data: {\"text\":\"c\"}\n\n")
        var iterator = try await client.events(for: request, decoding: Chunk.self).makeAsyncIterator()
        #expect(try await iterator.next() == Chunk(text: "a"))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.response?.status == .ok)
        #expect(try error?.decode([String: String].self) == ["error": "busy"])
        #expect(try await iterator.next() == nil)
    }

    @Test func aHookIsToldOfDataThatIsNoModel() async throws {
        let failures = Recorder<NetworkClientError>()
        let response = TransportResponse(
            head: HTTPResponse(status: .ok), body: ResponseBody(Data("data: 1\n\ndata: x\n\n".utf8)))
        let numbers = ServerSentEvents(response).decoding(Int.self, until: .body, using: JSONDecoder()) {
            failures.add($0)
        }
        await #expect(throws: NetworkClientError.self) { _ = try await numbers.all() }
        #expect(failures.all.map(\.body) == [Data("x".utf8)])
    }

    @Test func aDecoderThatGoesByTheMediaTypeTakesTheDataForJSON() async throws {
        let transport = ScriptedTransport(
            .stream("data: {\"text\":\"é\"}\n\ndata: {\"error\":\"é\"}\n\n", "text/event-stream; charset=iso-8859-1"))
        var request = request
        request.decoder = DynamicContentTypeDecoder()
        var iterator = try await NetworkClient(transport).events(for: request, decoding: Chunk.self).makeAsyncIterator()
        #expect(try await iterator.next() == Chunk(text: "é"))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.response?.headerFields[.contentType] == "text/event-stream; charset=iso-8859-1")
        #expect(try error?.decode([String: String].self) == ["error": "é"])
    }

    @Test func aKeyPathLeadsIntoTheDataAlsoOfText() async throws {
        let client = client(
            "data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: {\"choices\":[{\"text\":\"b\"}]}\n\ndata: [DONE]\n\n")
        var request = request
        request.decoder = JSONKeyPathDecoder("choices.0.text")
        #expect(try await client.events(for: request, decoding: String.self, until: "[DONE]").all() == ["a", "b"])
    }

    @Test func aKeyPathBehindAMediaTypeLeadsIntoTextToo() async throws {
        var decoder = DynamicContentTypeDecoder()
        decoder.register(JSONKeyPathDecoder("text"), for: "application/json")
        var request = request
        request.decoder = decoder
        let client = client("data: {\"text\":\"a\"}\n\n")
        #expect(try await client.events(for: request, decoding: String.self).all() == ["a"])
        #expect(try await client.events(for: request, decoding: String?.self).all() == ["a"])
        let numbers = try await client.events(for: request, decoding: Int.self)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await numbers.all() }
        #expect(try error?.decode(String.self) == "a")
    }

    @Test func theRequestsDecoderWins() async throws {
        struct Shout: ResponseBodyDecoder {
            let acceptedContentTypes: [String] = []
            func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
                let text = String(decoding: data, as: UTF8.self).uppercased()
                return try JSONDecoder().decode(type, from: Data("{\"text\":\"\(text)\"}".utf8))
            }
        }
        var request = request
        request.decoder = Shout()
        #expect(try await client("data: a\n\n").events(for: request, decoding: Chunk.self).all() == [Chunk(text: "A")])
    }

    // MARK: The end

    @Test func theMarkEndsTheStream() async throws {
        let source = PiecesSource([Data("data: {\"text\":\"a\"}\n\ndata: [DONE]\n\n".utf8), Data("data: x\n\n".utf8)])
        let client = NetworkClient(ScriptedTransport(.events(from: source)))
        var iterator = try await client.events(for: request, decoding: Chunk.self, until: "[DONE]").makeAsyncIterator()
        #expect(try await iterator.next() == Chunk(text: "a"))
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func aNameCanBeTheMark() async throws {
        let client = client("data: a\n\nevent: message_stop\ndata: {}\n\ndata: b\n\n")
        let end = EventStreamEnd.event("message_stop", isRequired: true)
        #expect(try await client.events(for: request, decoding: String.self, until: end).all() == ["a"])
    }

    @Test func aMissingMarkIsAnErrorWhenItIsRequired() async throws {
        let client = client("data: a\n\n")
        #expect(try await client.events(for: request, decoding: String.self, until: "[DONE]").all() == ["a"])
        let required = try await client.events(
            for: request, decoding: String.self, until: .data("[DONE]", isRequired: true))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await required.all() }
        #expect(error?.code == .connectionLost)
        #expect(error?.response?.status == .ok)
        #expect(error?.exchange?.attempts.count == 1)
    }

    @Test func aBodyThatIsCutOffThrows() async throws {
        let client = client("data: a\n\n", failure: NetworkClientError(.connectionLost, "cut off"))
        var iterator = try await client.events(for: request, decoding: String.self, until: "[DONE]").makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
    }

    @Test func aFailureIsThrownOnce() async throws {
        let client = client("data: a\n\n", failure: NetworkClientError(.connectionLost, "cut off"))
        let end = EventStreamEnd.data("[DONE]", isRequired: true)
        var iterator = try await client.events(for: request, decoding: String.self, until: end).makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func leavingTheLoopCancelsTheTransfer() async throws {
        let source = PiecesSource([Data("data: a\n\n".utf8), Data("data: b\n\n".utf8)])
        let client = NetworkClient(ScriptedTransport(.events(from: source)))
        let texts = try await client.events(for: request, decoding: String.self)
        for try await _ in texts { break }
        #expect(source.isCancelled)
    }

    // MARK: By name

    private let named = """
        event: start
        data: {"text":"hello"}

        event: ping
        data: {"type": "ping"}

        data: plain

        event: delta
        data: 1

        event: stop
        data: no JSON

        event: delta
        data: 2


        """

    @Test func namesDecideTheModel() async throws {
        let table = EventDecoding<Update>()
            .on("start", decoding: Chunk.self) { Update("start \($0.text)") }
            .on("delta", decoding: Int.self) { $0 == 1 ? Update("delta \($0)") : nil }
            .until(.event("stop"))
        let updates = try await client(named).events(for: request, decoding: table)
        #expect(try await updates.all().map(\.text) == ["start hello", "delta 1"])
    }

    @Test func theOthersAreDecodedUnlessIgnored() async throws {
        let table = EventDecoding<String>()
            .on("delta", decoding: Int.self) { "\($0)" }
            .onOthers(decoding: String.self) { $0 }
            .ignoring("ping", "start")
        #expect(try await client(named).events(for: request, decoding: table).all() == ["plain", "1", "no JSON", "2"])
    }

    @Test func eventsWithoutANameAreMessages() async throws {
        let table = EventDecoding<String>().on("message", decoding: String.self) { $0 }
        #expect(try await client(named).events(for: request, decoding: table).all() == ["plain"])
    }

    @Test func whatTheTableThrowsEndsTheStream() async throws {
        struct Refused: Error {}
        let table = EventDecoding<String>().on("delta", decoding: Int.self) { _ in throw Refused() }
        var iterator = try await client(named).events(for: request, decoding: table).makeAsyncIterator()
        await #expect(throws: Refused.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}
