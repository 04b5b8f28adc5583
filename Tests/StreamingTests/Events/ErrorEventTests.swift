// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

/// What a server says went wrong after the stream has begun.
struct ErrorEventTests {
    /// Every property may be missing.
    struct Piece: Decodable, Equatable {
        var text: String?
        var id: Int?
    }

    struct Problem: Decodable, Equatable { var type: String }
    struct Envelope: Decodable, Equatable { var error: Problem }

    private let overloaded = #"{"error": {"type": "overloaded"}}"#

    private func client(_ text: String, _ type: String = "text/event-stream") -> NetworkClient {
        NetworkClient(ScriptedTransport(.stream(text, type)))
    }

    /// The elements that came, and the error that ended them.
    private func read<Elements: AsyncSequence>(
        _ elements: Elements
    ) async -> (elements: [Elements.Element], error: NetworkClientError?) {
        var seen: [Elements.Element] = []
        do {
            for try await element in elements { seen.append(element) }
            return (seen, nil)
        } catch {
            return (seen, error as? NetworkClientError)
        }
    }

    @Test func anEventNamedErrorEndsTheStreamWithItsData() async throws {
        let client = client("data: {\"text\": \"a\"}\n\nevent: error\ndata: \(overloaded)\n\ndata: {}\n\n")
        let (pieces, error) = await read(
            try await client.events(for: PlainRequest(path: "e", method: .get), decoding: Piece.self))
        #expect(pieces == [Piece(text: "a")])
        #expect(error?.code == .errorEvent)
        #expect(error?.body == Data(overloaded.utf8))
        #expect(error?.response?.status == .ok)
        #expect(error?.exchange?.attempts.count == 1)
        #expect(try error?.decode(Envelope.self) == Envelope(error: Problem(type: "overloaded")))
        #expect(error?.description.contains("overloaded") == false)
    }

    @Test func itIsReadAsAWholeWhateverTheKeyPathOfTheElements() async throws {
        var request = PlainRequest(path: "e", method: .get)
        request.decoder = JSONKeyPathDecoder("delta.text")
        let (_, error) = await read(
            try await client("event: error\ndata: \(overloaded)\n\n").events(for: request, decoding: String?.self))
        #expect(try error?.decode(Envelope.self).error.type == "overloaded")
    }

    @Test func aTableTakesItOrDropsIt() async throws {
        let client = client("event: error\ndata: \(overloaded)\n\nevent: text\ndata: {\"text\": \"a\"}\n\n")
        let request = PlainRequest(path: "e", method: .get)
        let table = EventDecoding<String>().on("text", decoding: Piece.self) { $0.text }
        #expect(await read(try await client.events(for: request, decoding: table)).error?.code == .errorEvent)
        let others = table.onOthers(decoding: Piece.self) { $0.text ?? "other" }
        #expect(await read(try await client.events(for: request, decoding: others)).error?.code == .errorEvent)
        let taking = table.on("error", decoding: Envelope.self) { $0.error.type }
        #expect(try await client.events(for: request, decoding: taking).all() == ["overloaded", "a"])
        #expect(try await client.events(for: request, decoding: table.ignoring("error")).all() == ["a"])
    }

    @Test func aLoopOverTheEventsThemselvesGetsIt() async throws {
        let events = try await client("event: error\ndata: x\n\n").events(for: PlainRequest(path: "e", method: .get))
        #expect(try await events.all().map(\.type) == ["error"])
    }

