// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

struct JSONLinesTests {
    struct Entry: Codable, Equatable {
        var id: Int
        var text: String?
    }

    private let request = PlainRequest(path: "export", method: .get)

    private func entries(_ reply: ScriptedReply, skipsMalformed: Bool = false) async throws -> [Entry] {
        try await NetworkClient(ScriptedTransport(reply)).jsonLines(
            for: request, decoding: Entry.self, skipsMalformed: skipsMalformed
        ).all()
    }

    // MARK: Lines

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func everyLineIsAModel(_ rechunking: Rechunking) async throws {
        let text = "\u{FEFF}{\"id\":1}\n\r\n \t\n{\"id\":\r2,\"text\":\"\u{2028}\\n\"}\r\n{\"id\":3}"
        for reply in ScriptedReply.stream(text, "application/x-ndjson").rechunked(rechunking) {
            #expect(
                try await entries(reply) == [Entry(id: 1), Entry(id: 2, text: "\u{2028}\n"), Entry(id: 3)])
        }
    }

    @Test func elementsThatAreAnyJSONAreReadAsThoseOfAWholeBody() async throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let text = "\(deep)\n\n\(String(repeating: "7", count: 200))\nnull\n{\"a\":1,\"a\":2}"
        let client = NetworkClient(ScriptedTransport(.stream(text, "application/jsonl")))
        let streamed = try await client.jsonLines(for: request, decoding: JSONValue.self).all()
        #expect(streamed.count == 4)
        #expect(try JSONLinesDecoder().decode([JSONValue].self, from: Data(text.utf8)) == streamed)
    }

    @Test(arguments: [
        "application/jsonl", "application/x-ndjson", "application/json", "Application/JSON; charset=utf-8",
        "application/stream+json", "text/plain", "application/octet-stream", nil,
    ])
    func theNamesThatServersGiveIt(_ contentType: String?) async throws {
        #expect(try await entries(.stream("{\"id\":1}\n", contentType)) == [Entry(id: 1)])
    }

    @Test(arguments: ["application/jsonl", "application/json", "text/plain; charset=utf-8", nil])
    func aDecoderThatGoesByTheMediaTypeTakesEachForJSON(_ contentType: String?) async throws {
        var request = request
        request.decoder = DynamicContentTypeDecoder()
        let client = NetworkClient(ScriptedTransport(.stream("{\"id\":1}\n", contentType)))
        #expect(try await client.jsonLines(for: request, decoding: Entry.self).all() == [Entry(id: 1)])
    }

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func aByteOrderMarkAtTheStartIsPassedOver(_ rechunking: Rechunking) async throws {
        for (text, contentType) in [
            ("\u{FEFF}123\n456", "application/jsonl"), ("\u{FEFF}\u{1E}123\n\u{1E}456\n", "application/json-seq"),
        ] {
            for reply in ScriptedReply.stream(text, contentType).rechunked(rechunking) {
                let client = NetworkClient(ScriptedTransport(reply))
                let numbers = try await client.jsonLines(for: request, decoding: Int.self, maximumLength: 3)
                #expect(try await numbers.all() == [123, 456])
            }
        }
    }

    @Test func textAndBytesAreTakenAsTheyAre() async throws {
        let client = NetworkClient(ScriptedTransport(.stream("\"a\"\nnull\n", "application/jsonl")))
        #expect(try await client.jsonLines(for: request, decoding: String.self).all() == ["\"a\"", "null"])
        #expect(try await client.jsonLines(for: request, decoding: String?.self).all() == ["\"a\"", "null"])
        let data = [Data("\"a\"".utf8), Data("null".utf8)]
        #expect(try await client.jsonLines(for: request, decoding: Data.self).all() == data)
        #expect(try await client.jsonLines(for: request, decoding: Data?.self).all() == data as [Data?])
    }

    @Test func theCharsetHoldsForTextToo() async throws {
        let transport = ScriptedTransport(
            .pieces([Data([0x63, 0xE9, 0x0A])], fields: [.contentType: "application/jsonl; charset=iso-8859-1"]))
        #expect(try await NetworkClient(transport).jsonLines(for: request, decoding: String.self).all() == ["cé"])
    }

    @Test func aKeyPathBehindAMediaTypeLeadsIntoTextToo() async throws {
        var decoder = DynamicContentTypeDecoder()
        decoder.register(JSONKeyPathDecoder("text"), for: "application/json")
        var request = request
        request.decoder = decoder
        let client = NetworkClient(ScriptedTransport(.stream("{\"text\":\"YQ==\"}\n", "application/jsonl")))
        #expect(try await client.jsonLines(for: request, decoding: String.self).all() == ["YQ=="])
        #expect(try await client.jsonLines(for: request, decoding: Data.self).all() == [Data("a".utf8)])
    }

    @Test(arguments: ["text/html", "text/event-stream", "image/png"])
    func anotherTypeThrowsFromTheCall(_ contentType: String) async throws {
        let client = NetworkClient(ScriptedTransport(.stream("<p>Sign in</p>", contentType)))
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await client.jsonLines(for: request, decoding: Entry.self)
        }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.body == Data("<p>Sign in</p>".utf8))
        #expect(error?.exchange?.attempts.count == 1)
    }

    @Test func modelsAreGivenOutBeforeTheNextPieceIsPulled() async throws {
        let source = PiecesSource([Data("{\"id\":1}\n{\"id\":2}\n".utf8), Data("{\"id\":3}\n".utf8)])
        let transport = ScriptedTransport(.events(from: source, contentType: "application/jsonl"))
        let lines = try await NetworkClient(transport).jsonLines(for: request, decoding: Entry.self)
        var iterator = lines.makeAsyncIterator()
        #expect(try await iterator.next() == Entry(id: 1))
        #expect(try await iterator.next() == Entry(id: 2))
        #expect(source.remaining == 1)
        #expect(try await iterator.next() == Entry(id: 3))
        #expect(transport.requests.first?["accept"]?.hasPrefix("application/jsonl, application/x-ndjson") == true)
    }

    @Test func aLineThatIsNoModelThrowsWithItsBytes() async throws {
        let client = NetworkClient(
            ScriptedTransport(.stream("{\"id\":1}\n{\"id\":\"x\"}\n{\"id\":3}\n", "application/jsonl")))
        var iterator = try await client.jsonLines(for: request, decoding: Entry.self).makeAsyncIterator()
        #expect(try await iterator.next() == Entry(id: 1))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.body == Data("{\"id\":\"x\"}".utf8))
        #expect(error?.cause != nil)
        #expect(try error?.decode([String: String].self) == ["id": "x"])
        #expect(try await iterator.next() == nil)
    }

    @Test func malformedLinesArePassedOverWhenTold() async throws {
        let reply = ScriptedReply.stream("{\"id\":1}\n{\"id\":\n\n{\"id\":3}\n", "application/jsonl")
        #expect(try await entries(reply, skipsMalformed: true) == [Entry(id: 1), Entry(id: 3)])
    }

    @Test func theClientIsToldOfAFailure() async throws {
        let messages = Recorder<NetworkClientError>()
        var configuration = NetworkClient(ScriptedTransport(.stream("1\nx\n", "application/jsonl"))).configuration
        configuration.onDecodingFailure = { messages.add($0) }
        let lines = try await NetworkClient(configuration: configuration).jsonLines(for: request, decoding: Int.self)
        await #expect(throws: NetworkClientError.self) { _ = try await lines.all() }
        #expect(messages.all.map(\.code) == [.decodingFailed])
    }

    @Test func aHookIsToldOfATextThatIsNoModel() async throws {
        let failures = Recorder<NetworkClientError>()
        let response = TransportResponse(
            head: HTTPResponse(status: .ok), body: ResponseBody(Data("1\nx\n".utf8)))
        let numbers = JSONLines(response, decoding: Int.self, using: JSONDecoder()) { failures.add($0) }
        await #expect(throws: NetworkClientError.self) { _ = try await numbers.all() }
        #expect(failures.all.map(\.body) == [Data("x".utf8)])
    }

    @Test func aBodyThatIsCutOffThrowsBehindItsModels() async throws {
        let reply = ScriptedReply.pieces(
            [Data("{\"id\":1}\n{\"id\":2".utf8)], fields: [.contentType: "application/jsonl"],
            failure: NetworkClientError(.connectionLost, "cut off"))
        var iterator = try await NetworkClient(ScriptedTransport(reply))
            .jsonLines(for: request, decoding: Entry.self).makeAsyncIterator()
        #expect(try await iterator.next() == Entry(id: 1))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.code == .connectionLost)
    }

    // MARK: Text sequences (RFC 7464)

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func aTextSequenceIsReadAsSuch(_ rechunking: Rechunking) async throws {
        let text =
            "\u{1E}{\"id\":1}\n\u{1E}\u{1E}\n\u{1E}{\n \"id\": 2,\n \"text\": \"}\\\"\u{20AC}\"\n}\n\u{1E}{\"id\":3}"
        for reply in ScriptedReply.stream(text, "application/json-seq").rechunked(rechunking) {
            #expect(try await entries(reply) == [Entry(id: 1), Entry(id: 2, text: "}\"\u{20AC}"), Entry(id: 3)])
        }
    }

    @Test func aTextIsGivenOutAtItsLineFeed() async throws {
        let source = PiecesSource([Data("\u{1E}{\n\"id\":1}\n".utf8), Data("\u{1E}{\"id\":2}\n".utf8)])
        let transport = ScriptedTransport(.events(from: source, contentType: "application/geo+json-seq"))
        var iterator = try await NetworkClient(transport).jsonLines(for: request, decoding: Entry.self)
            .makeAsyncIterator()
        #expect(try await iterator.next() == Entry(id: 1))
        #expect(source.remaining == 1)
    }

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func aTruncatedTextIsNoModel(_ rechunking: Rechunking) async throws {
        // A number that lost its end still is a number: only what follows it tells (§2.4).
        let text = "\u{1E}1\n\u{1E}23\u{1E}[\n\u{1E}4 \u{1E}\"\n\u{1E}5\n\u{1E}6"
        for reply in ScriptedReply.stream(text, "application/json-seq").rechunked(rechunking) {
            let client = NetworkClient(ScriptedTransport(reply))
            let skipping = try await client.jsonLines(for: request, decoding: Int.self, skipsMalformed: true)
            #expect(try await skipping.all() == [1, 4, 5])
            var iterator = try await client.jsonLines(for: request, decoding: Int.self).makeAsyncIterator()
            #expect(try await iterator.next() == 1)
            let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
            #expect(error?.code == .decodingFailed)
            #expect(error?.body == Data("23".utf8))
        }
    }

    @Test func aTextOverTheLimitIsAnError() async throws {
        for (text, contentType) in [
            ("\u{1E}[1,\n2,\n3]\n", "application/json-seq"), ("[1, 2, 3]\n", "application/jsonl"),
        ] {
            let client = NetworkClient(ScriptedTransport(.stream(text, contentType)))
            let lines = try await client.jsonLines(for: request, decoding: [Int].self, maximumLength: 7)
            let error = await #expect(throws: NetworkClientError.self) { _ = try await lines.all() }
            #expect(error?.code == .bodyTooLarge)
        }
    }
}
