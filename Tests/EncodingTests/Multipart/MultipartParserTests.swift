// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// How a body is taken apart, whole and in pieces (RFC 2046 §5.1.1).
struct MultipartParserTests {
    /// What is read of a body, whole, byte by byte, and in two pieces cut at each place.
    private func check(_ text: String, boundary: String = "B", _ expected: [String]) async throws {
        let decoder = MultipartDecoder()
        let wanted = expected.map { Data($0.utf8) }
        #expect(try decoder.parts(in: Data(text.utf8), boundary: boundary).map(\.body.data) == wanted, "\(text)")
        for pieces in Data(text.utf8).rechunked(.oneByte) + Data(text.utf8).rechunked(.everySplit) {
            var parts: [Data] = []
            for try await part in try decoder.parts(of: Pieces(pieces), boundary: boundary) {
                parts.append(try await part.body.collect())
            }
            #expect(parts == wanted, "\(text) in \(pieces.count) pieces")
        }
    }

    private func reason(_ text: String, _ limits: MultipartDecoder.Limits = .init()) -> String? {
        let error = #expect(throws: MultipartError.self, "\(text)") {
            try MultipartDecoder(limits: limits).parts(in: Data(text.utf8), boundary: "B")
        }
        return error?.reason
    }

    @Test(
        arguments: [
            ("--B--", []), ("--B--\r\n", []), (" \t\r\n--B--", []), ("\r\n\r\n--B--", []), ("\n\r\n--B--", []),
            ("--B\r\n\r\n1\r\n--B--", ["1"]), ("x\r\n--B\r\n\r\n1\r\n--B--", ["1"]), ("--B\r\n\r\n--B--", [""]),
            ("--B\r\n\r\n\r\n--B--", [""]), ("--B\r\nA: b\r\n\r\n--B\r\n\r\n1\r\n--B--", ["", "1"]),
            ("--B\r\n\r\n1\r\n--B\r\n\r\n2\r\n--B\r\n\r\n3\r\n--B--", ["1", "2", "3"]),
            ("--B\r\n\r\n1\r\n--B--x\r\n--B\r\n\r\n2\r\n--B--", ["1"]),
            ("--Bx\r\n--B \r\n\r\n1\r\n--B--", ["1"]), ("--\r\n-\r\r\n--B\r\n\r\n1\r\n--B--", ["1"]),
        ])
    func partsStandBetweenDelimiters(_ text: String, _ parts: [String]) async throws { try await check(text, parts) }

    /// What looks like the beginning of a delimiter, and is none.
    @Test(arguments: [
        "", "\r", "\n", "\r\n", "\r\r\r", "1\r", "1\r\n", "1\r\n\r\n2", "\r\n-", "\r\n--", "\r\n--\r\n", "\r\n--C",
        "\r\n\r\n",
        "--B", "1--B\r\n", "\r--B--", "\n--B--", "\r\n--Bx", "\r\n--B-x", "\r\n--B -", "\r\n--B- -", "\r\n--B\r\r\n",
        "\r\n--B\rx", "\r\n--B\n", "\r\n--B\t-", "\r\n--\r\n--", "\r\n-\r\n--Bx\r\n--b--", "\0\r\n--B\0",
    ])
    func anythingElseIsContent(_ content: String) async throws {
        // At the beginning of a part a line begins, so that `--B` would be a delimiter there.
        try await check("--B\r\n\r\n1\(content)\r\n--B--", ["1\(content)"])
        try await check("--B\r\n\r\n1\(content)\r\n--B\r\n\r\n2\r\n--B--", ["1\(content)", "2"])
    }

    @Test(arguments: [
        ("", "there is no delimiter in the body"), ("x\r\ny", "there is no delimiter in the body"),
        ("\n--B\r\n", "there is no delimiter in the body"), ("x--B--", "there is no delimiter in the body"),
        ("--B", "the body ends before its close delimiter"), ("--B-", "the body ends before its close delimiter"),
        ("--B\r\nA: b", "the body ends before its close delimiter"),
        ("--B\r\n\r\n1", "the body ends before its close delimiter"),
        ("--B\r\n\r\n1\r\n--B", "the body ends before its close delimiter"),
        ("x\r\n--B--", "there is no part before the close delimiter"),
        ("--Bx\r\n--B--", "there is no part before the close delimiter"),
        (" .\r\n--B--", "there is no part before the close delimiter"),
        ("\u{E}\r\n--B--", "there is no part before the close delimiter"),
        ("--B\r\nA\r\n\r\n--B--", "a line without a colon in the fields of a part"),
        ("--B\r\n: b\r\n\r\n--B--", "a field of a part has no name, or one that is not a token"),
        ("--B\r\nA b: c\r\n\r\n--B--", "a field of a part has no name, or one that is not a token"),
        ("--B\r\n A: b\r\n\r\n--B--", "a field of a part has no name, or one that is not a token"),
        ("--B\r\nA: b\rc\r\n\r\n--B--", "a CR without LF in the fields of a part"),
        ("--B\r\nA: b\nC: d\r\n\r\n--B--", "a bare LF or a NUL in the fields of a part"),
        ("--B\r\nA: b\0\r\n\r\n--B--", "a bare LF or a NUL in the fields of a part"),
        ("--B\r\n\n\r\n--B--", "a bare LF or a NUL in the fields of a part"),
    ])
    func whatIsWrongIsSaid(_ text: String, _ expected: String) {
        #expect(reason(text) == expected, "\(text)")
    }

    @Test func fieldsAreUnfoldedAndTrimmed() throws {
        let text =
            "--B\r\nA:b\r\nC: \t d \t\r\nE: f\r\n\tg \r\n  h\r\nI:\r\n J\r\nK: \u{B}\u{1}l \r\nM: n: o\r\n"
            + "a: p\r\n\r\n--B--"
        let fields = try #require(MultipartDecoder().parts(in: Data(text.utf8), boundary: "B").first).fields
        #expect(fields.map(\.name.rawName) == ["A", "C", "E", "I", "K", "M", "a"])
        #expect(fields.map(\.value).filter { !$0.hasSuffix("l") } == ["b", "d", "f g h", "J", "n: o", "p"])
    }

    /// Behind a delimiter, with the CR of its line end.
    @Test func paddingIsBounded() async throws {
        for padding in [String(repeating: " ", count: 255), String(repeating: "\t ", count: 127)] {
            let text = "--B\r\n\r\n1\r\n--B\(padding)\r\n\r\n2\r\n--B--"
            #expect(try MultipartDecoder().parts(in: Data(text.utf8), boundary: "B").count == 2)
        }
        let padding = String(repeating: " ", count: 256)
        let text = "--B\r\n\r\n1\r\n--B\(padding)\r\n\r\n2\r\n--B--"
        let parts = try MultipartDecoder().parts(in: Data(text.utf8), boundary: "B")
        #expect(parts.map(\.body.data) == [Data("1\r\n--B\(padding)\r\n\r\n2".utf8)])
    }

    /// Each part has as much room for its fields, with their line ends and the empty line.
    @Test func limitsHoldToTheByte() throws {
        let text = "--B\r\nA: b\r\n\r\n1\r\n--B\r\nC: d\r\n\r\n2\r\n--B--"
        for (parts, bytes) in [(2, 8), (3, 9)] {
            let decoder = MultipartDecoder(limits: .init(parts: parts, fieldBytes: bytes))
            #expect(try decoder.parts(in: Data(text.utf8), boundary: "B").count == 2)
        }
        #expect(reason(text, .init(fieldBytes: 7)) == "the fields of a part are larger than 7 bytes")
        #expect(reason(text, .init(parts: 1)) == "more than 1 parts")
        let usual = MultipartDecoder.Limits()
        #expect(usual.parts == 10_000 && usual.fieldBytes == 16 * 1024)
        let generous = MultipartDecoder(limits: .init(fieldBytes: 1_000_000))
        let most = "--B\r\n" + String(repeating: "A:\r\n", count: 65_534)
        #expect(try generous.parts(in: Data((most + "\r\n--B--").utf8), boundary: "B")[0].fields.count == 65_534)
        #expect(reason(most + "A:\r\n\r\n--B--", .init(fieldBytes: 1_000_000)) == "a part has too many fields")
    }

    /// Some senders write the boundary as it is, although it begins with dashes already.
    @Test func aBoundaryOfDashesMayStandForTheDelimiter() async throws {
        try await check("--B\r\n\r\n1\r\n--B\r\n\r\n2\r\n--B--", boundary: "--B", ["1", "2"])
        try await check("x\r\n----B\r\n\r\n1\r\n--B\r\n\r\n2\r\n----B--", boundary: "--B", ["1\r\n--B\r\n\r\n2"])
        try await check("x\r\n--B\r\n\r\n1\r\n----B\r\n\r\n2\r\n--B--", boundary: "--B", ["1\r\n----B\r\n\r\n2"])
        try await check("----\r\n\r\n1\r\n--\r\n2\r\n------", boundary: "--", ["1\r\n--\r\n2"])
        #expect(throws: MultipartError.self) {
            try MultipartDecoder().parts(in: Data("-B\r\n\r\n1\r\n-B--".utf8), boundary: "-B")
        }
    }

    @Test func aBoundaryHasUpTo256BytesWithoutControls() throws {
        for boundary in [String(repeating: "b", count: 256), " ", "é", "a\"b"] {
            let data = Data("--\(boundary)\r\n\r\n1\r\n--\(boundary)--".utf8)
            #expect(try MultipartDecoder().parts(in: data, boundary: boundary).count == 1)
        }
        for boundary in ["", String(repeating: "b", count: 257), "a\u{7F}", "\t"] {
            let error = #expect(throws: MultipartError.self) {
                try MultipartDecoder().parts(in: Data("--\(boundary)--".utf8), boundary: boundary)
            }
            #expect(error?.reason == "the boundary is empty, too long, or has control characters")
        }
    }

    @Test(arguments: [
        (nil, "the response is not a multipart body"),
        ("text/plain; boundary=B", "the response is not a multipart body"),
        ("multipart/form-data", "the response names no boundary"),
        ("multipart/mixed; boundary=\"\"", "the boundary is empty, too long, or has control characters"),
    ])
    func aResponseThatIsNoFormIsToldApart(_ type: String?, _ expected: String) {
        let response = HTTPResponse(status: .ok, headerFields: type.map { [.contentType: $0] } ?? [:])
        let error = #expect(throws: MultipartError.self) {
            try MultipartDecoder().decode([String: String].self, from: Data("--B--".utf8), response: response)
        }
        #expect(error?.reason == expected && error?.description == "multipart: \(expected)")
    }

    /// Waits for its second piece, and says so.
    private final class Slow: BodySource {
        let (asked, asks) = AsyncStream.makeStream(of: Void.self)
        let (pieces, more) = AsyncStream.makeStream(of: Data.self)

        func next() async throws -> Data? {
            asks.yield()
            for await piece in pieces { return piece }
            return nil
        }

        func cancel() { more.finish() }
    }

    @Test func onlyOneTaskReadsAtATime() async throws {
        let source = Slow()
        source.more.yield(Data("--B\r\n\r\n".utf8))
        let parts = try MultipartDecoder().parts(of: ResponseBody(source: source), boundary: "B")
        var iterator = parts.makeAsyncIterator()
        let part = try #require(try await iterator.next())
        let reading = Task { try await part.body.collect() }
        // The first piece, and the second.
        var asked = source.asked.makeAsyncIterator()
        for _ in 0..<2 { await asked.next() }
        var other = parts.makeAsyncIterator()
        for _ in 0..<2 {
            let error = await #expect(throws: NetworkClientError.self) { try await other.next() }
            #expect(error?.code == .bodyAlreadyConsumed)
            #expect(error?.message.contains("two tasks read the parts of one body") == true)
        }
        source.more.yield(Data("1\r\n--B\r\n\r\n2\r\n--B--".utf8))
        source.more.finish()
        #expect(try await reading.value == Data("1".utf8))
        #expect(try await other.next()?.body.collect() == Data("2".utf8))
        #expect(try await iterator.next() == nil)
    }
}
