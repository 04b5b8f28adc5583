// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataTesting
import TestSupport
import Testing

struct APIStreamTests {
    @API
    struct FeedAPI {
        @EventStreaming @GET("/e") func accounts() async throws -> APIStream<Account>
        @EventStreaming @GET("/e") func pieces() async throws -> APIStream<Piece>
        @EventStreaming @GET("/e") func texts() async throws -> APIStream<String>
        @EventStreaming @GET("/e") func events() async throws -> APIStream<ServerSentEvent>
        @GET("/e") func bytes() async throws -> APIStream<Data>
        @EventStreaming(events: ["a", "error"]) @GET("/e") func named() async throws -> APIStream<String>
        @EventStreaming(events: ["a"]) @GET("/e") func namedEvents() async throws -> APIStream<ServerSentEvent>
        @EventStreaming(decoding: EventDecoding<Int>().on("a", decoding: String.self) { $0.count })
        @GET("/e") func lengths() async throws -> AsyncThrowingStream<Int, any Error>
        @EventStreaming @ErrorModel(PlainProblem.self) @GET("/e") func failing() async throws -> APIStream<Account>
    }

    private func api(_ reply: ScriptedReply) -> FeedAPI {
        FeedAPI(Provider(baseURL: "https://api.example", transport: ScriptedTransport(reply)))
    }

    @Test func hasWhatTheDeclarationSays() async throws {
        let reply = ScriptedReply.events("event: a\ndata: {\"id\": 1}\n\ndata: {\"id\": 2}\n\n")
        #expect(try await api(reply).accounts().all() == [Account(id: 1), Account(id: 2)])
        #expect(try await api(reply).texts().all() == ["{\"id\": 1}", "{\"id\": 2}"])
        #expect(try await api(reply).events().all().map(\.type) == ["a", "message"])
        #expect(try await api(reply).bytes().all().count == 1)
        #expect(try await api(reply).named().all() == ["{\"id\": 1}"])
        #expect(try await api(reply).namedEvents().all().map(\.type) == ["a"])
        #expect(try await api(reply).lengths().all() == [9])
    }

    @Test func theLoopOwnsTheTransferAndNotTheStream() async throws {
        let source = PiecesSource((1...100).map { Data("data: {\"id\": \($0)}\n\n".utf8) })
        let stream = try await api(.source(fields: [.contentType: "text/event-stream"]) { source }).accounts()
        for try await account in stream where account.id == 3 { break }
        #expect(source.isCancelled)
        #expect(source.remaining > 90)
        let error = await #expect(throws: NetworkClientError.self) { for try await _ in stream {} }
        #expect(error?.code == .bodyAlreadyConsumed)
    }

    @Test func aStreamWithoutALoopEndsItsTransfer() async throws {
        let source = PiecesSource([Data("data: x\n\n".utf8)])
        _ = try await api(.source(fields: [.contentType: "text/event-stream"]) { source }).accounts()
        #expect(source.isCancelled)
    }

    @Test func anEventNamedErrorIsAnErrorUnlessItIsNamed() async throws {
        let reply = ScriptedReply.events("event: error\ndata: {\"message\": \"m\"}\n\n")
        for work in [
            { _ = try await api(reply).accounts().all() }, { _ = try await api(reply).texts().all() },
            { _ = try await api(reply).namedEvents().all() }, { _ = try await api(reply).lengths().all() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: NetworkClientError.self) { try await work() }
            #expect(error?.code == .errorEvent)
            #expect(error?.body == Data("{\"message\": \"m\"}".utf8))
        }
        #expect(try await api(reply).named().all() == ["{\"message\": \"m\"}"])
        #expect(try await api(reply).events().all().map(\.type) == ["error"])
        await #expect(throws: PlainProblem(message: "m")) { _ = try await api(reply).failing().all() }
    }

    /// All of its properties may be missing.
    struct Piece: Decodable { var text: String? }

    @Test(
        arguments: ["application/json", "application/problem+json; charset=utf-8", "text/json"],
        [#"{"message": "m"}"#, "{\n  \"message\": \"m\"\n}\n", #"{"error": {"type": "x"}, "message": "m"}"#, "{}\n"])
    func whatAServerSaysInsteadOfAStreamIsAnError(_ type: String, _ text: String) async throws {
        let body = Data(text.utf8)
        let reply = ScriptedReply.pieces([body], fields: [.contentType: type])
        let essence = String(type.prefix { $0 != ";" })
        var works: [() async throws -> Void] = [
            { _ = try await api(reply).accounts() }, { _ = try await api(reply).pieces() },
            { _ = try await api(reply).events() }, { _ = try await api(reply).lengths() },
        ]
        // Every line is a text, except for an error.
        if text.contains("error") || text.contains("\n ") { works.append { _ = try await api(reply).texts() } }
        for work in works {
            let error = await #expect(throws: NetworkClientError.self) { try await work() }
            #expect(error?.code == .unacceptableContentType)
            #expect(error?.body == body)
            #expect(error?.message.hasPrefix("a stream of text/event-stream") == true)
            #expect(error?.message.hasSuffix("was asked for, and the response is of type \(essence)") == true)
        }
        if text.contains("message") {
            await #expect(throws: PlainProblem(message: "m")) { _ = try await api(reply).failing() }
        }
    }

    @Test func linesMayBeCalledJSON() async throws {
        let body = ScriptedReply.pieces(
            [Data("\n{\"text\":".utf8), Data("\"a\"}\n{}\n".utf8)], fields: [.contentType: "application/json"])
        #expect(try await api(body).pieces().all().map(\.text) == ["a", nil])
        let empty = ScriptedReply.pieces([], fields: [.contentType: "application/json"])
        #expect(try await api(empty).pieces().all().isEmpty)
    }

    @Test(arguments: ["application/x-ndjson", "application/json"])
    func linesHaveNoNamesToChooseFrom(type: String) async throws {
        let reply = ScriptedReply.text("\"a\"\n", fields: [.contentType: type])
        let error = await #expect(throws: NetworkClientError.self) { _ = try await api(reply).named() }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.body == Data("\"a\"\n".utf8))
    }

    @Test func linesOfTextHaveTheCharsetOfTheResponse() async throws {
        let line = Data([0x22, 0xFC, 0x22, 0x0A])
        let type = "application/x-ndjson; charset=ISO-8859-1"
        #expect(try await api(.pieces([line], fields: [.contentType: type])).texts().all() == ["\"ü\""])
        let unknown = ScriptedReply.pieces([line], fields: [.contentType: "application/x-ndjson; charset=Shift_JIS"])
        let error = await #expect(throws: NetworkClientError.self) { _ = try await api(unknown).texts().all() }
        #expect(error?.message.contains("Shift_JIS") == true)
    }

    @Test func anySequenceCanBeOne() async throws {
        let numbers = AsyncStream { continuation in
            for number in 1...3 { continuation.yield(number) }
            continuation.finish()
        }
        #expect(try await APIStream(numbers).all() == [1, 2, 3])
    }
}
