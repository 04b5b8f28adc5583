// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport
import Testing

@testable import StrataNative

struct ResponseReaderTests {
    private func read(
        _ text: String, _ method: HTTPMethod = .get, upgrade: String? = nil, limits: ResponseReader.Limits = .init()
    ) -> Reading {
        .of([Array(text.utf8)], method, limits: limits, upgrade: upgrade)
    }

    // MARK: - Framing (RFC 9112 §6.3)

    private static let framings: [(String, ResponseReader.BodyLength, Bool)] = [
        (head("Content-Length: 5") + "hello", .exactly(5), true),
        (head("Content-Length: 5, 5", "Content-Length: 005") + "hello", .exactly(5), true),
        (chunked + "2\r\nhe\r\n3;a=b;c=\"d;e\"\r\nllo\r\n0\r\n\r\n", .chunked, true),
        (chunked + "05  \r\nhello\r\n00;last\r\n\r\n", .chunked, true),
        (head("Content-Length: 3", "Transfer-Encoding: Chunked") + "5\r\nhello\r\n0\r\n\r\n", .chunked, false),
        (head() + "hello", .untilClose, false),
        (head("Content-Length: 5", "Transfer-Encoding: identity") + "hello", .exactly(5), false),
        (head("Transfer-Encoding: identity") + "hello", .untilClose, false),
        (head("Content-Length: 5", "Connection: x, Close") + "hello", .exactly(5), false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", .exactly(5), false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: Keep-Alive\r\n\r\nhello", .exactly(5), true),
        (
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            .chunked, false
        ),
        ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", .exactly(5), true),
    ]

    @Test(arguments: framings)
    func knowsWhereTheBodyEnds(_ text: String, _ length: ResponseReader.BodyLength, _ keepsConnection: Bool) {
        let reading = read(text)
        #expect(reading.isWhole, "\(reading.message ?? "")")
        #expect(reading.text == "hello")
        #expect(reading.length == length)
        #expect(reading.keepsConnection == keepsConnection)
    }

