// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

/// What of a model has a notation in a form and in a query, and under which names.
struct EntryWriterTests {
    private struct Model: Encodable {
        var first: [Int?] = [1]
        var second: [String: [Int?]] = ["x": [2], "y": [3]]
        var third: [[Int?]] = [[4], [5]]
    }
    private struct Labels: Encodable { var labels: [String] = [] }

    private func form(_ model: some Encodable, _ options: FormOptions = FormOptions()) throws -> String? {
        try FormEncoder(options).string(from: model).removingPercentEncoding
    }

    private func query(_ model: some Encodable, _ options: FormOptions = FormOptions()) throws -> String? {
        try QueryEncoder(options).string(from: model).removingPercentEncoding
    }

    @Test func anErrorNamesThePlace() throws {
        let noNil = "nil in an array cannot be left out: choose other FormOptions.nils"
        #expect(try form(Model()) == "first=1&second[x]=2&second[y]=3&third[0]=4&third[1]=5")
        #expect(refusal { try form(Model(first: [1, nil])) } == "first[1]: \(noNil)")
        #expect(refusal { try form(Model(second: ["x": [1, 2], "y": [3, nil]])) } == "second.y[1]: \(noNil)")
        #expect(refusal { try form(Model(third: [[1], [2, nil]])) } == "third[1][1]: \(noNil)")
        let empty = "something empty in an array has no notation in a form"
        #expect(refusal { try form(Model(third: [[1], []])) } == "third[1]: \(empty)")
        #expect(refusal { try query(Model(third: [[1], []])) } == "third[1]: \(empty)")
        #expect(refusal { try form(["a": [Labels(labels: ["x"]), Labels()]]) } == "a[1]: \(empty)")
        #expect(
            refusal { try form(["a": [1], "b": []]) } == "b: an empty array in a dictionary has no notation in a form")
        let lists = FormOptions(arrays: .pipes)
        let separator = #"an element of a list that is separated by "|" has one in it"#
        #expect(refusal { try form(["a": ["x"], "b": ["x", "y|z"]], lists) } == "b[1]: \(separator)")
        #expect(refusal { try form(["a": ["x"], "b": ["x", nil]], lists) } == "b[1]: \(noNil)")
        #expect(refusal { try form(["": ["x": 1]]) }?.hasSuffix("nested values need a name that is not empty") == true)
        for value: any Encodable in [1, "x", true, [1, 2], Int?.none] {
            #expect(
                refusal { try FormEncoder().string(from: value) }
                    == "a form has names at its top level: encode a model, or give a name")
        }
    }

    @Test func aQueryLeavesOutWhatAFormRefuses() throws {
        #expect(try query(["t": [nil, 1, nil, 2]]) == "t=1&t=2")
        #expect(try query(["t": [nil, 1, nil]], .init(arrays: .commas)) == "t=1")
        #expect(try query(["t": [Int?.none]], .init(arrays: .commas)) == "")
        #expect(try query(["a": [Labels(labels: ["x"]), Labels()]]) == "a[0][labels]=x")
        #expect(try query(["a": [], "b": [1]]) == "b=1")
        #expect(throws: EncodingError.self) { try query(["t": [nil, 1]], .init(arrays: .indices)) }
        #expect(throws: EncodingError.self) { try query(["t": [nil, [1]]]) }
        #expect(throws: EncodingError.self) { try query(["t": [nil, [1]]], .init(arrays: .commas)) }
    }

    @Test(
        arguments: [
            (.repeated, "t=1&t=2&n=&n=3"), (.brackets, "t[]=1&t[]=2&n[]=&n[]=3"),
            (.indices, "t[0]=1&t[1]=2&n[0]=&n[1]=3"),
            (.commas, "t=1,2&n=,3"), (.spaces, "t=1+2&n=+3"), (.pipes, "t=1|2&n=|3"),
        ] as [(FormOptions.Arrays, String)])
    func aListHasTheNotationOfTheOptions(_ arrays: FormOptions.Arrays, _ text: String) throws {
        struct Lists: Encodable {
            var t = [1, 2]
            var n = [nil, 3]
            var none: [Int] = []
        }
        #expect(try form(Lists(), .init(arrays: arrays, nils: .empty)) == text)
    }

    /// Nothing but an index tells where an element that is a list or an object ends.
    @Test func elementsThatAreContainersHaveIndices() throws {
        for arrays in [FormOptions.Arrays.repeated, .brackets, .indices] {
            #expect(try form(["a": [["k": 1], ["k": 2]]], .init(arrays: arrays)) == "a[0][k]=1&a[1][k]=2")
        }
        #expect(try form(["a": [[1, 2], [3]]]) == "a[0]=1&a[0]=2&a[1]=3")
        #expect(try form(["a": [[1, 2], [3]]], .init(arrays: .brackets)) == "a[0][]=1&a[0][]=2&a[1][]=3")
        #expect(try form(["a": [[1, 2], [3]]], .init(arrays: .commas)) == "a[0]=1,2&a[1]=3")
        #expect(try form(["a": [["k": [1, 2]]]], .init(arrays: .pipes)) == "a[0][k]=1|2")
    }

    @Test func aKeyThatAReaderWouldTakeApartIsRefused() throws {
        func told(_ key: String) -> String { "the key \"\(key)\" cannot be told from the notation of nested values" }
        for key in ["x[", "]", "[]", "x[y]"] {
            #expect(refusal { try form(["a": [key: 1]]) } == "a.\(key): \(told(key))")
            #expect(try form([key: 1]) == "\(key)=1")
        }
        #expect(refusal { try form(["a": ["": 1]]) }?.hasSuffix(told("")) == true)
        #expect(try form(["a": ["x.y": 1], "": [String: Int]()]) == "=&a[x.y]=1")
        let dots = FormOptions(nesting: .dots)
        for key in ["x.y", ".", "x[", "]"] {
            #expect(refusal { try form(["a": [key: 1]], dots) } == "a.\(key): \(told(key))")
            #expect(try form([key: 1], dots) == "\(key)=1")
            // A key above others is taken apart, too.
            #expect(refusal { try form([key: ["b": 1]], dots) } == "\(key): \(told(key))")
        }
        #expect(try form(["a": ["": 1]], dots) == "a.=1")
        #expect(try form(["a": ["b": ["c": 1]]], dots) == "a.b.c=1")
    }

    @Test func sortedNamesKeepTheOrderOfTheirValues() throws {
        struct Unsorted: Encodable {
            var b = [3, 1, 2]
            var a = "x"
            var c = 1
            var B = 0
        }
        #expect(try form(Unsorted(), .init(order: .sorted)) == "B=0&a=x&b=3&b=1&b=2&c=1")
        #expect(try form(Unsorted()) == "b=3&b=1&b=2&a=x&c=1&B=0")
        let values = [("b", 2), ("a", 1), ("b", 1)].map { NamedValue($0.0, $0.1, isExplicit: true) }
        let sorted = QueryEncoder(.init(order: .sorted))
        #expect(try sorted.entries(of: values).queryText() == "a=1&b=2&b=1")
        #expect(try QueryEncoder().entries(of: values).queryText() == "b=2&a=1&b=1")
    }

    @Test func severalValuesMayHaveOneNameInAQueryAlone() throws {
        func values(_ values: (String, any Encodable)...) -> [NamedValue] {
            values.map { NamedValue($0.0, $0.1, isExplicit: false) }
        }
        let encoder = QueryEncoder(.init(keys: .snakeCase))
        let (numbers, model) = (values(("aB", 1), ("aB", [2, 3])), values(("m", ["a_b": 1]), ("aB", 2)))
        #expect(try encoder.entries(of: numbers).queryText() == "a_b=1&a_b=2&a_b=3")
        let twice = "two values for the name"
        #expect(refusal { try encoder.entries(of: model) } == "aB: \(twice) \"a_b\"")
        #expect(refusal { try encoder.entries(of: model.reversed()) } == "m: \(twice) \"a_b\"")
        #expect(refusal { try encoder.entries(of: values(("m", ["x": 1]), ("n", ["x": 2]))) } == "n: \(twice) \"x\"")
        #expect(refusal { try FormEncoder().items(of: numbers) } == "aB: \(twice) \"aB\"")
        #expect(
            try FormEncoder().items(of: values(("a", [1, 2]), ("m", ["b": 3]), ("c", 4))).map(\.name) == [
                "a", "a", "b", "c",
            ])
    }

    @Test func noTwoValuesOfAModelHaveOneName() throws {
        struct Clash: Encodable {
            var list: [Int]
            var other: Int
            enum CodingKeys: String, CodingKey { case list, other = "list[]" }
        }
        let options = FormOptions(arrays: .brackets)
        #expect(
            refusal { try form(Clash(list: [1, 2], other: 3), options) } == #"list[]: two values for the name "list[]""#
        )
        #expect(try form(Clash(list: [], other: 3), options) == "list[]=3")
        #expect(try form(Clash(list: [1, 2], other: 3)) == "list=1&list=2&list[]=3")
    }

    @Test func whatIsEmptyHasItsNameInADictionaryAlone() throws {
        struct Inner: Encodable {}
        struct Outer: Encodable {
            var inner = Inner()
            var labels = Labels()
            var keys = [String: Int]()
            var q = 1
        }
        #expect(try form(Outer()) == "q=1")
        #expect(try query(Outer()) == "q=1")
        #expect(try form(["a": Labels(), "b": Labels(labels: ["x"])]) == "a=&b[labels]=x")
        #expect(try query(["a": Labels(), "b": Labels(labels: ["x"])]) == "b[labels]=x")
        #expect(try form(["a": Inner()]) == "a=")
        #expect(try query(["a": Inner()]) == "a=")
        #expect(try form([String: Int]()) == "")
        #expect(try form(Inner()) == "")
    }

    @Test func theDepthOfANameIsLimited() throws {
        func nested(_ depth: Int) -> JSONValue { (1..<depth).reduce(["a": 1]) { value, _ in ["a": value] } }
        func list(_ depth: Int) -> JSONValue { ["a": (1..<depth).reduce(1) { value, _ in [value] }] }
        for make in [nested, list] {
            #expect(throws: Never.self) { try query(make(64)) }
            #expect(refusal { try query(make(65)) }?.hasSuffix("nested deeper than 64") == true)
        }
    }
}
