// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataTransportSupport
import Testing

@testable import StrataTransportSupport

struct HeadParserTests {
    /// Feeds the lines of `head`, each with its line end, and returns the last outcome.
    @discardableResult
    private func feed(_ head: String, to parser: inout HeadParser) -> HeadParser.Outcome {
        var last = HeadParser.Outcome.more
        var line: [UInt8] = []
        for byte in head.utf8 {
            line.append(byte)
            guard byte == 0x0a else { continue }
            last = line.withUnsafeBytes { parser.feed($0) }
            if case .violation = last { return last }
            line = []
        }
        return last
    }

    private func parse(_ head: String, limit: Int = 4096) -> (HeadParser, HeadParser.Outcome) {
        var parser = HeadParser(limit: limit)
        let outcome = feed(head, to: &parser)
        return (parser, outcome)
    }

    private func isViolation(_ outcome: HeadParser.Outcome) -> Bool {
        if case .violation = outcome { true } else { false }
    }

    @Test func keepsOrderRepeatsSpellingAndEmptyValues() {
        let (parser, outcome) = parse(
            "HTTP/1.1 200 Fine\r\nX-B: 1\r\nset-COOKIE: a=1\r\nX-B:\r\nSet-Cookie:  b=2 \t\r\n\r\n")
        #expect(outcome == .complete)
        #expect(parser.isComplete)
        #expect(parser.response.status == .init(code: 200, reasonPhrase: "Fine"))
        #expect(parser.response.headerFields.map(\.name.rawName) == ["X-B", "set-COOKIE", "X-B", "Set-Cookie"])
        #expect(parser.response.headerFields.map(\.value) == ["1", "a=1", "", "b=2"])
    }

    @Test(arguments: ["HTTP/1.1 201\r\n", "HTTP/2 201 \r\n", "HTTP/1.0 201 Created\n"])
    func takesEveryShapeOfStatusLine(_ line: String) {
        var parser = HeadParser(limit: 4096)
        #expect(feed(line + "\r\n", to: &parser) == .complete)
        #expect(parser.response.status.code == 201)
    }

    @Test(
        arguments: [
            "HTTP/1.1 2 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK", "HTTP/1.1", "HEAT/1.1 200 OK", "",
            "HTTP/1.1 20x OK", "HTTP/1.1 101 Switching Protocols", "HTTP/1.1 -12 OK",
            "HTTP/2.0 200 OK", "HTTP/2 200 OK", "HTTP/4 200 ", "HTTP/1 200 OK", "HTTP/1.x 200 OK", "HTTP/1.1\t200 OK",
        ])
    func refusesStatusLine(_ line: String) {
        #expect(isViolation(parse(line + "\r\n\r\n").1))
    }

