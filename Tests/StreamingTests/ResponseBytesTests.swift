// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct ResponseBytesTests {
    private let request = PlainRequest(path: "blob", method: .get)

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func areTheBytesOfTheBody(_ rechunking: Rechunking) async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        for reply in ScriptedReply.pieces([bytes]).rechunked(rechunking) {
            let transport = ScriptedTransport(reply)
            #expect(try await NetworkClient(transport).bytes(for: request).all() == Array(bytes))
            #expect(transport.requests.first?["accept"] == "*/*")
        }
    }

    @Test func anEmptyPieceIsNotTheEnd() async throws {
        final class Gaps: BodySource {
            private let pieces = Mutex([Data([1]), Data(), Data([2, 3]), Data(), Data()])
            func next() -> Data? { pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
            func cancel() {}
        }
        let response = TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(source: Gaps()))
        var iterator = ResponseBytes(response).makeAsyncIterator()
        for byte in [UInt8?(1), 2, 3, nil, nil] { #expect(try await iterator.next() == byte) }
    }

    @Test func leavingTheLoopCancelsTheTransfer() async throws {
        let source = PiecesSource([Data([1, 2]), Data([3])])
        let bytes = try await NetworkClient(ScriptedTransport(.events(from: source))).bytes(for: request)
        for try await byte in bytes where byte == 1 { break }
        #expect(source.isCancelled)
        #expect(source.remaining == 1)
    }

    @Test func aBodyThatIsCutOffThrowsBehindItsBytes() async throws {
        let failure = NetworkClientError(.connectionLost, "cut off")
        let bytes = try await NetworkClient(ScriptedTransport(.pieces([Data([1])], failure: failure))).bytes(
            for: request)
        var iterator = bytes.makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
    }

    /// Of each kind of stream; those of events are public too.
    @Test func aStreamHasTheHeadAndTheRecordOfItsCall() async throws {
        let client = NetworkClient(ScriptedTransport(.stream("data: {\"a\":1}\n\n", "text/event-stream")))
        let response = try await client.execute(
            TransportRequest(url: "https://h.example/"))
        let lines = TextLines(response)
        let bytes = ResponseBytes(response)
        let models = JSONLines(response, decoding: [String: Int].self, using: JSONDecoder())
        let events = ServerSentEvents(response).decoding([String: Int].self, using: JSONDecoder())
        let heads = [lines.response, bytes.response, models.response, try #require(events.response)]
        #expect(heads.allSatisfy { $0.headerFields[.contentType] == "text/event-stream" && $0.status == .ok })
        let records = [lines.exchange, bytes.exchange, models.exchange, try #require(events.exchange)]
        #expect(records.allSatisfy { $0.attempts.map(\.status) == [.ok] })
        #expect(try await events.all() == [["a": 1]])
    }

    @Test func aResponseMayBeReadInOtherWays() async throws {
        func response(_ text: String) -> TransportResponse {
            TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(Data(text.utf8)))
        }
        let models = JSONLines(
            response("{\"a\":1}\nno\n{\"a\":2}\n"), decoding: [String: Int].self, using: JSONDecoder())
        var modelsIterator = models.makeAsyncIterator()
        #expect(try await modelsIterator.next() == ["a": 1])
        await #expect(throws: NetworkClientError.self) { _ = try await modelsIterator.next() }
        #expect(try await modelsIterator.next() == nil)
        var lines = TextLines(response("one\r\n\r\ntwo")).makeAsyncIterator()
        for line in [String?("one"), "", "two", nil, nil] { #expect(try await lines.next() == line) }
        let table = EventDecoding<Int>().on("n", decoding: Int.self) { $0 }.until("[DONE]")
        let events = ServerSentEvents(response("event: n\ndata: 3\n\ndata: 4\n\ndata: [DONE]\n\nevent: n\ndata: 5\n\n"))
        #expect(try await events.decoding(table, using: JSONDecoder()).all() == [3])
    }
}
