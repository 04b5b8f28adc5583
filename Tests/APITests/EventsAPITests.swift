// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataStreaming
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct EventsAPITests {
    private func api(_ reply: ScriptedReply) -> EventsAPI {
        EventsAPI(Provider(baseURL: "https://api.example", transport: ScriptedTransport(reply)))
    }

    @Test func modelsEndBeforeDone() async throws {
        let stream = try await api(.events("data: {\"id\": 1}\n\ndata: {\"id\"", ": 2}\n\ndata: [DONE]\n\n")).models()
        #expect(try await stream.all() == [Account(id: 1), Account(id: 2)])
    }

    @Test func textsAreTheDataOfEachEvent() async throws {
        let reply = ScriptedReply.events(": c\nevent: x\nid: 3\ndata: a\ndata: b\n\ndata:\n\ndata: [DONE]\n\ndata: cut")
        #expect(try await api(reply).texts().all() == ["a\nb", "", "[DONE]"])
        #expect(try await api(reply).untilDone().all() == ["a\nb", ""])
    }

    @Test func textsAreTheSameWhenSomeOtherTypeHasAKeyPath() async throws {
        var decoder = DynamicContentTypeDecoder()
        decoder.register(JSONKeyPathDecoder("token"), for: "application/vnd.token+json")
        let transport = ScriptedTransport(
            .events("data: hello\n\ndata: [DONE]\n\n"),
            .pieces([Data("hello\n{}".utf8)], fields: [.contentType: "application/x-ndjson"]))
        let api = EventsAPI(
            Provider(baseURL: "https://api.example", transport: transport) { $0.defaultDecoder = decoder })
        #expect(try await api.texts().all() == ["hello", "[DONE]"])
        #expect(try await api.texts().all() == ["hello", "{}"])
    }

    @Test func eventsKeepTheirNames() async throws {
        let events = try await api(.events("event: x\nid: 3\ndata: a\n\ndata: b\n\n")).events().all()
        #expect(events.map(\.type) == ["x", "message"])
        #expect(events.map(\.lastEventID) == ["3", "3"])
    }

    @MainActor @Test func modelsAreDecodedWhereTheEndpointWasCalled() async throws {
        let lines = ScriptedReply.pieces([Data("1\n2\n".utf8)], fields: [.contentType: "application/x-ndjson"])
        for reply in [.events("data: 1\n\ndata: 2\n\n"), lines] {
            let api = TicketsAPI(Provider(baseURL: "https://api.example", transport: ScriptedTransport(reply)))
            #expect(try await api.tickets().all().map(\.id) == [1, 2])
            #expect(try await api.silent().all().map(\.id) == [1, 2])
        }
    }

    @Test func eventsMayNotEndWithoutTheirRequiredEnd() async throws {
        let whole = try await api(.events("data: a\n\nevent: stop\ndata: b\n\n")).eventsUntilStop().all()
        #expect(whole.map(\.data) == ["a"])
        var seen: [String] = []
        let error = await #expect(throws: NetworkClientError.self) {
            for try await event in try await api(.events("data: a\n\n")).eventsUntilStop() { seen.append(event.data) }
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.response?.status == .ok)
        #expect(error?.exchange?.attempts.count == 1)
        #expect(seen == ["a"])
        #expect(try await api(.status(204)).eventsUntilStop().all().isEmpty)
    }

    @Test func theEndIsTheFunctionsElseTheTypes() async throws {
        let reply = ScriptedReply.events("data: a\n\ndata: [END]\n\ndata: b\n\n")
        let chats = ChatsAPI(Provider(baseURL: "https://api.example", transport: ScriptedTransport(reply)))
        #expect(try await chats.texts(nickName: "n").all() == ["a"])
        #expect(try await chats.allTexts(nickName: "n").all() == ["a", "[END]", "b"])
    }

    @Test func linesAreElementsToo() async throws {
        for type in [
            "application/json", "application/stream+json", "application/x-ndjson", "application/jsonl; charset=utf-8",
        ] {
            let pieces = [Data("{\"id\": 1}\n\n{\"i".utf8), Data("d\": 2}".utf8)]
            let reply = ScriptedReply.pieces(pieces, fields: [.contentType: type])
            #expect(try await api(reply).models().all() == [Account(id: 1), Account(id: 2)])
            #expect(try await api(reply).texts().all() == ["{\"id\": 1}", "", "{\"id\": 2}"])
        }
    }

    @Test func textsOfASequenceAreWholeAndWithoutTheirSeparators() async throws {
        for type in ["application/json-seq", "application/geo+json-seq"] {
            let text = "\u{1E}{\"a\":\n1}\n\u{1E}\"b\"\n\u{1E}2\n"
            let reply = ScriptedReply.pieces([Data(text.utf8)], fields: [.contentType: type])
            #expect(try await api(reply).texts().all() == ["{\"a\":\n1}", "\"b\"", "2"])
        }
    }

    @Test func aTextOfASequenceThatIsCutOffIsNone() async throws {
        let reply = ScriptedReply.pieces(
            [Data("\u{1E}1\n\u{1E}[2".utf8)], fields: [.contentType: "application/json-seq"])
        var seen: [String] = []
        let error = await #expect(throws: NetworkClientError.self) {
            for try await text in try await api(reply).texts() { seen.append(text) }
        }
        #expect(error?.code == .decodingFailed)
        #expect(seen == ["1"])
    }

    @Test func aCarriageReturnInsideOfALineDoesNotEndIt() async throws {
        let reply = ScriptedReply.pieces(
            [Data("{\"a\":\r1}\n\r\n{}\r\n[]\r".utf8)], fields: [.contentType: "application/x-ndjson"])
        #expect(try await api(reply).texts().all() == ["{\"a\":\r1}", "", "{}", "[]"])
    }

    @Test func bytesComeAsTheyArrive() async throws {
        let reply = ScriptedReply.pieces([Data([1]), Data([2, 3])], fields: [.contentType: "video/mp4"])
        #expect(try await api(reply).bytes().all() == [Data([1]), Data([2, 3])])
        #expect(try await api(reply).all(Data.self).all() == [Data([1]), Data([2, 3])])
    }

    @Test func aKeyPathLeadsIntoEachElement() async throws {
        let transport = ScriptedTransport(
            .events("data: {\"delta\": {\"text\": \"a\"}}\n\ndata: {\"delta\": {}}\n\ndata: [DONE]\n\n"))
        let api = EventsAPI(Provider(baseURL: "https://api.example", transport: transport))
        #expect(try await api.deltas(prompt: "p").all() == ["a", nil])
        #expect(transport.requests.first?.text == #"{"prompt":"p"}"#)
        #expect(transport.requests.first?["accept"] == "text/event-stream")
    }

    @Test func anEventWithoutTheElementOfTheKeyPathIsNil() async throws {
        let reply = ScriptedReply.events(
            "data: {\"choices\": []}\n\ndata: {\"choices\": [{\"delta\": {\"content\": \"a\"}}]}\n\n"
                + "data: {\"choices\": [{\"delta\": {}}]}\n\ndata: {\"choices\": [], \"usage\": {}}\n\ndata: [DONE]\n\n"
        )
        #expect(try await api(reply).choices(prompt: "p").all() == [nil, "a", nil, nil])
    }

    @Test func aWrongStatusOrTypeIsThrownByTheCall() async throws {
        let status = await #expect(throws: NetworkClientError.self) { _ = try await api(.status(500)).silent() }
        #expect(status?.code == .unacceptableStatus)
        let type = await #expect(throws: NetworkClientError.self) {
            _ = try await api(.status(200, fields: [.contentType: "text/html"], body: Data("<p>".utf8))).texts()
        }
        #expect(type?.code == .unacceptableContentType)
        #expect(type?.body == Data("<p>".utf8))
        for reply in [.text("data: a\n\n"), ScriptedReply.status(200, body: Data("data: a\n\n".utf8))] {
            let error = await #expect(throws: NetworkClientError.self) { _ = try await api(reply).texts() }
            #expect(error?.code == .unacceptableContentType)
        }
        let noEvents = await #expect(throws: NetworkClientError.self) { _ = try await api(.json("{}")).events() }
        #expect(noEvents?.code == .unacceptableContentType)
        await #expect(throws: PlainProblem(message: "m")) {
            _ = try await api(.json(#"{"message": "m"}"#, status: 429)).failing()
        }
    }

    @Test func isCancelledWhileItReadsABodyOfAnotherType() async {
        let (hangs, hang) = AsyncStream.makeStream(of: Void.self)
        let api = api(.source(fields: [.contentType: "text/html"]) { HangingSource { hang.finish() } })
        let call = Task { _ = try await api.texts() }
        for await _ in hangs {}
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func noContentIsNoElement() async throws {
        #expect(try await api(.status(204)).texts().all() == [])
        #expect(try await api(.status(204)).events().all().isEmpty)
    }

    @Test func anErrorNamesTheTextThatWasAskedFor() async throws {
        let reply = ScriptedReply.events("data: {\"delta\": {\"text\": 3}}\n\n")
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await api(reply).deltas(prompt: "p").all()
        }
        let place = "delta.text: expected String, found a number (line 1, column 20)"
        #expect(error?.message == "an element of the stream could not be decoded as Optional<String>: \(place)")
    }

    @Test func aBrokenElementIsThrownOrEndsTheStream() async throws {
        let reply = ScriptedReply.events("data: {\"id\": 1}\n\ndata: {\n\ndata: {\"id\": 3}\n\n")
        var seen: [Account] = []
        let error = await #expect(throws: NetworkClientError.self) {
            for try await account in try await api(reply).models() { seen.append(account) }
        }
        #expect(error?.code == .decodingFailed)
        #expect(seen == [Account(id: 1)])

        let log = LogRecorder()
        var provider = Provider(baseURL: "https://api.example", transport: ScriptedTransport(reply))
        provider.logger = log.logger
        #expect(try await EventsAPI(provider).silent().all() == [Account(id: 1)])
        #expect(log.messages.count == 1)
    }

    @Test(arguments: [("text/event-stream", "data: {}\n\n"), ("application/x-ndjson", "{}\n")])
    func theClientIsToldOfAnElementThatIsNoModel(type: String, text: String) async throws {
        let told = Mutex<[Data?]>([])
        let hook: @Sendable (NetworkClientError) -> Void = { failure in told.withLock { $0.append(failure.body) } }
        let transport = ScriptedTransport(.pieces([Data(text.utf8)], fields: [.contentType: type]))
        let provider = Provider(baseURL: "https://api.example", transport: transport) { $0.onDecodingFailure = hook }
        await #expect(throws: NetworkClientError.self) { try await EventsAPI(provider).models().all() }
        #expect(told.withLock { $0 } == [Data("{}".utf8)])
    }

    @Test func eventsAndLinesAreReadByTheirOptions() async throws {
        #expect(try await api(.events("data: a\n\ndata: cut\n")).brief().all() == ["a", "cut"])
        let line = Data("a line that is too long\n".utf8)
        for reply in [
            .events("data: an event that is too long\n\n"),
            ScriptedReply.pieces([line], fields: [.contentType: "application/jsonl"]),
        ] {
            let error = await #expect(throws: NetworkClientError.self) { try await api(reply).brief().all() }
            #expect(error?.code == .bodyTooLarge)
        }
    }

    @Test func leavingTheLoopCancelsTheTransfer() async throws {
        let pieces = (1...100).map { Data("data: {\"id\": \($0)}\n\n".utf8) }
        let source = PiecesSource(pieces)
        let transport = ScriptedTransport(.source(fields: [.contentType: "text/event-stream"]) { source })
        let api = EventsAPI(Provider(baseURL: "https://api.example", transport: transport))
        for try await account in try await api.models() where account.id == 3 { break }
        #expect(source.isCancelled)
        // Pulled, not buffered.
        #expect(source.remaining > 90)
    }

    @Test func aStreamHasOnlyTheTimeoutsThatItSets() async throws {
        let transport = ScriptedTransport(.events("data: a\n\n"))
        let provider = Provider(baseURL: "https://api.example", transport: transport) {
            $0.options.timeouts = Timeouts(
                connect: .seconds(1), idle: .seconds(2), attempt: .seconds(3), deadline: .seconds(4))
        }
        _ = try await EventsAPI(provider).failing().all()
        let timeouts = try #require(transport.requests.first?.options.timeouts)
        #expect(timeouts == Timeouts(connect: .seconds(1), idle: .seconds(9), attempt: nil, deadline: nil))
    }

    @Test(arguments: [200, 500]) func aBodyThatIsNoStreamHoldsNobodyUp(status: Int) async throws {
        let clock = VirtualClock()
        let source = HangingSource("no") { clock.advance(by: .seconds(1)) }
        let transport = ScriptedTransport(.source(status: status, fields: [.contentType: "image/png"]) { source })
        let api = EventsAPI(
            Provider(baseURL: "https://api.example", transport: transport) {
                $0.clock = clock
                $0.options.timeouts.idle = nil
            })
        let error = await #expect(throws: NetworkClientError.self) { _ = try await api.models() }
        #expect(error?.code == (status == 200 ? .unacceptableContentType : .unacceptableStatus))
        #expect(source.isCancelled && clock.now == .seconds(1))
    }
}
