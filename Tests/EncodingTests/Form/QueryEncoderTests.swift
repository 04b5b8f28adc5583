// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import TestSupport
import Testing

struct QueryEncoderTests {
    @Test(.vectors("url/percent-encoding.json")) func valuesAreEncodedOnceAndByTheRules() throws {
        for vector in try Vectors.cases("url/percent-encoding.json", "query_values") {
            let value = try #require(vector["value"]?.string)
            let query = try QueryEncoder().string(from: ["k": value])
            let expected = try #require(vector["expected"]?.array).compactMap(\.string)
            #expect(expected.map { "k=" + $0 }.contains(query), "\(vector)")
            #expect(try FormDecoder().decode([String: String].self, from: query) == ["k": value])
        }
    }

    @Test func aPlusIsEncodedAndASpaceIsNoPlus() throws {
        #expect(try QueryEncoder().string(from: ["a+b": "c d+e"]) == "a%2Bb=c%20d%2Be")
        #expect(
            QueryEncoder.string(of: [URLQueryItem(name: "a", value: nil), URLQueryItem(name: "b", value: "")]) == "b=")
    }

    @Test func modelsBecomeItems() throws {
        struct Search: Encodable {
            var q = "x"
            var page: Int?
            var tags = ["a", "b"]
        }
        #expect(
            try QueryEncoder().items(from: Search()) == [
                URLQueryItem(name: "q", value: "x"), URLQueryItem(name: "tags", value: "a"),
                URLQueryItem(name: "tags", value: "b"),
            ])
        #expect(try QueryEncoder().items(from: ["b": 2, "a": 1]).map(\.name) == ["a", "b"])
        #expect(try QueryEncoder().items(from: ["x", "y"], named: "t").map(\.value) == ["x", "y"])
    }
}
