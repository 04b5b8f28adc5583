// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import StrataCurl

struct FieldMemoryTests {
    private func parse(_ head: String, _ memory: FieldMemory) -> HeadParser {
        var parser = HeadParser(limit: 4096, memory: memory)
        for line in head.split(separator: "\n", omittingEmptySubsequences: false) {
            let bytes = Array("\(line)\r\n".utf8)
            _ = bytes.withUnsafeBytes { parser.feed($0) }
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
            #expect(again.fields.map(\.name.rawName) == first.fields.map(\.name.rawName))
            #expect(again.fields.map(\.value) == ["a", "b", "two  words", "gzip", "5", "c=1"])
            #expect(again.isContentEncoded)
            #expect(again.contentLength == 5)
        }
    }

    @Test func tellsStatusLinesApart() {
        let memory = FieldMemory()
        for reason in ["OK", "OK", "Fine", "OK", ""] {
            let parser = parse("HTTP/1.1 200 \(reason)\nX-A: 1\n", memory)
            #expect(parser.status == .init(code: 200, reasonPhrase: reason))
            #expect(parser.fields.count == 1)
            #expect(!parse("", memory).isComplete)
        }
    }

    @Test func tellsLinesApartThatShareAPlace() {
        let memory = FieldMemory()
        for round in 0..<3 {
            for number in 0..<1000 {
                let parser = parse("HTTP/1.1 200 OK\nX-Number: \(number)\nx-number: \(number)\n", memory)
                #expect(parser.fields.map(\.value) == ["\(number)", "\(number)"], "round \(round)")
                #expect(parser.fields.map(\.name.rawName) == ["X-Number", "x-number"])
            }
        }
    }

    @Test func keepsALineFromItsSecondTime() {
        let memory = FieldMemory()
        let field = HTTPField(name: .server, value: "a")
        let line = Array("Server: a".utf8)
        line.withUnsafeBytes { line in
            let hash = FieldMemory.hash(line)
            memory.note(line, hash, field)
            #expect(memory.field(line, hash) == nil)
            memory.note(line, hash, field)
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
}
