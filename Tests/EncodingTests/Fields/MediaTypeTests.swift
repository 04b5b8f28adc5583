// SPDX-License-Identifier: Apache-2.0

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
            for (name, value) in parameters { #expect(type?[name] == value.string, "\(id)") }
            #expect(type?.charset == vector["charset"]?.string, "\(id)")
        }
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
