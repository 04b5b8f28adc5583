// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct FormDecoderTests {
    @Test func withoutAModelEveryValueIsText() throws {
        let value = try FormDecoder().decode(
            [String: JSONValue].self, from: "a=1&b=&c=x&c=y&d[k]=true&e[0][n]=2&e[1][n]=3&f[]=z")
        let expected: [String: JSONValue] = [
            "a": "1", "b": "", "c": ["x", "y"], "d": ["k": "true"], "e": [["n": "2"], ["n": "3"]], "f": "z",
        ]
        #expect(value == expected)
    }

    @Test(
        arguments: [
            ("a.b=1", ["a": ["b": "1"]]), ("a..b=1", ["a": ["": ["b": "1"]]]), ("a.=1", ["a": ["": "1"]]),
            ("a.b[]=1&a.b[]=2", ["a": ["b": ["1", "2"]]]), ("a[b].c=1", ["a": ["b": ["c": "1"]]]),
            (".a=1", [".a": "1"]),
            ("a.bc.d=1", ["a": ["bc": ["d": "1"]]]), ("a[b]c=1", ["a[b]c": "1"]), ("a.b[c=1", ["a.b[c": "1"]),
        ] as [(String, JSONValue)])
    func aNameWithDotsIsTakenApart(_ text: String, _ expected: JSONValue) throws {
        #expect(try FormDecoder(FormOptions(nesting: .dots)).decode(JSONValue.self, from: text) == expected)
    }

    @Test(
        arguments: [("", [:]), ("0=a&1=b", ["0": "a", "1": "b"]), ("a[0]=x&a[k]=y", ["a": ["0": "x", "k": "y"]])]
            as [(String, JSONValue)])
    func theTopLevelWithoutAModelIsAnObject(_ text: String, _ expected: JSONValue) throws {
        #expect(try FormDecoder().decode(JSONValue.self, from: text) == expected)
    }

    @Test func aValueThatMayBeAnythingIsNotMadeOfNothing() throws {
        struct Model: Decodable {
            var a: JSONValue
            var b: JSONValue?
        }
        let error = try #require(throws: DecodingError.self) { try FormDecoder().decode(Model.self, from: "b=1") }
        guard case .keyNotFound(let key, _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(key.stringValue == "a")
        #expect(try FormDecoder().decode(Model.self, from: "a=").b == nil)
    }

    @Test(arguments: ["a=1&a[b]=2", "a[b]=2&a=1", "a[]=1&a[k]=2", "x[0]=1&x[0][a]=2"])
    func aValueAndKeysInOnePlaceAreAnErrorWithoutAModel(_ text: String) {
        #expect(throws: DecodingError.self) { try FormDecoder().decode(JSONValue.self, from: text) }
    }

    @Test(arguments: ["a=1&a[b]=2", "a[b]=2&a=1", "a[][b]=2", "a=1&a[][b]=2"])
    func aValueAndKeysInOnePlaceAreAnErrorWithAModel(_ text: String) {
        struct Keys: Decodable {
            struct Inner: Decodable { var b: Int? }
            var a: Inner
        }
        struct Value: Decodable { var a: Int? }
        #expect(throws: DecodingError.self) { try FormDecoder().decode(Keys.self, from: text) }
        #expect(throws: DecodingError.self) { try FormDecoder().decode(Value.self, from: text) }
    }

    @Test func aValueThatMeansNilDoesNotHideTheKeysBesideIt() {
        struct Model: Decodable { var a: [String: Int]? }
        let decoder = FormDecoder(.init(nils: .text("null")))
        #expect(throws: DecodingError.self) { try decoder.decode(Model.self, from: "a=null&a[b]=2") }
    }

    @Test(arguments: [("user__id", FormOptions.Keys.snakeCase), ("userID", .snakeCase), ("X-API-Key", .kebabCase)])
    func everyKeyThatIsThereCanBeLookedUp(_ name: String, _ keys: FormOptions.Keys) throws {
        let values = try FormDecoder(.init(keys: keys)).decode(AnyKeys.self, from: "\(name)=1").values
        #expect(Array(values.values) == ["1"])
    }

    @Test func anOptionalDictionaryTakesNamesAsTheyAre() throws {
        #expect(try FormDecoder().decode([String: String]?.self, from: "a[b]=1") == ["a[b]": "1"])
    }

    @Test(.timeLimit(.minutes(10))) func aModelInsideOfItsOwnKindIsNotMadeOfNothing() throws {
        let tree = try FormDecoder().decode(Tree.self, from: "value=1&left[value]=2")
        #expect(tree.left?.value == 2 && tree.left?.left == nil && tree.right == nil)
        let chain = try FormDecoder().decode(Chain.self, from: "items=1&next[items]=2")
        #expect(chain.next?.items == [2] && chain.next?.next == nil)
        #expect(try FormDecoder().decode(Chain.self, from: "").next == nil)
    }

    @Test func modelsThatAllTryOneAnotherAreSoonDone() throws {
        let calls = Calls()
        var decoder = FormDecoder()
        decoder.userInfo = [try #require(CodingUserInfoKey(rawValue: "calls")): calls]
        _ = try decoder.decode(Peer<Int>.self, from: "a=1")
        // The model itself, and within each of the eight that it tries a thousand at most.
        #expect(calls.count.withLock { $0 } == 8001)
    }

    @Test(.timeLimit(.minutes(10))) func aModelThatNeverEndsIsAnError() {
        struct Endless: Decodable {
            enum Key: CodingKey { case next }
            init(from decoder: any Decoder) throws {
                _ = try Endless(from: decoder.container(keyedBy: Key.self).superDecoder(forKey: .next))
            }
        }
        #expect(throws: DecodingError.self) { try FormDecoder().decode(Endless.self, from: "a=1") }
    }

    @Test func everyNotationOfArraysIsRead() throws {
        struct Post: Codable, Equatable {
            struct Author: Codable, Equatable {
                var name: String
                var age: Int
            }
            var authors: [Author]
        }
        let expected = Post(authors: [.init(name: "a", age: 1), .init(name: "b", age: 2)])
        for text in [
            "authors[][name]=a&authors[][age]=1&authors[][name]=b&authors[][age]=2",
            "authors[0][name]=a&authors[1][name]=b&authors[0][age]=1&authors[1][age]=2",
            "authors[7][name]=b&authors[7][age]=2&authors[3][name]=a&authors[3][age]=1",
        ] {
            #expect(try FormDecoder().decode(Post.self, from: text) == expected, "\(text)")
        }
        for text in ["a=1&a=2", "a[]=1&a[]=2", "a[0]=1&a[1]=2", "a[10]=2&a[9]=1", "a=1&a[]=2"] {
            #expect(try FormDecoder().decode([String: [Int]].self, from: text) == ["a": [1, 2]], "\(text)")
        }
    }

    @Test(arguments: [
        "a=x", "a=", "a=1&a=2", "a[b]=1", "b=1", "", "a=99999999999999999999", "a=1.5", "a= 1",
    ]) func whatDoesNotFitTheModelIsAnError(_ text: String) {
        struct Number: Decodable { var a: Int }
        #expect(throws: DecodingError.self) { try FormDecoder().decode(Number.self, from: text) }
    }

    @Test(arguments: ["0x10", "0x1p4", "Infinity", "infinity", "NaN", "1e999", "-1e999", "1_0", "x", ""])
    func aNumberIsDecimalAndNothingElse(_ text: String) {
        #expect(throws: DecodingError.self) { try FormDecoder().decode([String: Double].self, from: "a=\(text)") }
        #expect(throws: DecodingError.self) { try FormDecoder().decode([String: Float].self, from: "a=\(text)") }
    }

    @Test(arguments: [("1", 1.0), ("-0.5", -0.5), ("1E-2", 0.01), ("%2B1e3", 1000.0), ("007", 7.0)])
    func everyDecimalNotationIsRead(_ text: String, _ number: Double) throws {
        #expect(try FormDecoder().decode([String: Double].self, from: "a=\(text)") == ["a": number])
    }

    @Test func errorsTellThePath() throws {
        struct Number: Decodable {
            struct Inner: Decodable {
                var id: Int
                var list: [Int]
            }
            var a: Inner
        }
        let error = try #require(throws: DecodingError.self) {
            try FormDecoder().decode(Number.self, from: "a[id]=1&a[list][]=1&a[list][]=x")
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "list", "Index 1"])
        let missing = try #require(throws: DecodingError.self) { try FormDecoder().decode(Number.self, from: "b=1") }
        guard case .keyNotFound(let key, _) = missing else {
            Issue.record("\(missing)")
            return
        }
        #expect(key.stringValue == "a")
    }

    @Test(arguments: [
        "a[", "a]", "[", "]", "[]", "a[b", "a[b]c", "a[[b]]", "a[][][]", "a[].b", "=", "&", "%", "a[b][", "..", "a..b",
    ])
    func oddNamesAreKeysAsTheyAre(_ name: String) throws {
        let text = String(decoding: FormEncoder().encode([URLFormItem(name: name, value: "1")]), as: UTF8.self)
        #expect(try FormDecoder().decode([String: String].self, from: text) == [name: "1"])
        _ = try? FormDecoder().decode([String: [String: [String]]].self, from: text)
    }

    /// In quadratic time what follows would take minutes, as would the next test.
    @Test func depthIsBoundedAndWidthIsNot() throws {
        let deep = "a" + String(repeating: "[a]", count: 100_000) + "=1"
        #expect(throws: DecodingError.self) { try FormDecoder().decode([String: JSONValue].self, from: deep) }
        let wide = (0..<20_000).map { "k[\($0)][v]=\($0)" }.joined(separator: "&")
        #expect(try FormDecoder().decode([String: [[String: Int]]].self, from: wide)["k"]?.count == 20_000)
        let appended = String(repeating: "a[][b]=1&", count: 20_000)
        #expect(throws: DecodingError.self) { try FormDecoder().decode([String: [String]].self, from: appended) }
        _ = try FormEncoder().encode(Dictionary((0..<20_000).map { ("k\($0)", $0) }) { $1 })
        _ = try FormEncoder().encode(["a": Array(0..<20_000)])
    }

    @Test func aNameMayHaveManyWords() throws {
        let name = String(repeating: "a_", count: 500_000) + "b"
        let form = try FormDecoder(.init(keys: .snakeCase)).decode(AnyKeys.self, from: "\(name)=1")
        #expect(form.values == ["a" + String(repeating: "A", count: 499_999) + "B": "1"])
    }

    @Test(arguments: ["[a]", "[a][b]", "[]", "[", "]", "a]", "a[", "a[b", "a[[b]]", "a[b]c"])
    func aNameThatIsNoNotationIsAKeyAsItIs(name: String) throws {
        let items = [URLFormItem(name: name, value: "1")]
        #expect(try FormDecoder().decode(JSONValue.self, from: items) == .object([name: "1"]))
        #expect(try FormDecoder().decode([String: Int].self, from: items) == [name: 1])
    }

    private static let arrays: [FormOptions.Arrays] = [.repeated, .brackets, .indices, .commas, .spaces, .pipes]

    @Test(arguments: arrays)
    func nilInAnArrayIsReadBackWhereItHasAText(arrays: FormOptions.Arrays) throws {
        let value = ["t": [1, nil, 3]]
        let options = FormOptions(arrays: arrays, nils: .text("null"))
        let text = try FormEncoder(options).string(from: value)
        #expect(try FormDecoder(options).decode([String: [Int?]].self, from: text) == value)
        let error = #expect(throws: EncodingError.self) {
            try FormEncoder(FormOptions(arrays: arrays)).string(from: value)
        }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["t", "Index 1"])
    }

    @Test func aListInOneTextIsSplitByItsOwnSeparatorAlone() throws {
        let commas = FormDecoder(FormOptions(arrays: .commas))
        #expect(try commas.decode([String: [Int]].self, from: "t=1,2") == ["t": [1, 2]])
        #expect(try commas.decode([String: [Int]].self, from: "t=1&t=2") == ["t": [1, 2]])
        #expect(try commas.decode([String: String].self, from: "t=1,2") == ["t": "1,2"])
        #expect(try FormDecoder().decode([String: [String]].self, from: "t=1,2") == ["t": ["1,2"]])
    }
}