    @Test(
        arguments: ["text/event-stream", "application/x-ndjson"],
        [
            (#"{"error": {"type": "overloaded"}}"#, true), (#"{"code": 3, "error": "busy"}"#, true),
            // The model reads a part of these, or there is no error in them.
            (#"{"error": "busy", "id": 3}"#, false), (#"{"error": null}"#, false), (#"{"message": "error"}"#, false),
            (#"{"nested": {"error": 1}}"#, false), ("{}", false),
        ])
    func anErrorObjectIsNoEmptyElement(_ type: String, _ element: (text: String, isError: Bool)) async throws {
        let isEvent = type == "text/event-stream"
        let client = client(isEvent ? "data: \(element.text)\n\n" : "\(element.text)\n", type)
        let request = PlainRequest(path: "e", method: .get)
        func outcome<Model: Decodable>(_ model: Model.Type) async throws -> (count: Int, error: NetworkClientError?) {
            if isEvent {
                let (elements, error) = await read(try await client.events(for: request, decoding: model))
                return (elements.count, error)
            }
            let (elements, error) = await read(try await client.jsonLines(for: request, decoding: model))
            return (elements.count, error)
        }
        for (count, error) in [try await outcome(Piece.self), try await outcome(Piece?.self)] {
            #expect(count == (element.isError ? 0 : 1))
            #expect(error?.code == (element.isError ? .errorEvent : nil))
            #expect(error?.body == (element.isError ? Data(element.text.utf8) : nil))
        }
        // These take every member.
        #expect(try await outcome(JSONValue.self).count == 1)
        #expect(try await outcome([String: JSONValue].self).count == 1)
    }

    @Test func anErrorObjectIsNoMissingElementOfAKeyPath() async throws {
        var request = PlainRequest(path: "e", method: .get)
        request.decoder = JSONKeyPathDecoder("delta.text")
        let text = "data: {\"delta\": {}}\n\ndata: \(overloaded)\n\n"
        let (pieces, error) = await read(try await client(text).events(for: request, decoding: Piece?.self))
        #expect(pieces == [nil])
        #expect(error?.code == .errorEvent)
    }

    @Test(arguments: ["[DONE]", "[DONE] ", "[DONE]\t "]) func blanksBehindTheEndMarkDoNotMatter(_ mark: String)
        async throws
    {
        let client = client("data: {\"id\": 1}\n\ndata: \(mark)\n\ndata: {\"id\": 2}\n\n")
        let pieces = try await client.events(
            for: PlainRequest(path: "e", method: .get), decoding: Piece.self, until: .data("[DONE]", isRequired: true))
        #expect(try await pieces.all() == [Piece(id: 1)])
    }

    @Test(arguments: ["[DONE]x", " [DONE]", "[DONE]\n", "[DON"]) func otherTextIsNoEndMark(_ data: String) {
        #expect(!EventStreamEnd.data("[DONE]").matches(ServerSentEvent(data: data)))
    }

    @Test func aStreamOfTheWrongTypeNamesBoth() async throws {
        let page = client("<html>", "text/html; charset=utf-8")
        let request = PlainRequest(path: "e", method: .get)
        let events = await #expect(throws: NetworkClientError.self) { _ = try await page.events(for: request) }
        #expect(events?.message == "a stream of text/event-stream was asked for, and the response is of type text/html")
        #expect(events?.body == Data("<html>".utf8))
        let lines = await #expect(throws: NetworkClientError.self) {
            _ = try await page.jsonLines(for: request, decoding: Piece.self)
        }
        #expect(lines?.message == "a stream of JSON Lines was asked for, and the response is of type text/html")
        let untyped = NetworkClient(ScriptedTransport(.stream("", nil)))
        let none = await #expect(throws: NetworkClientError.self) { _ = try await untyped.events(for: request) }
        #expect(none?.message == "a stream of text/event-stream was asked for, and the response is of no type")
    }
}

/// What a server sends behind the event that ends a stream.
struct StreamRestTests {
    private let request = PlainRequest(path: "e", method: .get)
    private let mark = Data("data: 1\n\ndata: [DONE]\n\n".utf8)

    /// By a clock that never moves on: only bytes count.
    private func read(_ source: any BodySource) async throws -> [Int] {
        let client = NetworkClient(ScriptedTransport(.events(from: source)), clock: StuckClock {})
        return try await client.events(for: request, decoding: Int.self, until: .data("[DONE]", isRequired: true)).all()
    }

    @Test func aShortRestIsReadSoThatTheConnectionIsFree() async throws {
        let source = PiecesSource([mark, Data(": bye\n".utf8), Data("data: 2\n\n".utf8)])
        #expect(try await read(source) == [1])
        #expect(source.remaining == 0)
        #expect(!source.isCancelled)
    }

    @Test func aLongRestIsCancelled() async throws {
        let source = PiecesSource([mark] + [Data](repeating: Data(count: 100_000), count: 9))
        #expect(try await read(source) == [1])
        #expect(source.isCancelled)
        #expect(source.remaining == 6)
    }

    @Test func aRestThatDoesNotComeIsNotWaitedFor() async throws {
        let clock = VirtualClock()
        let source = HangingSource { clock.advance(by: .milliseconds(100)) }
        await ResponseBody(source: source).makeAsyncIterator()
            .discardRest(clock: clock, patience: .milliseconds(100))
        #expect(clock.now >= .milliseconds(100))
    }

    /// By a clock that never moves on, only the end of the body ends the wait.
    @Test func theEndOfTheBodyEndsTheWait() async throws {
        let source = PiecesSource([Data("rest".utf8)])
        await ResponseBody(source: source).makeAsyncIterator()
            .discardRest(clock: StuckClock {}, patience: .milliseconds(100))
        #expect(source.remaining == 0)
        #expect(!source.isCancelled)
    }

    @Test func aLoopThatIsLeftBeforeTheMarkCancels() async throws {
        let source = PiecesSource([Data("data: 1\n\n".utf8), mark])
        let client = NetworkClient(ScriptedTransport(.events(from: source)))
        for try await _ in try await client.events(for: request, decoding: Int.self, until: "[DONE]") { break }
        #expect(source.isCancelled)
        #expect(source.remaining == 1)
    }
}
