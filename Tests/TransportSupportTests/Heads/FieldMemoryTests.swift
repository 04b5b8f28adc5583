// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataTesting
import Testing

@testable import StrataTransportSupport

struct FieldMemoryTests {
    private func parse(_ head: String, _ memory: FieldMemory) -> HeadParser {
        var parser = HeadParser(limit: 4096, memory: memory)
        for line in head.split(separator: "\n", omittingEmptySubsequences: false) {
            let bytes = Array("\(line)\r\n".utf8)
            if case .violation = bytes.withUnsafeBytes({ parser.feed($0) }) { break }
        }
        return parser
    }

    @Test func hasTheSameFieldsHoweverOftenTheyCame() {
        let memory = FieldMemory()
        let head =
            "HTTP/1.1 200 OK\nserver: a\nServer: b\nX-Odd:  two  words \nContent-Encoding: gzip\nContent-Length: 5\nSet-Cookie: c=1\n"
        let first = parse(head, memory)
        #expect(first.isComplete)
        for _ in 0..<4 {
            let again = parse(head, memory)
            #expect(again.response.headerFields.map(\.name.rawName) == first.response.headerFields.map(\.name.rawName))
            #expect(again.response.headerFields.map(\.value) == ["a", "b", "two  words", "gzip", "5", "c=1"])
            #expect(again.isContentEncoded)
            #expect(again.contentLength == 5)
        }
    }

    @Test func tellsStatusLinesApart() {
        let memory = FieldMemory()
        for reason in ["OK", "OK", "Fine", "OK", ""] {
            let parser = parse("HTTP/1.1 200 \(reason)\nX-A: 1\n", memory)
            #expect(parser.response.status == .init(code: 200, reasonPhrase: reason))
            #expect(parser.response.headerFields.count == 1)
            #expect(!parse("", memory).isComplete)
        }
    }

    @Test func tellsLinesApartThatShareAPlace() {
        let memory = FieldMemory()
        for round in 0..<3 {
            for number in 0..<1000 {
                let parser = parse("HTTP/1.1 200 OK\nX-Number: \(number)\nx-number: \(number)\n", memory)
                #expect(parser.response.headerFields.map(\.value) == ["\(number)", "\(number)"], "round \(round)")
                #expect(parser.response.headerFields.map(\.name.rawName) == ["X-Number", "x-number"])
            }
        }
    }

