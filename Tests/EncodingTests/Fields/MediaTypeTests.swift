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
}