    @Test func forgetsInterimResponses() {
        let (parser, outcome) = parse(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\nContent-Length: 5\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nX-Final: 1\r\n\r\n")
        #expect(outcome == .complete)
        #expect(parser.response.headerFields.map(\.name.rawName) == ["X-Final"])
        #expect(parser.contentLength == nil)
    }

    @Test func isNotCompleteAfterAnInterimResponseAlone() {
        #expect(!parse("HTTP/1.1 103 Early Hints\r\n\r\n").0.isComplete)
    }

    /// What stands between two fields, and goes on in the lines after it.
    private static let invalidLines = [
        "Access-Control-Allow-Credentials : true", "X Y: 1", "X\u{1}: 1", ": 1", "no colon", "X(: 1", "X: a\u{0}b",
        "X : 1\r\n goes on", "X : 1\r\n\tgoes on\r\n and on",
    ]

    @Test(arguments: invalidLines) func refusesAnInvalidLine(_ line: String) {
        #expect(isViolation(parse("HTTP/1.1 200 OK\r\nA: 1\r\n\(line)\r\nB: 2\r\n\r\n").1))
    }

    @Test(arguments: invalidLines) func leavesAnInvalidLineOutWhenTold(_ line: String) {
        var parser = HeadParser(limit: 4096)
        parser.skipsInvalidFields = true
        // Also the second and third time, when the head is known.
        for _ in 0..<3 {
            parser.reset()
            let head = "HTTP/1.1 200 OK\r\nA: 1\r\n\(line)\r\nB: 2\r\n c\r\n\r\n"
            #expect(feed(head, to: &parser) == .complete)
            #expect(parser.response.headerFields.map { "\($0.name): \($0.value)" } == ["A: 1", "B: 2 c"])
            #expect(parser.skippedLines == 1)
            parser.reset()
            #expect(feed("HTTP/1.1 200 OK\r\nA: 1\r\n\r\n", to: &parser) == .complete)
            #expect(parser.skippedLines == 0)
        }
    }

    @Test func leavesOutALineThatGoesOnFromNone() {
        var parser = HeadParser(limit: 4096)
        parser.skipsInvalidFields = true
        #expect(feed("HTTP/1.1 200 OK\r\n goes on\r\nA: 1\r\n\r\n", to: &parser) == .complete)
        #expect(parser.response.headerFields.count == 1)
    }

    /// Another recipient may take them for the fields that say where the body ends (RFC 9112 §6).
    @Test(arguments: [
        "Content-Length : 5", "content-length\t: 5", "Transfer-Encoding : chunked", "Transfer\u{b}-Encoding: chunked",
        "Content Length: 5", "Content-Length 5", "Content-Length: 5\r\n 6",
    ])
    func neverLeavesOutWhatMayBeTakenForFraming(_ line: String) {
        var parser = HeadParser(limit: 4096)
        parser.skipsInvalidFields = true
        #expect(isViolation(feed("HTTP/1.1 200 OK\r\nA: 1\r\n\(line)\r\n\r\n", to: &parser)))
    }

    @Test func keepsTrailersOutOfTheHead() {
        var (parser, _) = parse("HTTP/1.1 200 OK\r\nA: 1\r\n\r\n")
        #expect(feed("X-Trailer: 1\r\nx-trailer: a\r\n b\r\n\r\n", to: &parser) == .more)
        #expect(parser.response.headerFields.count == 1)
        #expect(parser.isComplete)
        #expect(parser.trailers?.map(\.value) == ["1", "a b"])
        parser.reset()
        #expect(parser.trailers == nil)
    }

    @Test(arguments: [
        " first", "A : 1", "no colon", "A: a\0b",
    ])
    func refusesTrailer(_ line: String) {
        var (parser, _) = parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        #expect(isViolation(feed("\(line)\r\n\r\n", to: &parser)))
    }

    @Test func tellsOfEveryInterimResponse() {
        var parser = HeadParser(limit: 4096)
        let lines = "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n b\r\n\r\n"
        #expect(feed(lines, to: &parser) == .more)
        parser.keepsInterim = true
        guard case .interim(let response) = feed(lines, to: &parser) else {
            Issue.record("there is no interim response")
            return
        }
        #expect(response.status.code == 103)
        #expect(response.headerFields.map(\.value) == ["<a> b"])
        #expect(feed("HTTP/1.1 200 OK\r\nLink: <b>\r\n\r\n", to: &parser) == .complete)
        #expect(parser.response.headerFields.map(\.value) == ["<b>"])
    }

    @Test func mayLeaveHTTPWhenAsked() {
        let line = "HTTP/1.1 101 Switching Protocols\r\n\r\n"
        // Also when the status line is known.
        for mayBeUpgraded in [true, true, false, true] {
            var parser = HeadParser(limit: 4096, memory: memory)
            parser.mayBeUpgraded = mayBeUpgraded
            let outcome = feed(line, to: &parser)
            #expect(mayBeUpgraded ? outcome == .complete : isViolation(outcome))
        }
    }

    private let memory = FieldMemory()

    @Test func readsWhatBecomesOfTheConnection() {
        let (closing, _) = parse("HTTP/1.1 200 OK\r\nConnection: x\r\nconnection: a, Close\r\n\r\n")
        #expect(closing.closes && !closing.persists)
        let (old, _) = parse("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n")
        #expect(old.persists && !old.closes && old.isHTTP10)
        let (silent, _) = parse("HTTP/1.1 200 OK\r\nX-Connection: close\r\n\r\n")
        #expect(!silent.persists && !silent.closes && !silent.isHTTP10)
    }

    @Test func joinsFoldedValuesWithABlank() {
        let (parser, _) = parse("HTTP/1.1 200 OK\r\nA: one\r\n \t two\r\n\tthree\r\n  \r\nB:\r\n x\r\n\r\n")
        #expect(parser.response.headerFields.map(\.value) == ["one two three", "x"])
    }

    @Test func aFoldedValueEndsWithItsField() {
        var parser = HeadParser(limit: 4096)
        for _ in 0..<3 {
            feed(
                "HTTP/1.1 103 Early\r\nA: one\r\n two\r\n\r\nHTTP/1.1 200 OK\r\nB: 1\r\nA: one\r\n two\r\nC: 3\r\n\r\n",
                to: &parser)
            #expect(parser.response.headerFields.map(\.value) == ["1", "one two", "3"])
            parser.reset()
            feed("HTTP/1.1 200 OK\r\nB: 1\r\nA: one\r\nC: 3\r\n\r\n", to: &parser)
            #expect(parser.response.headerFields.map(\.value) == ["1", "one", "3"])
            parser.reset()
        }
    }

    /// In time that grows with the lines: the square of these would take minutes.
    @Test(.timeLimit(.minutes(10))) func joinsAnyNumberOfLines() {
        let (parser, outcome) = parse(
            "HTTP/1.1 200 OK\r\nA: b\r\n\(String(repeating: " c\r\n", count: 60_000))\r\n", limit: 1 << 20)
        #expect(outcome == .complete)
        #expect(parser.response.headerFields.map(\.value.utf8.count) == [120_001])
    }

    @Test(
        arguments: [
            " Folded: first", ": nameless", "Space : x", "two words: x", "no colon", "Bare: a\rInjected: b",
            "Nul: a\0b",
            "Content-Length: 5\r\n 6", "X\0Y: 1", "Transfer-Encoding: chunked\r\n , gzip",
        ])
    func refusesFieldLine(_ line: String) {
        #expect(isViolation(parse("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n").1))
    }

    @Test func keepsBytesOutsideOfASCII() throws {
        var parser = HeadParser(limit: 4096)
        feed("HTTP/1.1 200 OK\r\n", to: &parser)
        let line = Array("Name: caf".utf8) + [0xe9, 0x0d, 0x0a]
        #expect(line.withUnsafeBytes { parser.feed($0) } == .more)
        feed("\r\n", to: &parser)
        let field = try #require(parser.response.headerFields.first)
        #expect(field.withUnsafeBytesOfValue { Array($0) } == Array("caf".utf8) + [0xe9])
    }

    @Test(arguments: [
        ("0", Int64(0)), ("5", 5), ("5, 5", 5), ("005", 5), ("9223372036854775807", .max),
        ("5\r\nContent-Length: 5", 5),
    ])
    func readsContentLength(_ value: String, _ length: Int64) {
        let (parser, outcome) = parse("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\n")
        #expect(outcome == .complete)
        #expect(parser.contentLength == length)
    }

    @Test(
        arguments: [
            "-5", "+5", "0x5", "5 5", "5,", ",5", "", "five", "5;", "9223372036854775808", "36893488147419103232",
            "5, 6",
            "5\r\nContent-Length: 10", "5.0", "１",
        ])
    func refusesContentLength(_ value: String) {
        #expect(isViolation(parse("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\n").1))
    }

    @Test func ignoresTheLengthOfAChunkedBody() {
        let (parser, outcome) = parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: Chunked\r\n\r\n")
        #expect(outcome == .complete)
        #expect(parser.contentLength == nil)
    }

    /// RFC 9112 §6.1, §6.3.
    @Test func doubtsTheEndOfWhatIsFramedInTwoWays() {
        let chunked = "Transfer-Encoding: chunked\r\n\r\n"
        #expect(parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\(chunked)").0.isDoubtful)
        #expect(parse("HTTP/1.0 200 OK\r\n\(chunked)").0.isDoubtful)
        var (parser, _) = parse("HTTP/1.0 200 OK\r\n\(chunked)")
        parser.reset()
        feed("HTTP/1.1 200 OK\r\n\(chunked)", to: &parser)
        #expect(!parser.isDoubtful)
        #expect(!parse("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n").0.isDoubtful)
    }

    @Test(
        arguments: [
            "chunked, deflate", "gzip, chunked", "gzip", "chunked, chunked", "chunked;a=b", "chunke", "xchunked", "a b",
            "",
            "chunked\r\nTransfer-Encoding: chunked", "chunked\r\nTransfer-Encoding: gzip",
            "gzip\r\nTransfer-Encoding: chunked",
        ])
    func refusesATransferCodingThatNobodyAskedFor(_ value: String) {
        #expect(isViolation(parse("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(value)\r\n\r\n").1))
    }

    @Test func takesIdentityForNoTransferCoding() {
        let (parser, outcome) = parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: identity\r\n\r\n")
        #expect(outcome == .complete)
        #expect(parser.contentLength == 5)
        #expect(!parser.isChunked)
        #expect(parser.isDoubtful)
    }

    @Test func leavesTheEndOfABodyInACodingThatNobodyKnowsToTheClose() {
        let (parser, outcome) = parse("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: unheard-of\r\n\r\n")
        #expect(outcome == .complete)
        #expect(parser.contentLength == nil)
        #expect(!parser.isChunked)
        #expect(parser.isDoubtful)
    }

    @Test func noticesAContentCoding() {
        #expect(parse("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n").0.isContentEncoded)
        #expect(!parse("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n").0.isContentEncoded)
    }

    @Test func limitsTheHeadWithItsInterimResponsesAndTrailers() {
        let line = "X-Flood: \(String(repeating: "a", count: 100))\r\n"
        #expect(isViolation(parse("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 40)).1))
        #expect(isViolation(parse(String(repeating: "HTTP/1.1 103 Hint\r\n\(line)\r\n", count: 40)).1))
        var (parser, _) = parse("HTTP/1.1 200 OK\r\n\r\n")
        #expect(isViolation(feed(String(repeating: line, count: 40), to: &parser)))
    }

    @Test func limitsTheNumberOfFields() {
        let fields = String(repeating: "a:\r\n", count: 70_000)
        #expect(isViolation(parse("HTTP/1.1 200 OK\r\n\(fields)\r\n", limit: .max).1))
    }

    @Test func knowsUsualNamesInTheSpellingReceived() {
        for spelling in ["Content-Type", "content-type", "CONTENT-TYPE"] {
            let (parser, _) = parse("HTTP/1.1 200 OK\r\n\(spelling): text/plain\r\n\r\n")
            #expect(parser.response.headerFields.first?.name == .contentType)
            #expect(parser.response.headerFields.first?.name.rawName == spelling)
        }
    }

    // MARK: Interim responses and trailers

    private static let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\tmore\r\nX-B:\r\n\r\n"

    @Test func keepsInterimResponsesWhereTheyAreWanted() {
        var parser = HeadParser(limit: 4096)
        parser.keepsInterim = true
        let outcome = feed(Self.hints, to: &parser)
        guard case .interim(let head) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(head.status == .init(code: 103, reasonPhrase: "Early Hints"))
        #expect(head.headerFields.map(\.value) == ["</a> more", ""])
        #expect(feed("HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\n", to: &parser) == .complete)
        #expect(parser.response.headerFields.map(\.name.rawName) == ["X-A"])
    }

    @Test func dropsInterimResponsesWhereTheyAreNot() {
        var parser = HeadParser(limit: 4096)
        #expect(feed(Self.hints, to: &parser) == .more)
        #expect(feed("HTTP/1.1 200 OK\r\n\r\n", to: &parser) == .complete)
    }

    private func trailers(_ lines: String, skipsInvalid: Bool = false) -> (HeadParser, HeadParser.Outcome) {
        var parser = HeadParser(limit: 4096)
        parser.skipsInvalidFields = skipsInvalid
        feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", to: &parser)
        let outcome = feed(lines, to: &parser)
        return (parser, outcome)
    }

    @Test func keepsTrailersApartFromTheHead() {
        let (parser, outcome) = trailers("X-B: 1\r\nx-a:\r\nX-B:  two \r\n three\r\n\r\n")
        #expect(outcome == .more)
        #expect(parser.trailers?.map(\.name.rawName) == ["X-B", "x-a", "X-B"])
        #expect(parser.trailers?.map(\.value) == ["1", "", "two three"])
        #expect(parser.response.headerFields.map(\.name.rawName) == ["Transfer-Encoding"])
    }

    @Test(arguments: ["X-A 1\r\n", "X-A : 1\r\n", ": 1\r\n", " folded\r\n", "X-A: a\0b\r\n"])
    func refusesATrailerThatIsNoField(_ line: String) {
        #expect(isViolation(trailers(line).1))
        let (parser, outcome) = trailers(line + "X-B: 2\r\n", skipsInvalid: true)
        #expect(outcome == .more)
        #expect(parser.trailers?.map(\.name.rawName) == ["X-B"])
        #expect(parser.skippedLines == 1)
    }

    @Test func limitsTrailersAsHeads() {
        #expect(isViolation(trailers(String(repeating: "X-Flood: 0123456789\r\n", count: 300)).1))
    }

    @Test func forgetsTrailersWithTheirResponse() {
        var (parser, _) = trailers("X-B: 1\r\n")
        parser.reset()
        feed("HTTP/1.1 200 OK\r\n\r\n", to: &parser)
        #expect(parser.trailers == nil)
    }
}
