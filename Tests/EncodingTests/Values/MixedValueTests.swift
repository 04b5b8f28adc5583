// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

struct MixedValueTests {
    private struct Person: Encodable { var firstName: String }

    private let epoch = Date(timeIntervalSince1970: 0)

    @Test func whatIsNoJSONIsWrittenByTheEncoderThatMeetsIt() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let list: [Any] = [epoch, [epoch], 1, nil as Int? as Any]
        let members: [String: Any] = [
            "theList": list, "theDays": ["theFirst": epoch], "thePerson": Person(firstName: "Ada"), "theName": "x",
        ]
        // The keys of a dictionary are data; those of a model are not.
        #expect(
            try JSONValue(parsing: encoder.encode(MixedValue(members))) == [
                "theList": ["1970-01-01T00:00:00Z", ["1970-01-01T00:00:00Z"], 1, nil],
                "theDays": ["theFirst": "1970-01-01T00:00:00Z"], "thePerson": ["first_name": "Ada"], "theName": "x",
            ])
    }

    @Test func itsKeysMayHoldBracketsWhereNothingIsNested() throws {
        let scalars: [String: Any] = ["a[b]": epoch, "c": 1]
        #expect(try FormEncoder().items(from: MixedValue(scalars)).map(\.name) == ["a[b]", "c"])
        let nested: [String: Any] = ["a[b]": epoch, "c": ["d": epoch]]
        #expect(throws: EncodingError.self) { try FormEncoder().items(from: MixedValue(nested)) }
    }

    @Test func aFormsOptionsHoldForIt() throws {
        let members: [String: Any] = ["since": epoch, "days": [epoch, epoch], "on": true]
        #expect(
            try FormEncoder(FormOptions(bools: .numbers, dates: .secondsSince1970)).string(from: MixedValue(members))
                == "days=0&days=0&on=1&since=0")
    }

    @Test func aPartIsWhatItsModelIs() throws {
        let members: [String: Any] = [
            "file": MultipartPart.data(Data([1]), name: "p", filename: "a.png"), "since": epoch,
        ]
        let parts = try MultipartEncoder().form(from: MixedValue(members)).parts.sorted {
            $0.name ?? "" < $1.name ?? ""
        }
        #expect(parts.map(\.name) == ["p", "since"])
        #expect(parts.map(\.filename) == ["a.png", nil])
        #expect(parts.last?.body.data == Data("1970-01-01T00:00:00Z".utf8))
    }

    @Test func jsonAloneIsJSONAtOnce() throws {
        let members: [String: Any] = ["b": 1, "a": [true, NSNull()] as [Any]]
        let json: JSONValue = ["a": [true, nil], "b": 1]
        #expect(try MixedValue(members).encodable as? JSONValue == json)
    }

    @Test func whatJSONCannotHoldIsAnErrorBeforeAnyEncoderMeetsIt() {
        struct Opaque {}
        let error = #expect(throws: EncodingError.self) { try MixedValue(["a": [epoch, Opaque()] as [Any]]) }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
    }

    private struct Text: CustomStringConvertible { var description: String { "text" } }

    /// Of the types that values are declared with, those that say what may be sent.
    @Test func whatIsDeclaredToHaveADescriptionIsSentAsThat() throws {
        let list: [any CustomStringConvertible] = [Text(), 1]
        let (one, none): (any CustomStringConvertible, (any CustomStringConvertible)?) = (Text(), nil)
        #expect(try JSONValue(encoding: MixedValue(declared: list)) == ["text", 1])
        #expect(try JSONValue(encoding: MixedValue(declared: one)) == "text")
        #expect(try JSONValue(encoding: MixedValue(declared: none)) == nil)
        #expect(try JSONValue(encoding: MixedValue(declared: Text())) == "text")
        #expect(throws: EncodingError.self) { try MixedValue(declared: Text() as Any) }
        #expect(throws: EncodingError.self) { try MixedValue(declared: [Text()] as [Any]) }
    }

    private enum Level: Int { case low = 3 }
    private enum Word: String, CustomStringConvertible {
        case one
        var description: String { "not \(rawValue)" }
    }
    private struct Tag: Hashable, CustomStringConvertible { var description: String }
    private struct Opaque: Hashable {}

    /// JSON that the value is sent as.
    private func sent<Declared>(_ value: Declared) throws -> JSONValue {
        try JSONValue(encoding: MixedValue(declared: value))
    }

    @Test func aDeclaredTypeSaysWhatIsSent() throws {
        let parts: [(String, JSONValue)] = [("Swift", "Swift"), ("b", 1)]
        #expect(try sent(Level.low) == 3)
        #expect(try sent(Level?.some(.low)) == 3)
        #expect(try sent(Level?.none) == nil)
        #expect(try sent(Word.one) == "one")
        #expect(try sent(parts[0].0.prefix(2)) == "Sw")
        #expect(try sent([Level.low, .low]) == [3, 3])
        #expect(try sent([Level.low, .low][1...]) == [3])
        #expect(try sent(ContiguousArray([Level?.none, .low])) == [nil, 3])
        #expect(try sent(Set([Tag(description: "x")])) == ["x"])
        #expect(try sent(["b": Tag(description: "x"), "a": Tag(description: "y")]) == ["a": "y", "b": "x"])
        #expect(try sent([Word.one: [Level.low]]) == ["one": [3]])
        #expect(try sent(["a": [1, "x", Int?.none as Any] as [Any]]) == ["a": [1, "x", nil]])
        #expect(try sent(1 as Any) == 1)
        #expect(try sent(UInt8(7) as any CustomStringConvertible) == 7)
        #expect(try sent([Tag(description: "x"): Person(firstName: "Ada")]) == ["x": ["firstName": "Ada"]])
    }

    /// They stand in the order of their texts.
    @Test func aDictionaryOfADeclaredTypeHasAnOrder() throws {
        let members = try MixedValue(declared: [
            "c": Tag(description: "3"), "a": Tag(description: "1"), "b": .init(description: "2"),
        ])
        #expect(try QueryEncoder().string(from: members) == "a=1&b=2&c=3")
    }

    @Test func whatIsNotDeclaredToHaveATextIsAnErrorWithItsPath() {
        let range = "a range has no text: send its bounds as two values"
        #expect(refusal { try MixedValue(declared: Opaque()) } == "JSON cannot hold a Opaque")
        #expect(refusal { try MixedValue(declared: ["a": [Opaque()]]) } == "a[0]: JSON cannot hold a Opaque")
        #expect(
            refusal { try MixedValue(declared: [["a": Tag(description: "x") as Any]]) }
                == "[0].a: JSON cannot hold a Tag")
        #expect(refusal { try MixedValue(declared: 1...2) } == range)
        #expect(refusal { try MixedValue(declared: [Opaque(): 1]) } == "a key that has no text")
        #expect(refusal { try MixedValue(declared: [[Opaque(): 1]]) } == "[0]: a key that has no text")
        #expect(refusal { try MixedValue(declared: AnyHashable(Opaque())) } == "JSON cannot hold a AnyHashable")
    }

    @Test func pairsAreAnObjectInTheirOrder() throws {
        func query<Key, Value>(_ pairs: KeyValuePairs<Key, Value>) throws -> String? {
            try QueryEncoder().string(from: MixedValue(pairs: pairs)).removingPercentEncoding
        }
        #expect(try query(["b": 1, "a": 2]) == "b=1&a=2")
        #expect(try query([Word.one: Level.low]) == "one=3")
        #expect(try query([2: true, 1: false]) == "2=true&1=false")
        #expect(try query(["a": [1, 2] as Any, "b": ["c": "d"]]) == "a=1&a=2&b[c]=d")
        #expect(refusal { try MixedValue(pairs: ["a": 1, "b": 2, "a": 3]) } == #"two keys have the text "a""#)
        #expect(refusal { try MixedValue(pairs: ["a": 1...2]) } == "a range has no text: send its bounds as two values")
        #expect(refusal { try MixedValue(pairs: ["a": Opaque()]) } == "a: JSON cannot hold a Opaque")
        #expect(refusal { try MixedValue(pairs: [Opaque(): 1]) } == "a key that has no text")
    }

    @Test func aKeyHasTheTextOfItsNameRawValueOrDescription() throws {
        struct Name: CodingKeyRepresentable {
            var codingKey: any CodingKey { StringKey("name") }
            init() {}
            init?(codingKey: some CodingKey) { nil }
        }
        let rows: [(Any, String)] = [
            ("a", "a"), (Substring("b"), "b"), (1, "1"), (true, "true"), (Level.low, "3"), (Word.one, "one"),
            (Tag(description: "t"), "t"), (AnyHashable(Word.one), "one"), (AnyHashable(5), "5"), (Name(), "name"),
            (Duration.milliseconds(1500), "1.5"),
        ]
        for (key, text) in rows { #expect(try MixedValue.name(of: key) == text) }
        #expect(refusal { try MixedValue.name(of: Opaque()) } == "a key that has no text")
    }

    /// The limits of what is written as JSON.
    @Test func theDepthIsThatOfJSON() throws {
        func nested(_ depth: Int) -> Any { (0..<depth).reduce(1 as Any) { value, _ in [value] } }
        func keyed(_ depth: Int) -> Any { (0..<depth).reduce(1 as Any) { value, _ in ["a": value] } }
        for make in [nested, keyed] {
            #expect(throws: Never.self) { try MixedValue(make(512)) }
            #expect(throws: EncodingError.self) { try MixedValue(make(513)) }
        }
    }

    @Test func anObjectOfFoundationIsWhatItHolds() throws {
        final class Model: Encodable { let id = 1 }
        final class Plain {}
        let rows: [(Any, JSONValue)] = [
            (NSNull(), nil), (NSNumber(value: true), true), (NSNumber(value: 0), 0), (NSNumber(value: -5), -5),
            (NSNumber(value: UInt64.max), .number(JSONNumber(UInt64.max))), (NSNumber(value: 1.5), 1.5),
            (NSString("x"), "x"), (NSArray(array: [1, "a"]), [1, "a"]),
            (NSDictionary(dictionary: ["a": [1]]), ["a": [1]]),
            (Model(), ["id": 1]),
        ]
        for (object, expected) in rows {
            #expect(try JSONValue(encoding: MixedValue(object)) == expected)
            #expect(try JSONValue([object]) == [expected])
        }
        #expect(refusal { try JSONValue(["a": Plain()]) } == "a: JSON cannot hold a Plain")
        #expect(refusal { try JSONValue([NSNumber(value: Double.nan)]) } == "[0]: JSON has no number for nan")
        #expect(refusal { try JSONValue(["x": NSDecimalNumber.notANumber]) } == "x: JSON has no number for NaN")
        #expect(refusal { try JSONValue(["x": Float.infinity]) } == "x: JSON has no number for inf")
        #expect(refusal { try JSONValue(["x": Decimal.nan]) } == "x: JSON has no number for NaN")
    }

    @Test func anyEncoderWritesIt() throws {
        let value = try MixedValue(
            ["list": [epoch, 1], "json": ["a": 1], "model": Person(firstName: "Ada")] as [String: Any])
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        #expect(
            try JSONValue(parsing: encoder.encode(value))
                == ["list": [0, 1], "json": ["a": 1], "model": ["firstName": "Ada"]])
        let list = try PropertyListEncoder().encode(MixedValue(["a": [1, "x"]] as [String: Any]))
        #expect(try PropertyListDecoder().decode(JSONValue.self, from: list) == ["a": [1, "x"]])
    }
}
