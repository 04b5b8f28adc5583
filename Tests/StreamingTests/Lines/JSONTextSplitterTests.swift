// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataTesting
import Testing

@testable import StrataStreaming

struct JSONTextSplitterTests {
    private func texts(_ pieces: [Data]) throws -> [JSONTextSplitter.Text] {
        var splitter = JSONTextSplitter(maximumLength: 1024)
        var texts: [JSONTextSplitter.Text] = []
        for piece in pieces {
            splitter.append(piece)
            while let text = try splitter.next() { texts.append(text) }
        }
        while let text = try splitter.finish() { texts.append(text) }
        return texts
    }

    private func expect(_ body: String, gives expected: [JSONTextSplitter.Text]) throws {
        for pieces in Data(body.utf8).rechunked(.everySplit) + Data(body.utf8).rechunked(.oneByte) {
            #expect(try texts(pieces) == expected, "\(body.debugDescription)")
        }
    }

    /// Whether a bracket is one of the text, and a line feed its end, hangs on where its strings end.
    @Test(arguments: [
        #""a""#, #""\\""#, #""\"""#, #""\\\"""#, #""\\\\""#, #""\"[""#, #""\\"  "#, #"["\\",1]"#, #"["\"]",1]"#,
        #"{"\\":"]\"\\"}"#, #"["\u005c",{"a":"{"}]"#, #"["[","\"","]"]"#, #"["\\\\\"","\\"]"#, "[\n\"\\\"\"\n]", "[ ]",
        "{\"a\":\n[\n1]\n}", "1", "null",
    ])
    func aTextEndsAtTheLineFeedBehindIt(_ text: String) throws {
        let whole = JSONTextSplitter.Text.whole(Data(text.utf8))
        try expect("\u{1E}\(text)\n\u{1E}\(text)\n\u{1E}true\n", gives: [whole, whole, .whole(Data("true".utf8))])
    }

    @Test(arguments: [#"["\"]"#, #""\""#, #""a\\\""#, #"{"a":["]"}"#, "[[1]", #"["#])
    func aTextThatLacksItsEndIsTruncated(_ text: String) throws {
        let rest = JSONTextSplitter.Text.whole(Data(#""\\""#.utf8))
        try expect("\u{1E}\(text)\u{1E}\"\\\\\"\n", gives: [.truncated(Data(text.utf8)), rest])
    }

    /// What one text left open does not count for the next.
    @Test func eachTextBeginsAnew() throws {
        try expect(
            "\u{1E}[\"\\\u{1E}1\n\u{1E}\"\\",
            gives: [
                .truncated(Data("[\"\\".utf8)), .whole(Data("1".utf8)), .truncated(Data("\"\\".utf8)),
            ])
    }

    /// A number may have lost digits without showing it (RFC 7464 §2.4).
    @Test func aNumberAtTheEndNeedsWhiteSpaceBehindIt() throws {
        try expect(
            "\u{1E}12\u{1E}12 \u{1E}1\n",
            gives: [
                .truncated(Data("12".utf8)), .whole(Data("12 ".utf8)), .whole(Data("1".utf8)),
            ])
    }
}
