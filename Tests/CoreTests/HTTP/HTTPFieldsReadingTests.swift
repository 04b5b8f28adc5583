// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import StrataCore

struct HTTPFieldsReadingTests {
    @Test(arguments: [
        ("text/plain; charset=utf-8", "text/plain; charset=utf-8"),
        ("text/event-stream, text/event-stream", "text/event-stream"),
        ("text/html;charset=gbk,text/plain ;x=1", "text/plain ;x=1"), ("text/html, */*", "text/html"),
        ("text/html,", "text/html"), (",\ttext/html, nonsense", "text/html"),
        (#"text/html; x="a\", b/c""#, #"text/html; x="a\", b/c""#), ("a, b", "a, b"), (",", ","), ("", ""),
        ("text/html, a/b/c, (/), /", "text/html"), (#""a/b,c/d", text/html"#, "text/html"),
        (#""a/b", "c\"/d,x/y""#, #""a/b", "c\"/d,x/y""#),
    ])
    func theLastMediaTypeOfAListCounts(list: String, expected: String) {
        #expect(HTTPFields.lastMediaType(in: list) == expected)
    }

    @Test(arguments: [
        ("a;b", ["a", "b"]), (#""a;b";c"#, [#""a;b""#, "c"]), (#"";";";";x"#, [#"";""#, #"";""#, "x"]),
        (#"a="x;y";b"#, [#"a="x;y""#, "b"]), (#""\";";c"#, [#""\";""#, "c"]), (#""\\";c"#, [#""\\""#, "c"]),
        // A backslash counts in a quoted string alone, and a string may lack its end.
        (#"\";";c"#, [#"\";""#, "c"]), (#"a;"b;c"#, ["a", #""b;c"#]), (#"a\;b"#, [#"a\"#, "b"]), (";;", []), ("", []),
    ])
    func aSeparatorInAQuotedStringIsNone(text: String, parts: [String]) {
        #expect(text.splitOutsideQuotes(at: UInt8(ascii: ";")).map { String(Substring($0)) } == parts)
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

    @Test(arguments: [
        ("text/plain; charset=utf-8", "utf-8"), ("text/plain;CHARSET=\"utf-8\"", "utf-8"),
        ("text/plain; x=y;\t charset=a", "a"), ("text/plain; charset=a; charset=b", "a"),
        ("text/plain; x=\";charset=a\"; charset=b", "b"), ("text/plain; charset=a=b", "a=b"),
        ("text/plain; charset =a", nil), ("text/plain; charset=", nil), ("text/plain; charset", nil),
        ("text/plain", nil), ("charset=a", nil), ("", nil),
    ])
    func theCharsetIsAParameterOfTheType(contentType: String, expected: String?) {
        #expect(HTTPFields.charset(of: contentType) == expected)
    }

    @Test func aParameterStaysInItsQuotes() {
        #expect(HTTPFields.parameter("boundary", of: #"multipart/mixed; Boundary="a;b""#) == #""a;b""#)
        #expect(HTTPFields.parameter("boundary", of: "multipart/mixed; x=y") == nil)
    }

    @Test func oneFieldIsReadAsItIsAndSeveralAreJoined() {
        let fields: HTTPFields = [.via: "a", .server: "x", .via: "b"]
        #expect(fields.value(of: .via) == "a, b" && fields.value(of: .server) == "x")
        #expect(fields.value(of: .host) == nil && HTTPFields().value(of: .via) == nil)
    }
}
