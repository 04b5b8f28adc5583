// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

struct HTTPFieldsReadingTests {
    @Test(arguments: [
        ("text/plain; charset=utf-8", "text/plain; charset=utf-8"),
        ("text/event-stream, text/event-stream", "text/event-stream"),
        ("text/html;charset=gbk,text/plain ;x=1", "text/plain ;x=1"), ("text/html, */*", "text/html"),
        ("text/html,", "text/html"), (",\ttext/html, nonsense", "text/html"),
        (#"text/html; x="a\", b/c""#, #"text/html; x="a\", b/c""#), ("a, b", "a, b"), (",", ","), ("", ""),
        ("text/html, a/b/c, (/), /", "text/html"),
    ])
    func theLastMediaTypeOfAListCounts(list: String, expected: String) {
        #expect(HTTPFields.lastMediaType(in: list) == expected)
    }

    @Test func severalFieldsAreOneList() {
        let fields: HTTPFields = [.contentType: "text/html; charset=a", .accept: "x/y", .contentType: "text/plain"]
        #expect(fields.contentType == "text/plain")
        #expect(HTTPFields().contentType == nil)
    }

    @Test(arguments: [
        ("text/event-stream", "text/event-stream"), (" Text/Event-Stream\t; charset=utf-8", "text/event-stream"),
        ("a/b, text/plain ;x=y", "text/plain"), ("/a", nil), ("a", nil), ("", nil), ("a/b/c", nil),
    ])
    func theEssenceIsTheTypeWithoutParametersAndOuterBlanks(contentType: String, expected: String?) {
        #expect(HTTPFields.essence(of: contentType) == expected)
    }

    @Test(arguments: ["text / event-stream", "text/ event-stream", "text/event -stream", "text/event-stream x"])
    func blanksInsideATypeMakeItAnother(contentType: String) {
        #expect(HTTPFields.essence(of: contentType)?.utf8.contains(UInt8(ascii: " ")) != false)
    }

    @Test func textThatIsNotUTF8IsWindows1252() {
        func text(_ bytes: [UInt8]) -> String { HTTPField(name: .server, value: bytes).text }
        #expect(text(Array("ä€".utf8)) == "ä€")
        #expect(text([0x61, 0xe4, 0x80]) == "aä€")
        #expect(text([]).isEmpty)
    }
}
