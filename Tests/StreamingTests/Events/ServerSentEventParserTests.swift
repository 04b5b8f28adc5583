// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

struct ServerSentEventParserTests {
    // MARK: The standard's vectors

    @Test(.vectors(EventVectors.file))
    func readsEveryVectorAtTheChunkingsItNames() throws {
        for vector in try EventVectors.load() {
            for chunking in vector.chunkings ?? [] {
                check(ParsedStream(chunking.pieces(of: vector.input_base64)), vector, chunking.name)
            }
        }
    }

    @Test(.vectors(EventVectors.file), arguments: [Rechunking.whole, .oneByte, .everySplit, .random(seed: 1)])
    func readsEveryVector(_ rechunking: Rechunking) throws {
        for vector in try EventVectors.load() {
            for pieces in vector.input_base64.rechunked(rechunking) {
                check(ParsedStream(pieces), vector, "cut at \(pieces.first?.count ?? 0)")
            }
        }
    }

    private func check(_ stream: ParsedStream, _ vector: EventVectors.Case, _ chunking: String) {
        let comment: Comment = "\(vector.name), \(chunking)"
        let expected = vector.expected_events.map { event in
            [
                Array(event.type.utf8), Array(event.data.utf8), event.id.map { Array($0.utf8) },
                Array(event.lastEventId.utf8),
            ]
        }
        #expect(stream.events.map { [$0.type, $0.data, $0.id, $0.lastEventID] } == expected, comment)
        #expect(stream.reconnectionTime.map { $0 / .milliseconds(1) } == vector.expected_retry_ms, comment)
        if let id = vector.expected_last_event_id_at_end { #expect(stream.lastEventID == Array(id.utf8), comment) }
        if let comments = vector.expected_comments {
            #expect(stream.comments == comments.map { Array($0.utf8) }, comment)
        }
        #expect(stream.failure == nil, comment)
    }

    // MARK: Any stream, however it is cut

    /// Pieces of streams that have gone wrong in one parser or another, in random order.
    private static let fragments: [[UInt8]] =
        [
            [0x0A], [0x0D], [0x0D, 0x0A], [0x0A, 0x0A], [0x0D, 0x0D], [0xEF, 0xBB, 0xBF], [0xEF, 0xBB], [0x00], [0xFF],
            [0xE2, 0x82],
            [0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x9F], [0xC3], [0x20],
            [0x20, 0x20], [0x09],
        ]
        + [
            ":", "data", "data:", "data: ", "datax:", "event:", "event: add", "event: response.output_text.delta", "id",
            "id:", "id: 7",
            "retry:", "retry: 10", "retry: 1x", "retry: 99999999999999999999999", "Data:", "x", "1", ": comment",
            "data:\n\n",
            "id: 1\ndata: a\n\n", "data: a much longer line of data that fits no small string\n",
        ].map { Array($0.utf8) }

    @Test(arguments: 0..<10)
    func agreesWithTheStandardsAlgorithmAtAnyChunking(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            var bytes = Data()
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                bytes.append(contentsOf: Self.fragments.randomElement(using: &generator) ?? [])
            }
            let whole = ParsedStream([bytes])
            #expect(whole == ParsedStream(ReferenceParser(bytes)))
            for rechunking in [Rechunking.oneByte, .everySplit, .random(seed: generator.next()), .every(7)] {
                for pieces in bytes.rechunked(rechunking) {
                    #expect(ParsedStream(pieces) == whole, "\(rechunking), first piece \(pieces.first?.count ?? 0)")
                    #expect(ParsedStream(pieces, interruptedBy: &generator) == whole, "\(rechunking), interrupted")
                }
            }
        }
    }

    // MARK: Dispatch

    @Test func aCarriageReturnEndsAnEventAtOnce() throws {
        var parser = ServerSentEventParser()
        var events: [String] = []
        try parser.feed(Data("data: a\r\r".utf8)) { events.append($0.data) }
        #expect(events == ["a"])
        try parser.feed(Data("\ndata: b\r\n\r".utf8)) { events.append($0.data) }
        #expect(events == ["a", "b"])
    }

    @Test func anUnfinishedEventIsForgottenWithItsIdentifier() throws {
        var parser = ServerSentEventParser()
        var count = 0
        try parser.feed(Data("id: 1\ndata: a\n\nid: 2\ndata: b\n".utf8)) { _ in count += 1 }
        #expect(count == 1)
        #expect(parser.lastEventID == "1")
    }

    @Test(arguments: ["data: b", "data: b\n", "data: b\r", "data: b\r\n", "data: b\n\n"])
    func theUnfinishedEventIsThereForWhoWantsIt(_ text: String) throws {
        var parser = ServerSentEventParser()
        var data: [String] = []
        try parser.feed(Data("id: 1\ndata: a\n\n\(text)".utf8)) { data.append($0.data) }
        if let event = try parser.takeUnfinishedEvent() { data.append(event.data) }
        #expect(data == ["a", "b"])
        #expect(parser.lastEventID == "1")
        #expect(try parser.takeUnfinishedEvent() == nil)
    }

    @Test func afterTheUnfinishedEventTheParserIsAsNew() throws {
        struct Stop: Error {}
        var parser = ServerSentEventParser()
        #expect(throws: Stop.self) {
            try parser.feed(Data("retry: 7\ndata: 1\n\ndata: 2\n\ndata: 3".utf8)) { _ in throw Stop() }
        }
        #expect(try parser.takeUnfinishedEvent()?.data == "2")
        var data: [String] = []
        // What was left is gone, and at the start of a body there may be a byte order mark.
        try parser.feed(Data("\u{FEFF}data: 4\n\n".utf8)) { data.append($0.data) }
        #expect(data == ["4"])
    }

    @Test func aThrowingReceiverLosesNothing() throws {
        struct Stop: Error {}
        var parser = ServerSentEventParser()
        var data: [String] = []
        #expect(throws: Stop.self) {
            try parser.feed(Data("data: 1\n\ndata: 2\n\ndata: 3\n\nda".utf8)) { event in
                data.append(event.data)
                if event.data == "2" { throw Stop() }
            }
        }
        try parser.feed(Data("ta: 4\n\n".utf8)) { data.append($0.data) }
        #expect(data == ["1", "2", "3", "4"])
    }

    /// A type is most often that of the event before, and may begin like it.
    @Test func aTypeIsItsOwnHoweverMuchItLooksLikeTheLast() throws {
        let types = ["delta", "delta", "delt", "delta", "deltas", "d", "delta", "Delta", "delta"]
        var parser = ServerSentEventParser()
        var read: [String] = []
        for type in types { try parser.feed(Data("event: \(type)\ndata: a\n\n".utf8)) { read.append($0.type) } }
        try parser.feed(Data("data: a\n\n".utf8)) { read.append($0.type) }
        #expect(read == types + ["message"])
    }

    @Test func continuesWithTheIdentifierOfTheStreamBefore() throws {
        var parser = ServerSentEventParser(lastEventID: "41")
        var identifiers: [String] = []
        try parser.feed(Data("data: a\n\nid: 42\ndata: b\n\nid\ndata: c\n\n".utf8)) {
            identifiers.append($0.lastEventID)
        }
        #expect(identifiers == ["41", "42", ""])
    }

    @Test func moreMillisecondsThanFitAreAsManyAsFit() throws {
        var parser = ServerSentEventParser()
        try parser.feed(Data("retry: 9223372036854775808\n".utf8)) { _ in }
        #expect(parser.reconnectionTime == .milliseconds(Int64.max))
    }

    // MARK: Bounds

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func aLineOverTheLimitIsAnErrorAtAnyChunking(_ rechunking: Rechunking) {
        let fits = Data("\u{FEFF}data: 3456\n\n:2345678\n".utf8)
        for pieces in (fits + Data("data: 34567\n\n".utf8)).rechunked(rechunking) {
            let stream = ParsedStream(pieces, parser: ServerSentEventParser(maximumSize: 10))
            #expect(stream.events.map(\.data) == [Array("3456".utf8)])
            #expect(stream.comments.count == 1)
            #expect(stream.failure?.contains("bodyTooLarge") == true)
        }
    }

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func anEventOverTheLimitIsAnErrorAtAnyChunking(_ rechunking: Rechunking) {
        let bytes = Data(
            "data: 123\ndata: 567\ndata: 90\n\ndata:1\ndata:\ndata:4\ndata:6\ndata:8\ndata:0\ndata:\n\n".utf8)
        for pieces in bytes.rechunked(rechunking) {
            let stream = ParsedStream(pieces, parser: ServerSentEventParser(maximumSize: 10))
            #expect(stream.events.map(\.data) == [Array("123\n567\n90".utf8)])
            #expect(stream.failure?.contains("bodyTooLarge") == true)
        }
    }

    @Test func staysFailedOnceItHasFailedAndKeepsNothing() throws {
        var parser = ServerSentEventParser(maximumSize: 8)
        #expect(throws: NetworkClientError.self) { try parser.feed(Data("data: 12345678\n".utf8)) { _ in } }
        let isFreed = freesBytes { piece in _ = try? parser.feed(piece) { _ in } }
        #expect(isFreed)
        #expect(throws: NetworkClientError.self) { try parser.feed(Data("data: 1\n\n".utf8)) { _ in } }
    }

    @Test func aLineWithoutEndIsNeverBufferedBeyondTheLimit() throws {
        var parser = ServerSentEventParser(maximumSize: 1 << 20)
        let piece = Data(repeating: 0x61, count: 1 << 16)
        var taken = 0
        let error = #expect(throws: NetworkClientError.self) {
            for _ in 0..<1_000 {
                try parser.feed(piece) { _ in }
                taken += 1
            }
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(taken == 16)
    }

    // MARK: Large events

    /// `data: ` lines of 70 letters and two emoji, in one event.
    private func hugeEvent(megabytes: Int) -> (stream: Data, data: Data) {
        let line = String((0..<70).map { Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8($0 % 26))) }) + "🚀🌍"
        let count = (megabytes << 20) / (line.utf8.count + 7)
        let stream = String(repeating: "data: \(line)\n", count: count) + "\n"
        return (Data(stream.utf8), Data(String(repeating: line + "\n", count: count).utf8.dropLast()))
    }

    @Test(arguments: [1 << 16, 1_000, 10 << 20])
    func readsAnEventOfTenMebibytes(_ chunk: Int) throws {
        let (stream, data) = hugeEvent(megabytes: 10)
        let parsed = ParsedStream(stream.rechunked(.every(chunk))[0])
        #expect(parsed.events.count == 1)
        #expect(parsed.events.first.map { Data($0.data) == data } == true)
    }

    /// Memory passes from the data of one event to the begun line of the next.
    @Test(arguments: [999, 16_384, 65_536])
    func readsLargeEventsOneAfterTheOther(_ chunk: Int) {
        var stream = ""
        var expected: [[UInt8]] = []
        for (number, size) in [200_000, 3, 90_000, 40_000, 0, 40_000, 300_000, 70_000].enumerated() {
            let text = String(repeating: "\(number)", count: size)
            stream += "id: \(number)\ndata: \(text)\n\n: rest\ndata: \(text)\ndata: \(text.dropFirst(9))\n\n"
            expected += [Array(text.utf8), Array("\(text)\n\(text.dropFirst(9))".utf8)]
        }
        let parsed = ParsedStream(Data(stream.utf8).rechunked(.every(chunk))[0])
        #expect(parsed.failure == nil)
        #expect(parsed.events.map(\.data) == expected)
    }
}
