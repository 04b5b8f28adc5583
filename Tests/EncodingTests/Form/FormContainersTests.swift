// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

/// What models that decode themselves may ask of a form.
struct FormContainersTests {
    private struct Named: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Decodes itself by a closure, so that each test says what it asks for.
    private struct Asking: Decodable {
        static let key = CodingUserInfoKey(rawValue: "ask")
        typealias Ask = @Sendable (any Decoder) throws -> Void

        init(from decoder: any Decoder) throws {
            for case let ask as Ask in decoder.userInfo.values { try ask(decoder) }
        }
    }

    private func ask(_ text: String, _ options: FormOptions = FormOptions(), _ ask: @escaping Asking.Ask) throws {
        var decoder = FormDecoder(options)
        decoder.userInfo = [try #require(Asking.key): ask]
        _ = try decoder.decode(Asking.self, from: text)
    }

    private func place(_ error: (any Error)?) -> [String]? {
        switch error as? DecodingError {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map(\.stringValue)
        default: nil
        }
    }

    private struct Pair<Number: FixedWidthInteger & Codable>: Codable, Equatable {
        var low = Number.min
        var high = Number.max
        var none: Number?
    }

    private func checkWidth<Number: FixedWidthInteger & Codable & Sendable>(
        _ type: Number.Type, _ lowest: String, _ highest: String, below: String, above: String
    ) throws {
        let text = "low=\(lowest)&high=\(highest)"
        #expect(try FormEncoder().string(from: Pair<Number>()) == text)
        #expect(try FormDecoder().decode(Pair<Number>.self, from: text) == Pair())
        #expect(try FormDecoder().decode([String: Number].self, from: text) == ["low": .min, "high": .max])
        let list = "a=\(lowest)&a=\(highest)"
        #expect(try FormEncoder().string(from: ["a": [Number.min, .max]]) == list)
        #expect(try FormDecoder().decode([String: [Number]].self, from: list) == ["a": [.min, .max]])
        for text in [below, above, "", "1.0", "x", "1 "] {
            #expect(throws: DecodingError.self, "\(type) \(text)") {
                try FormDecoder().decode([String: Number].self, from: [URLFormItem(name: "a", value: text)])
            }
            #expect(throws: DecodingError.self, "\(type) \(text)") {
                try FormDecoder().decode([String: [Number]].self, from: [URLFormItem(name: "a", value: text)])
            }
        }
        // Asked for by type, in each kind of container.
        try ask("a=\(highest)&a=\(lowest)") { decoder in
            var elements = try decoder.container(keyedBy: Named.self)
                .nestedUnkeyedContainer(forKey: Named(stringValue: "a"))
            #expect(try elements.decode(Number.self) == .max)
            #expect(try elements.superDecoder().singleValueContainer().decode(Number.self) == .min)
            #expect(elements.isAtEnd)
        }
    }

    @Test func integersOfEveryWidthAreReadAndWritten() throws {
        try checkWidth(Int8.self, "-128", "127", below: "-129", above: "128")
        try checkWidth(Int16.self, "-32768", "32767", below: "-32769", above: "32768")
        try checkWidth(Int32.self, "-2147483648", "2147483647", below: "-2147483649", above: "2147483648")
        try checkWidth(
            Int64.self, "-9223372036854775808", "9223372036854775807", below: "-9223372036854775809",
            above: "9223372036854775808")
        try checkWidth(
            Int.self, "-9223372036854775808", "9223372036854775807", below: "-9223372036854775809",
            above: "9223372036854775808")
        try checkWidth(
            Int128.self, "-170141183460469231731687303715884105728", "170141183460469231731687303715884105727",
            below: "-170141183460469231731687303715884105729", above: "170141183460469231731687303715884105728")
        try checkWidth(UInt8.self, "0", "255", below: "-1", above: "256")
        try checkWidth(UInt16.self, "0", "65535", below: "-1", above: "65536")
        try checkWidth(UInt32.self, "0", "4294967295", below: "-1", above: "4294967296")
        try checkWidth(UInt64.self, "0", "18446744073709551615", below: "-1", above: "18446744073709551616")
        try checkWidth(UInt.self, "0", "18446744073709551615", below: "-1", above: "18446744073709551616")
        try checkWidth(
            UInt128.self, "0", "340282366920938463463374607431768211455", below: "-1",
            above: "340282366920938463463374607431768211456")
    }

    /// Not by way of a model or an array, which ask for a value of any type.
    @Test func wideIntegersAreReadWhereTheyAreAskedForByType() throws {
        try ask("s=-5&u=6&l=-7&l=8") { decoder in
            let container = try decoder.container(keyedBy: Named.self)
            #expect(try container.decode(Int128.self, forKey: Named(stringValue: "s")) == -5)
            #expect(try container.decode(UInt128.self, forKey: Named(stringValue: "u")) == 6)
            var list = try container.nestedUnkeyedContainer(forKey: Named(stringValue: "l"))
            #expect(try list.decode(Int128.self) == -7)
            #expect(throws: DecodingError.self) { try list.decode(Bool.self) }
            #expect(try list.decode(UInt128.self) == 8)
            #expect(list.isAtEnd)
            #expect(throws: DecodingError.self) { try container.decode(UInt128.self, forKey: Named(stringValue: "s")) }
        }
    }

    @Test func anArrayTellsWhereItIs() throws {
        try ask("a[]=1&a[]=&a[]=3", FormOptions(nils: .empty)) { decoder in
            var list = try decoder.container(keyedBy: Named.self)
                .nestedUnkeyedContainer(forKey: Named(stringValue: "a"))
            #expect(list.count == 3 && list.currentIndex == 0 && !list.isAtEnd)
            #expect(list.codingPath.map(\.stringValue) == ["a"])
            #expect(try !list.decodeNil())
            #expect(list.currentIndex == 0)
            #expect(try list.decode(Int.self) == 1)
            #expect(throws: DecodingError.self) { try list.decode(Int.self) }
            #expect(list.currentIndex == 1)
            #expect(try list.decodeNil())
            #expect(list.currentIndex == 2 && !list.isAtEnd)
            #expect(try list.decode(String.self) == "3")
            #expect(list.isAtEnd && list.currentIndex == 3)
            let error = #expect(throws: DecodingError.self) { try list.decode(Int.self) }
            guard case .valueNotFound(let type, let context) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(type == Int.self && context.debugDescription == "the array has only 3 elements")
            #expect(context.codingPath.map(\.stringValue) == ["a"])
            #expect(throws: DecodingError.self) { try list.decodeNil() }
        }
    }

    @Test func containersStandInArraysToo() throws {
        try ask("a[0][k]=1&a[1][0]=x&a[1][1]=y&a[2][k]=2") { decoder in
            var list = try decoder.container(keyedBy: Named.self)
                .nestedUnkeyedContainer(forKey: Named(stringValue: "a"))
            let first = try list.nestedContainer(keyedBy: Named.self)
            #expect(first.codingPath.map(\.stringValue) == ["a", "Index 0"])
            #expect(first.allKeys.map(\.stringValue) == ["k"])
            #expect(try first.decode(Int.self, forKey: Named(stringValue: "k")) == 1)
            #expect(throws: DecodingError.self) { try list.decode(String.self) }
            var second = try list.nestedUnkeyedContainer()
            #expect(second.codingPath.map(\.stringValue) == ["a", "Index 1"])
            #expect(try second.decode(String.self) == "x" && second.decode(String.self) == "y")
            #expect(throws: DecodingError.self) { try list.nestedUnkeyedContainer() }
            let third = try list.superDecoder()
            #expect(third.codingPath.map(\.stringValue) == ["a", "Index 2"])
            #expect(list.isAtEnd)
            #expect(throws: DecodingError.self) { try list.superDecoder() }
            #expect(throws: DecodingError.self) { try list.nestedContainer(keyedBy: Named.self) }
            #expect(throws: DecodingError.self) { try list.nestedUnkeyedContainer() }
        }
    }

    @Test func aSingleValueKnowsItsPlace() throws {
        try ask("a[b]=x&c=") { decoder in
            let container = try decoder.container(keyedBy: Named.self)
            #expect(container.codingPath.isEmpty)
            let inner = try container.nestedContainer(keyedBy: Named.self, forKey: Named(stringValue: "a"))
            let value = try inner.superDecoder(forKey: Named(stringValue: "b")).singleValueContainer()
            #expect(value.codingPath.map(\.stringValue) == ["a", "b"])
            #expect(!value.decodeNil())
            #expect(place(#expect(throws: DecodingError.self) { try value.decode(Int.self) }) == ["a", "b"])
            let none = try container.superDecoder(forKey: Named(stringValue: "d")).singleValueContainer()
            #expect(none.decodeNil())
            #expect(container.contains(Named(stringValue: "c")) && !container.contains(Named(stringValue: "d")))
            #expect(try container.superDecoder().singleValueContainer().decodeNil())
            #expect(try container.superDecoder().codingPath.map(\.stringValue) == ["super"])
        }
    }

    @Test(arguments: ["a[k]=1", "a[0]=1&a[k]=2", "a[-1]=1", "a[0x]=1"])
    func keysThatAreNoIndicesMakeNoArray(_ text: String) {
        let error = #expect(throws: DecodingError.self) { try FormDecoder().decode([String: [Int]].self, from: text) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription == "expected Array<Any>, found keys that are not indices")
        #expect(place(error) == ["a"])
    }

    @Test(arguments: [
        ("a=1", "expected Dictionary<String, Any>, found a value, not keys"),
        ("a[][b]=1", "expected Dictionary<String, Any>, found elements, not keys"),
    ])
    func aModelIsMadeOfKeys(_ text: String, _ description: String) {
        struct Inner: Decodable { var b: Int? }
        let error = #expect(throws: DecodingError.self) { try FormDecoder().decode([String: Inner].self, from: text) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription == description)
    }

    @Test(arguments: [
        ("a[b]=1", "expected Int, found keys, not a value"), ("a=1&a=2&a=3", "3 values where there can be one"),
        ("a=x", "expected Int, found \"x\""),
        ("a=" + String(repeating: "x", count: 61), "expected Int, found \"" + String(repeating: "x", count: 60) + "\""),
    ])
    func anErrorTellsWhatWasFound(_ text: String, _ description: String) {
        struct Number: Decodable { var a: Int }
        let error = #expect(throws: DecodingError.self) { try FormDecoder().decode(Number.self, from: text) }
        switch error {
        case .typeMismatch(_, let context), .dataCorrupted(let context):
            #expect(context.debugDescription == description)
        default: Issue.record("\(String(describing: error))")
        }
        #expect(place(error) == ["a"])
    }

    private enum Level: String, Codable { case low, high = "h i" }

    /// `Codable` would ask for a list of keys and values in turn.
    @Test func aDictionaryOfKeysThatAreNoNamesIsReadAndWritten() throws {
        #expect(try FormEncoder().string(from: [-3 as Int8: 4, 1: 2]) == "-3=4&1=2")
        #expect(try FormDecoder().decode([Int8: Int].self, from: "1=2&-3=4") == [1: 2, -3: 4])
        #expect(try FormEncoder().string(from: ["m": [Level.high: 1, .low: 2]]) == "m%5Bh+i%5D=1&m%5Blow%5D=2")
        #expect(
            try FormDecoder().decode([String: [Level: Int]].self, from: "m[h i]=1&m[low]=2")
                == ["m": [.high: 1, .low: 2]])
        #expect(try FormDecoder().decode([Bool: [Int]].self, from: "yes=1&yes=2&0=3") == [true: [1, 2], false: [3]])
        let wrong = #expect(throws: DecodingError.self) { try FormDecoder().decode([Int8: Int].self, from: "200=1") }
        #expect(place(wrong) == ["200"])
        let twice = #expect(throws: DecodingError.self) {
            try FormDecoder().decode([Bool: Int].self, from: "true=1&1=2")
        }
        #expect(place(twice) == ["1"])
        #expect(throws: EncodingError.self) { try FormEncoder().string(from: [[1]: 2]) }
    }

    @Test func aNameHasUpTo64Steps() throws {
        func nested(_ steps: Int) -> String { "a" + String(repeating: "[a]", count: steps - 1) + "=1" }
        var value = try FormDecoder().decode(JSONValue.self, from: nested(64))
        for _ in 0..<64 { value = try #require(value["a"]) }
        #expect(value == "1")
        let error = #expect(throws: DecodingError.self) { try FormDecoder().decode(JSONValue.self, from: nested(65)) }
        guard case .dataCorrupted(let context) = error else { return }
        #expect(context.debugDescription == "a name is nested deeper than 64")
    }

    @Test(
        arguments: [
            ("t=1,,2", ["1", "", "2"]), ("t=,", ["", ""]), ("t=", [""]), ("t=1,2&t=3", ["1,2", "3"]),
            ("t[0]=1,2", ["1,2"]), ("t[]=1,2", ["1", "2"]), ("t[2]=c&t[0]=a&t[10]=d&t[1]=b", ["a", "b", "c", "d"]),
            ("t=a&t[]=b&t[1]=d&t[0]=c", ["a", "b", "c", "d"]),
        ])
    func elementsComeInOrder(_ text: String, _ expected: [String]) throws {
        #expect(
            try FormDecoder(FormOptions(arrays: .commas)).decode([String: [String]].self, from: text)["t"] == expected)
    }

    @Test func whatIsNamedIsToBeReadBackToo() {
        #expect(throws: EncodingError.self) { try FormEncoder().items(from: [1, nil] as [Int?], named: "t") }
        #expect(throws: EncodingError.self) { try FormEncoder().items(from: ["k": [Int]()], named: "t") }
    }

    @Test(arguments: [
        ("", []), ("&&", []), ("a", ["a", ""]), ("a=&=b", ["a", "", "", "b"]), ("a=b=c", ["a", "b=c"]),
        ("a+b=c+d", ["a b", "c d"]), ("%61%2B=%zz%4", ["a+", "%zz%4"]), ("a=1&&b=2&", ["a", "1", "b", "2"]),
        ("%ff=%C3", ["\u{FFFD}", "\u{FFFD}"]), ("=", ["", ""]),
    ])
    func pairsAreTakenApart(_ text: String, _ expected: [String]) {
        let items = FormDecoder().items(from: Data(text.utf8))
        #expect(items.flatMap { [$0.name, $0.value ?? "nil"] } == expected)
    }

    @Test(arguments: [
        (FormOptions.Spaces.plus, "a+b=c%2Bd+e&f="), (.percent, "a%20b=c%2Bd%20e&f="),
    ])
    func pairsOfOnesOwnAreWritten(_ spaces: FormOptions.Spaces, _ expected: String) {
        let items = [
            URLFormItem(name: "a b", value: "c+d e"), URLFormItem(name: "none", value: nil),
            URLFormItem(name: "f", value: ""),
        ]
        #expect(FormEncoder(FormOptions(spaces: spaces)).encode(items) == Data(expected.utf8))
    }

    @Test func itemsOfAQueryAreWritten() {
        let items = [
            URLQueryItem(name: "a b", value: "c+d,é"), URLQueryItem(name: "none", value: nil),
            URLQueryItem(name: "-._~", value: ""),
        ]
        #expect(QueryEncoder.string(of: items) == "a%20b=c%2Bd%2C%C3%A9&-._~=")
    }

    private final class Deep: Codable {
        let a: Deep?
        let list: [String]?

        /// - Parameter depth: how many names there are on the way to the list.
        init(_ depth: Int) {
            a = depth > 1 ? Deep(depth - 1) : nil
            list = depth > 1 ? nil : ["x", "y"]
        }

        var innermost: Deep { a?.innermost ?? self }
    }

    /// An element with an entry of its own counts as a step, the text of a whole list does not.
    @Test(arguments: [(FormOptions.Arrays.repeated, 63), (.brackets, 63), (.indices, 63), (.commas, 64)])
    func aListMayStandAsDeepAsItIsReadBack(_ arrays: FormOptions.Arrays, _ deepest: Int) throws {
        let options = FormOptions(arrays: arrays)
        let text = try FormEncoder(options).string(from: Deep(deepest))
        #expect(try FormDecoder(options).decode(Deep.self, from: text).innermost.list == ["x", "y"])
        #expect(throws: EncodingError.self) { try FormEncoder(options).string(from: Deep(deepest + 1)) }
    }

    /// Each element of a list of one value is such a list again.
    @Test(.timeLimit(.minutes(10))) func aListThatNeverEndsIsAnError() {
        struct Endless: Decodable {
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                _ = try Endless(from: list.superDecoder())
            }
        }
        #expect(throws: DecodingError.self) { try FormDecoder().decode([String: Endless].self, from: "a=1") }
    }
}