    @Test func keepsALineFromItsSecondTime() {
        let memory = FieldMemory()
        let field = HTTPField(name: .server, value: "a")
        let line = Array("Server: a".utf8)
        line.withUnsafeBytes { line in
            let hash = FieldMemory.hash(line)
            memory.remember(line, hash, field)
            #expect(memory.field(line, hash) == nil)
            memory.remember(line, hash, field)
            #expect(memory.field(line, hash) == field)
            // Another line that has the same hash is another line.
            let other = Array("Server: b".utf8)
            other.withUnsafeBytes { #expect(memory.field($0, hash) == nil) }
        }
    }

    @Test func keepsNoSecretAndNothingLong() {
        let memory = FieldMemory()
        let long = String(repeating: "x", count: 300)
        let head = "HTTP/1.1 200 OK\nSet-Cookie: a=1\nLocation: /x\nX-Long: \(long)\nContent-Length: 3\n"
        for _ in 0..<3 { _ = parse(head, memory) }
        for text in ["Set-Cookie: a=1", "Location: /x", "X-Long: \(long)", "Content-Length: 3"] {
            Array(text.utf8).withUnsafeBytes { line in
                #expect(memory.field(line, FieldMemory.hash(line)) == nil)
            }
        }
    }

    // MARK: - Whole heads

    private func head(_ lines: [String], status: Int = 200) -> String {
        "HTTP/1.1 \(status) OK\n" + lines.map { "\($0)\n" }.joined()
    }

    @Test func aKnownHeadIsKnownToItsEnd() {
        let memory = FieldMemory()
        let lines = ["Server: a", "Content-Length: 3", "ETag: x"]
        for other in [
            lines, Array(lines.dropLast()), lines + ["Age: 1"], ["Server: a", "Content-Length: 4", "ETag: x"],
            ["Server: b", "Content-Length: 3", "ETag: y"], ["ETag: x", "Content-Length: 3", "Server: a"],
            ["server: a", "content-length: 3", "etag: x"], ["Server: a", "Age: 1", "Content-Length: 3", "ETag: x"], [],
            lines,
        ] {
            let parser = parse(head(other), memory)
            #expect(parser.response.headerFields.map { "\($0.name.rawName): \($0.value)" } == other)
            #expect(parser.contentLength == parse(head(other), FieldMemory()).contentLength)
        }
        #expect(memory.knownHead?.count == 3)
    }

    @Test func aKnownHeadIsReplacedWhenOthersComeInstead() {
        let memory = FieldMemory()
        _ = parse(head(["Server: a"]), memory)
        for number in 0..<8 {
            #expect(!memory.wantsHead)
            _ = parse(head(["Server: a", "X-Number: \(number)"]), memory)
        }
        #expect(memory.wantsHead)
        _ = parse("HTTP/1.1 103 Early Hints\nLink: x\n\n" + head(["Server: b"]), memory)
        #expect(memory.knownHead?.fields.map(\.value) == ["b"])
        #expect(!memory.wantsHead)
    }

    @Test func aKnownHeadKeepsNoSecret() {
        let memory = FieldMemory()
        let first = parse(head(["Server: a", "Set-Cookie: a=secret", "Age: 1"]), memory)
        #expect(first.response.headerFields.map(\.value) == ["a", "a=secret", "1"])
        #expect(memory.knownHead?.fields.map(\.value) == ["a", "", "1"])
        let second = parse(head(["Server: a", "Set-Cookie: b=other", "Age: 1"]), memory)
        #expect(second.response.headerFields.map(\.value) == ["a", "b=other", "1"])
        let third = parse(head(["Server: a", "Set-Cookie:", "Age: 1"]), memory)
        #expect(third.response.headerFields.map(\.value) == ["a", "", "1"])
    }

    @Test func framingIsReadFromAKnownHeadToo() {
        let memory = FieldMemory()
        for _ in 0..<2 {
            let chunked = parse(
                head(["Content-Encoding: gzip", "Transfer-Encoding: chunked", "Content-Length: 3"]), memory)
            #expect(chunked.isContentEncoded)
            #expect(chunked.contentLength == nil)
        }
        #expect(!parse(head(["Content-Encoding: gzip", "Content-Length: 4", "Content-Length: 3"]), memory).isComplete)
        #expect(
            !parse(head(["Content-Encoding: gzip", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip"]), memory)
                .isComplete)
    }

    /// What a parser with a memory makes of any heads is what one without makes of them.
    @Test func rememberingChangesNothing() {
        let memory = FieldMemory()
        var random = SeededGenerator(seed: 7)
        let pool = [
            "Server: a", "Server: b", "Content-Length: 3", "Set-Cookie: a", "Set-Cookie: b", "ETag: x", " folded",
            "Content-Encoding: gzip", "Transfer-Encoding: chunked", "no colon", "X-Empty:",
        ]
        for _ in 0..<3000 {
            let lines = (0..<Int.random(in: 0..<5, using: &random)).compactMap { _ in pool.randomElement(using: &random)
            }
            let isInterim = Int.random(in: 0..<8, using: &random) == 0
            let text = head(lines, status: isInterim ? 100 : 200) + (isInterim ? "\nHTTP/1.1 204\nServer: a\n" : "")
            let (with, without) = (parse(text, memory), parse(text, FieldMemory()))
            #expect(
                with.response.headerFields == without.response.headerFields
                    && with.response.headerFields.map(\.name.rawName)
                        == without.response.headerFields.map(\.name.rawName)
            )
            #expect(with.response.status == without.response.status && with.isComplete == without.isComplete)
            #expect(with.contentLength == without.contentLength && with.isContentEncoded == without.isContentEncoded)
        }
    }
}