    private static let bodiless: [(HTTPMethod, String)] = [
        (.head, head("Content-Length: 11")), (.head, head("Transfer-Encoding: chunked")), (.head, head()),
        (.get, "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"), (.get, "HTTP/1.1 304 Not Modified\r\n\r\n"),
        (.get, "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ]

    @Test(arguments: bodiless)
    func knowsWhatHasNoBody(_ method: HTTPMethod, _ text: String) {
        let reading = read(text + "rest", method)
        #expect(reading.isWhole)
        #expect(reading.length == ResponseReader.BodyLength.none)
        #expect(reading.body.isEmpty)
        #expect(reading.rest == Array("rest".utf8))
        #expect(reading.keepsConnection)
    }

    @Test func leavesWhatComesBehindTheEnd() {
        for text in [head("Content-Length: 2") + "ok", chunked + "2\r\nok\r\n0\r\n\r\n", head("Content-Length: 0")] {
            let reading = read(text + "HTTP/1.1 200 OK\r\n\r\n")
            #expect(reading.isWhole)
            #expect(String(decoding: reading.rest, as: UTF8.self) == "HTTP/1.1 200 OK\r\n\r\n")
        }
    }

    // MARK: - Interim responses (RFC 9110 §15.2)

    @Test func handsInterimResponsesOut() {
        let reading = read(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\nContent-Length: 7\r\n\r\n"
                + head("Content-Length: 2", "X-Final: 1") + "ok")
        #expect(reading.interim == [100, 103])
        #expect(reading.head?.headerFields.map(\.name.rawName) == ["Content-Length", "X-Final"])
        #expect(reading.text == "ok")
    }

    @Test func anInterimResponseHasItsFields() throws {
        var reader = ResponseReader(method: .get, fields: FieldMemory())
        let bytes = Array("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\nX: one\r\n two\r\n\r\n".utf8)
        let step = try bytes.withUnsafeBytes { try reader.read($0) }
        guard case .interim(let response) = step.event else {
            Issue.record("no interim response")
            return
        }
        #expect(response.status.code == 103)
        #expect(response.headerFields.map(\.value) == ["<a>", "one two"])
        #expect(step.consumed == bytes.count)
    }

    @Test func countsInterimResponses() {
        let interim = "HTTP/1.1 102 Processing\r\n\r\n"
        let limits = ResponseReader.Limits(interimResponses: 3)
        #expect(read(String(repeating: interim, count: 3) + head("Content-Length: 0"), limits: limits).isWhole)
        let reading = read(String(repeating: interim, count: 4) + head("Content-Length: 0"), limits: limits)
        #expect(reading.error == .protocolViolation)
        #expect(reading.message?.contains("interim") == true)
    }

    // MARK: - Other protocols (RFC 9110 §7.8, §9.3.6)

    @Test func switchesProtocolsWhenAsked() {
        let text = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h9, Chat/2\r\n\r\nbytes\r\n"
        let reading = read(text, upgrade: "chat/2")
        #expect(reading.length == .switched)
        #expect(reading.head?.status.code == 101)
        #expect(reading.rest == Array("bytes\r\n".utf8))
        #expect(!reading.keepsConnection)
        #expect(read(text).error == .protocolViolation)
        #expect(read(text, upgrade: "other").error == .protocolViolation)
        #expect(read(head("Content-Length: 2") + "no", upgrade: "chat/2").text == "no")
    }

    @Test func aTunnelIsNoBody() {
        let reading = read(head("Content-Length: 5") + "hello", .connect)
        #expect(reading.length == .switched)
        #expect(reading.rest == Array("hello".utf8))
        #expect(read("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno", .connect).text == "no")
    }

    // MARK: - What is no answer

    @Test(
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n", "<html>hello</html>\r\n\r\n", "-foo- this is not HTTP\n", "\r\n\r\n",
            "HEAT/1.1 200 OK",
            "\u{15}\u{3}\u{1}", "P", "HTTP/2", "HTTP/0.9 200 OK\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n",
            "HTTP/2.0 200 OK\r\n\r\n",
            "HTTP/2 200\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/1.1 099 OK\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1\t200 OK\r\n\r\n",
            " HTTP/1.1 200 OK\r\n\r\n",
            "http/1.1 200 OK\r\n\r\n", "HTTP/1.10 200 OK\r\n\r\n", "HTTP/1.1 200 O\rX: 1\r\n\r\n",
            "HTTP/1.1 200 O\0K\r\n\r\n",
            "HTTP/1.1 +20 OK\r\n\r\n", "HTTP/1.1 200OK\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        ]
    )
    func refusesTheStart(_ text: String) {
        let reading = read(text)
        #expect(reading.error == .protocolViolation, "\(reading.message ?? "no error")")
        #expect(reading.head == nil)
    }

    @Test(
        arguments: [
            "Content-Length: -1", "Content-Length: +1", "Content-Length: 0x5", "Content-Length: 1 2", "Content-Length:",
            "Content-Length: 5,", "Content-Length: 5, 6", "Content-Length: 5\r\nContent-Length: 6",
            "Content-Length: 9223372036854775808", "Content-Length: 5\r\n 6", "Content-Length : 5",
            "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, gzip",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked;a=b",
            "Transfer-Encoding : chunked", "Transfer-Encoding:", "Transfer-Encoding: xchunked",
            "X : 1", "X Y: 1", ": 1", "X", "X: a\0b", "X: a\rb", "X\0: a", " X: 1", "X(: 1", "X\u{7f}: 1",
        ]
    )
    func refusesTheField(_ line: String) {
        let reading = read(head(line) + "hello")
        #expect(reading.error == .protocolViolation)
        #expect(reading.head == nil)
    }

    @Test(
        arguments: [
            "x\r\n", "\r\n", " 1\r\na", "0x1\r\na", "-1\r\na", "+1\r\na", "1\na\r\n", "1\r\na\n", "1\r\nab\r\n",
            "1\r\na0\r\n\r\n",
            "1 x\r\na", "1\0\r\na", "1;\0\r\na", "1;a\rb\r\na", "8000000000000000\r\na", "00000000000000001\r\na",
            "1FFFFFFFFFFFFFFFFF\r\na", "1\r\na\r\r\n", "1\r\na\r\n0\n\r\n", "1.\r\na", "1,1\r\na",
        ]
    )
    func refusesTheChunk(_ text: String) {
        let reading = read(chunked + text)
        #expect(reading.error == .protocolViolation, "\(reading.message ?? "no error")")
        #expect(!reading.isWhole)
    }

    // MARK: - Trailers (RFC 9110 §6.5)

    @Test func handsTrailersOut() {
        let reading = read(chunked + "2\r\nok\r\n0\r\nX-Sum: 1\r\nx-sum:  2 \r\nServer-Timing: a\r\n b\r\n\r\n")
        #expect(reading.text == "ok")
        #expect(
            reading.trailers?.map { "\($0.name.rawName): \($0.value)" } == [
                "X-Sum: 1", "x-sum: 2", "Server-Timing: a b",
            ])
        #expect(reading.head?.headerFields.count == 1)
        #expect(reading.keepsConnection)
    }

    @Test(
        arguments: [
            "no colon", "X : 1", "X: \0", " folded", ": 1", "X Y: 1", "HTTP/1.1 200 OK", "X: a\rb",
        ]
    )
    func refusesTheTrailer(_ line: String) {
        let reading = read(chunked + "2\r\nok\r\n0\r\n\(line)\r\n\r\n")
        #expect(reading.error == .protocolViolation)
        #expect(reading.trailers == nil)
    }

    /// Nor do they make another message of it.
    @Test func trailersDoNotFrame() {
        let reading = read(chunked + "2\r\nok\r\n0\r\nContent-Length: 9\r\nConnection: close\r\n more\r\n\r\nrest")
        #expect(reading.text == "ok")
        #expect(reading.trailers?.map(\.value) == ["9", "close more"])
        #expect(reading.keepsConnection)
        #expect(reading.rest == Array("rest".utf8))
    }

    // MARK: - Limits

    @Test func limitsTheHead() {
        let limits = ResponseReader.Limits(head: 1000)
        let line = "X-Flood: \(String(repeating: "a", count: 80))\r\n"
        let attacks = [
            "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 20),
            "HTTP/1.1 200 \(String(repeating: "O", count: 2000))",
            "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 2000))",
            String(repeating: "HTTP/1.1 103 Hint\r\n\(line)\r\n", count: 10),
            chunked + "0\r\n" + String(repeating: line, count: 20),
            chunked + "0\r\nX: \(String(repeating: "a", count: 2000))",
        ]
        for attack in attacks {
            for size in [1, 7, 5000] {
                let reading = Reading.of(Array(attack.utf8).pieces(of: size), limits: limits)
                #expect(reading.error == .protocolViolation)
                #expect(reading.message?.contains("larger than 1000 bytes") == true, "\(reading.message ?? "")")
            }
        }
        #expect(read(head("Content-Length: 0", "X: \(String(repeating: "a", count: 900))"), limits: limits).isWhole)
    }

    @Test func limitsWhatStandsBesideTheChunks() {
        #expect(read(chunked + "1;\(String(repeating: "a", count: 5000))").error == .protocolViolation)
        #expect(
            read(chunked + "1;\(String(repeating: "a", count: 5000))\r\na\r\n0\r\n\r\n").error == .protocolViolation)
        let small = "1;\(String(repeating: "a", count: 100))\r\na\r\n"
        #expect(read(chunked + String(repeating: small, count: 100) + "0\r\n\r\n").isWhole)
        #expect(read(chunked + String(repeating: small, count: 1000) + "0\r\n\r\n").error == .protocolViolation)
        #expect(read(chunked + String(repeating: "1\r\na\r\n", count: 20_000) + "0\r\n\r\n").body.count == 20_000)
    }