/// How often a model was asked for.
final class Calls: Sendable {
    let count = Mutex(0)
}

/// Tries all of its kind, whether they are there or not.
struct Peer<Name>: Decodable {
    enum Key: CodingKey { case next }

    init(from decoder: any Decoder) throws {
        for case let calls as Calls in decoder.userInfo.values { calls.count.withLock { $0 += 1 } }
        let container = try decoder.container(keyedBy: Key.self)
        _ = try? container.decode(Peer<Int>.self, forKey: .next)
        _ = try? container.decode(Peer<Int8>.self, forKey: .next)
        _ = try? container.decode(Peer<Int16>.self, forKey: .next)
        _ = try? container.decode(Peer<Int32>.self, forKey: .next)
        _ = try? container.decode(Peer<Int64>.self, forKey: .next)
        _ = try? container.decode(Peer<UInt8>.self, forKey: .next)
        _ = try? container.decode(Peer<UInt16>.self, forKey: .next)
        _ = try? container.decode(Peer<UInt32>.self, forKey: .next)
    }
}

/// Whatever keys there are.
struct AnyKeys: Decodable {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let values: [String: String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let pairs = try container.allKeys.map { ($0.stringValue, try container.decode(String.self, forKey: $0)) }
        values = Dictionary(uniqueKeysWithValues: pairs)
    }
}

/// Tries its branches, whether they are there or not.
final class Tree: Decodable {
    let left: Tree?
    let right: Tree?
    let value: Int

    enum CodingKeys: CodingKey { case left, right, value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        left = try? container.decode(Tree.self, forKey: .left)
        right = try? container.decode(Tree.self, forKey: .right)
        value = try container.decode(Int.self, forKey: .value)
    }
}

/// The same with nothing that has to be there.
final class Chain: Decodable {
    let items: [Int]
    let next: Chain?

    enum CodingKeys: CodingKey { case items, next }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        items = try container.decode([Int].self, forKey: .items)
        next = try? container.decode(Chain.self, forKey: .next)
    }
}
