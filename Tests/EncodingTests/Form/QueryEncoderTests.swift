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
            #expect(try FormDecoder().decode([String: String].self, from: query) == ["k": value], "\(vector)")
        }
    }

    @Test func aPlusIsEncodedAndASpaceIsNoPlus() throws {
        #expect(try QueryEncoder().string(from: ["a+b": "c d+e"]) == "a%2Bb=c%20d%2Be")
        #expect(
            QueryEncoder.string(of: [URLQueryItem(name: "a", value: nil), URLQueryItem(name: "b", value: "")]) == "b=")
    }

    /// RFC 6570 §3.2.8: a comma between the elements of a list stands as it is, and no other separator.
    @Test(
        arguments: [(.commas, "t=a,b%20c"), (.spaces, "t=a%20bc"), (.pipes, "t=a%7Cb%20c")]
            as [(FormOptions.Arrays, String)])
    func aListIsSeparated(arrays: FormOptions.Arrays, query: String) throws {
        let last = arrays == .spaces ? "bc" : "b c"
        #expect(try QueryEncoder(.init(arrays: arrays)).string(from: ["t": ["a", last]]) == query)
    }

    @Test func whatAFormRefusesIsLeftOut() throws {
        let gaps: [String: [Int?]] = ["t": [1, nil, 3]]
        #expect(try QueryEncoder().string(from: gaps) == "t=1&t=3")
        #expect(try QueryEncoder(.init(arrays: .brackets)).items(from: gaps).map(\.value) == ["1", "3"])
        #expect(try QueryEncoder(.init(nils: .empty)).string(from: gaps) == "t=1&t=&t=3")
        #expect(throws: EncodingError.self) { try FormEncoder().string(from: gaps) }
        let groups = ["a": [], "b": [2]]
        #expect(try QueryEncoder().string(from: groups) == "b=2")
        #expect(throws: EncodingError.self) { try FormEncoder().string(from: groups) }
    }

    @Test func aModelWithNothingToWriteIsLeftOut() throws {
        struct Filter: Encodable { var tags: [String] }
        let list = ["f": [Filter(tags: []), Filter(tags: ["x"])]]
        #expect(try QueryEncoder().items(from: list) == [URLQueryItem(name: "f[1][tags]", value: "x")])
        #expect(throws: EncodingError.self) { try FormEncoder().items(from: list) }
        #expect(try QueryEncoder().items(from: ["k": Filter(tags: [])]).isEmpty)
        #expect(try FormEncoder().string(from: ["k": Filter(tags: [])]) == "k=")
        #expect(try QueryEncoder().string(from: ["k": [String: Int]()]) == "k=")
        #expect(throws: EncodingError.self) { try QueryEncoder().items(from: ["a": [[Int]()]]) }
    }

    @Test func whatHasAPlaceIsNotLeftOut() {
        let gaps: [String: [Int?]] = ["t": [1, nil, 3]]
        #expect(throws: EncodingError.self) { try QueryEncoder(.init(arrays: .indices)).string(from: gaps) }
        let nested: [String: [[Int]?]] = ["t": [[1], nil]]
        #expect(throws: EncodingError.self) { try QueryEncoder().string(from: nested) }
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