    // MARK: - Ends

    private static let ends: [(String, String)] = [
        ("", "before an answer came"), ("HTTP/1", "the response's head"), ("HTTP/1.1 200 O", "the response's head"),
        ("HTTP/1.1 200 OK\r\n", "the response's head"), ("HTTP/1.1 100 Continue\r\n\r\n", "the response's head"),
        ("HTTP/1.1 200 OK\r\nX: y\r\n", "the response's head"),
        (head("Content-Length: 10"), "0 of 10"), (head("Content-Length: 10") + "123456789", "9 of 10"),
        (head("Content-Length: 9223372036854775807") + "hello", "5 of 9223372036854775807"),
        (chunked, "last chunk"), (chunked + "5", "last chunk"),
        (chunked + "5\r\nhel", "2 bytes before the end of a chunk"),
        (chunked + "5\r\nhello", "last chunk"), (chunked + "5\r\nhello\r\n", "last chunk"),
        (chunked + "7FFFFFFFFFFFFFFF\r\nhello", "before the end of a chunk"),
        (chunked + "5\r\nhello\r\n0\r\n", "trailers"), (chunked + "5\r\nhello\r\n0\r\nX: 1\r\n", "trailers"),
    ]

    @Test(arguments: ends)
    func anEarlyEndIsAnErrorThatNamesThePlace(_ text: String, _ place: String) {
        let reading = read(text)
        #expect(reading.error == .connectionLost)
        #expect(reading.message?.contains(place) == true, "\(reading.message ?? "no message")")
        #expect(!reading.isWhole)
    }

