// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataEncoding
import TestSupport
import Testing

struct MediaTypeTests {
    @Test(.vectors("headers/misc-headers.json")) func readsWhatTheStandardReads() throws {
        for vector in try Vectors.cases("headers/misc-headers.json", "mime") {
            let id = vector["id"]?.string ?? ""
            let type = MediaType(try #require(vector["input"]?.string))
            guard let expected = vector["essence_and_params"]?.object else {
                #expect(type == nil, "\(id)")
                continue
            }
            #expect(type?.essence == expected["essence"]?.string, "\(id)")
            let parameters = try #require(expected["params"]?.object)
            #expect(type?.parameters.count == parameters.count, "\(id)")
            for (name, value) in parameters {
                let found = type?[name]
                #expect(found.isIdentical(to: value.string), "\(id)")
            }
            let charset = type?.charset
            #expect(charset.isIdentical(to: vector["charset"]?.string), "\(id)")
        }
    }

    @Test func blanksBeforeAValueBelongToItButNotToACharset() {
        let type = MediaType("text/html;charset= gbk\t ;x=\ty;z= ")
        #expect(type?.parameters.map(\.value) == [" gbk", "\ty"])
        #expect(type?.charset == "gbk")
        #expect(type?.description == "text/html; charset=\" gbk\"; x=\"\ty\"")
    }

    @Test(arguments: ["\r\n", "\n", " \r\n\t", "\r\n;x=y"])
    func lineEndsBehindAValueDoNotBelongToIt(_ end: String) {
        #expect(MediaType("text/html;charset=gbk" + end)?.charset == "gbk")
    }

    @Test func aValueThatNoFieldCanHoldDoesNotCount() {
        #expect(MediaType("x/x;test=\u{FFFD};x=x")?.description == "x/x; x=x")
        #expect(MediaType("x/x;a=\u{100};b=\u{7F};c=\u{FF}")?.parameters.map(\.name) == ["c"])
    }

    @Test func ofSeveralInAResponseTheLastCounts() {
        let fields: HTTPFields = [
            .contentType: "text/html; charset=a", .contentType: "application/json; charset=b, application/json",
        ]
        #expect(MediaType(of: HTTPResponse(status: .ok, headerFields: fields))?.description == "application/json")
        #expect(MediaType(of: HTTPResponse(status: .ok, headerFields: [.contentType: "nonsense"])) == nil)
    }

    @Test func tellsJSONByTypeAndBySuffix() {
        #expect(MediaType("application/problem+json; charset=utf-8")?.isJSON == true)
        #expect(MediaType("text/json")?.isJSON == true)
        #expect(MediaType("application/jsonl")?.isJSON == false)
        #expect(MediaType("application/a+b+json")?.suffix == "json")
    }

    @Test func quotesWhatIsNoToken() throws {
        var type = MediaType("multipart", "Mixed", parameters: [("Boundary", "a b\"c\\d")])
        #expect(type.description == #"multipart/mixed; boundary="a b\"c\\d""#)
        #expect(MediaType(type.description) == type)
        type["BOUNDARY"] = "x"
        #expect(type.description == "multipart/mixed; boundary=x")
        type["boundary"] = nil
        #expect(type.description == "multipart/mixed")
    }

    @Test(arguments: ["", "/", "a/", "/b", "a/b c", "a b/c", "ä/b", "a/b\u{0}"]) func refusesWhatHasNoType(
        _ text: String
    ) {
        #expect(MediaType(text) == nil)
    }

    /// By the MIME Sniffing standard, §4.4.
    @Test(arguments: [
        ("text/html", "text/html"), (" \t\r\nTEXT/HTML;CHARSET=UTF-8 ", "text/html; charset=UTF-8"),
        ("text/html \t;a=b", "text/html; a=b"), ("text/html; \r\na=b", "text/html; a=b"),
        ("text/html;", "text/html"), ("text/html;charset", "text/html"), ("text/html;a;b=c", "text/html; b=c"),
        ("text/html;;;a=b", "text/html; a=b"), ("text/html;=b;c=d", "text/html; c=d"), ("text/html;a=", "text/html"),
        ("text/html;a=;b=c", "text/html; b=c"), ("text/html;a= ;b=c", "text/html; b=c"),
        ("text/html;a=\"\";b=c", "text/html; a=\"\"; b=c"), ("text/html;a=\"b", "text/html; a=b"),
        (#"text/html;a="b\"c;d"x;e=f"#, #"text/html; a="b\"c;d"; e=f"#),
        (#"text/html;a="\x\\"#, #"text/html; a="x\\""#),
        ("text/html;a b=c;d=e", "text/html; d=e"), ("text/html;a =b;c=d", "text/html; c=d"),
        ("text/html;ä=b;c=d", "text/html; c=d"), ("text/html;A=1;b=2;a=3", "text/html; a=1; b=2"),
        ("text/html;a=b=c", "text/html; a=\"b=c\""), ("text/html;a=b \t;c=d", "text/html; a=b; c=d"),
        ("text/html;a=\u{1}", "text/html"), ("text/html;a=\u{1F};b=\u{20}c", "text/html; b=\" c\""),
    ])
    func whatStandsInTheTextCounts(_ text: String, _ description: String) throws {
        #expect(try #require(MediaType(text)).description == description)
    }

    @Test(arguments: ["text", "text/", "text/html,a", "text/html/x", "text /html", "text/ html", "text/html a;b=c"])
    func whatFollowsATypeIsAParameter(_ text: String) { #expect(MediaType(text) == nil) }

    @Test func aParameterIsSetInItsPlace() {
        var type = MediaType("Text", "HTML", parameters: [("A", "1"), ("b", "2")])
        #expect(type.type == "text" && type.subtype == "html" && type.essence == "text/html")
        type["c"] = "3"
        type["a"] = "4"
        type["d"] = nil
        #expect(type.description == "text/html; a=4; b=2; c=3")
        #expect(type["A"] == "4" && type["B"] == "2" && type["d"] == nil)
        type["B"] = nil
        #expect(type.parameters.map(\.name) == ["a", "c"])
    }

    @Test(
        arguments: [
            ("application/json", nil, true), ("text/json;a=b", nil, true), ("a/b+json", "json", true),
            ("a/b+xml", "xml", false),
            ("image/json", nil, false), ("application/jsonp", nil, false), ("a/+", "", false),
            ("text/plain", nil, false),
        ] as [(String, Substring?, Bool)])
    func theSuffixStandsBehindTheLastPlus(_ text: String, _ suffix: Substring?, _ isJSON: Bool) throws {
        let type = try #require(MediaType(text))
        #expect(type.suffix == suffix && type.isJSON == isJSON)
    }

    @Test(arguments: [
        ("a.json", "application/json"), ("A.PNG", "image/png"), ("x/y.tar.html", "text/html"), ("a.unknown", nil),
        ("json", nil), ("", nil),
    ])
    func theNameOfAFileTellsItsType(_ name: String, _ type: String?) {
        #expect(MediaType(filename: name)?.essence == type)
    }
}