    @Test func whoCutsABodyWithoutLengthOffIsNoticed() {
        let bytes = Array((head() + "hello").utf8)
        #expect(Reading.of([bytes]).isWhole)
        let reading = Reading.of([bytes], isCutOff: true)
        #expect(reading.error == .connectionLost)
        #expect(reading.message?.contains("close_notify") == true)
        #expect(Reading.of([Array((head("Content-Length: 5") + "hello").utf8)], isCutOff: true).isWhole)
    }

    // MARK: - Fields

    @Test func keepsOrderRepeatsSpellingAndBytes() throws {
        let bytes = Array("HTTP/1.1 200 Fine\r\nX-B: 1\r\nset-COOKIE: a=1\r\nX-B:\r\nName: caf".utf8) + [0xe9]
        let reading = Reading.of([bytes + Array("\r\nSet-Cookie:\tb=2 \t\r\nContent-Length: 0\r\n\r\n".utf8)])
        let fields = try #require(reading.head?.headerFields)
        #expect(reading.head?.status.reasonPhrase == "Fine")
        #expect(fields.map(\.name.rawName) == ["X-B", "set-COOKIE", "X-B", "Name", "Set-Cookie", "Content-Length"])
        let values = fields.map { field in field.withUnsafeBytesOfValue { Array($0) } }
        #expect(
            values == [Array("1".utf8), Array("a=1".utf8), [], Array("caf".utf8) + [0xe9], Array("b=2".utf8), [0x30]])
    }

    @Test func leavesInvalidFieldsOutWhenTold() {
        let bytes = Array(head("A: 1", "X Y: 2", "Content-Length: 2", "X : 3").utf8) + Array("ok".utf8)
        var reader = ResponseReader(method: .get, skipsInvalidFields: true, fields: FieldMemory())
        for _ in 0..<3 {
            let reading = Reading.of([bytes], &reader, endsConnection: false)
            #expect(reading.text == "ok")
            #expect(reading.head?.headerFields.map(\.name.rawName) == ["A", "Content-Length"])
            let skipped = reader.skippedLines
            #expect(skipped == 2)
            reader.begin(method: .get, skipsInvalidFields: true)
        }
        let framing = Array(head("Content-Length : 4").utf8)
        #expect(Reading.of([framing], skipsInvalidFields: true).error == .protocolViolation)
    }

    @Test func saysHowLongTheServerWaits() {
        var reader = ResponseReader(method: .get, fields: FieldMemory())
        _ = Reading.of([Array(head("Keep-Alive: timeout=5, max=100", "Content-Length: 0").utf8)], &reader)
        let time = reader.head.keepAlive
        #expect(time == 5_000_000_000)
    }
}

extension [UInt8] {
    func pieces(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
