// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import TestSupport
import Testing

struct JSONValueTests {
    @Test(.vectors("fixtures/json-test-suite.json")) func acceptsWhatTheGrammarDoes() throws {
        for vector in try Vectors.cases("fixtures/json-test-suite.json") {
            let id = try #require(vector["id"]?.string)
            guard let input = vector.bytes("input_base64") ?? vector["recipe"]?.string.flatMap(Self.cook) else {
                Vectors.passOver([id], of: "fixtures/json-test-suite.json")
                continue
            }
            let value = try? JSONValue(parsing: input)
            switch vector["expect"]?.string {
            case "accept": #expect(value != nil, "\(id)")
            case "reject": #expect(value == nil, "\(id)")
            default: break
            }
            // What was read can be written and read again, and is the same.
            if let value { #expect(try JSONValue(parsing: value.serialized()) == value, "\(id)") }
            // Key paths walk the same grammar.
            let walked = (try? JSONKeyPath("").slice(of: input)) != nil
            if vector["expect"]?.string == "reject", value == nil, String(validating: input, as: UTF8.self) != nil {
                #expect(!walked, "\(id)")
            }
            if value != nil { #expect(walked, "\(id)") }
        }
    }

    /// Property lists have integers, and no decimals.
    @Test func readsNumbersOfDecodersThatKnowNoDecimals() throws {
        let numbers: [String: UInt64] = ["small": 5, "zero": 0, "large": .max]
        let value = try PropertyListDecoder().decode(JSONValue.self, from: PropertyListEncoder().encode(numbers))
        #expect(value == ["small": 5, "zero": 0, "large": .number(JSONNumber(UInt64.max))])
        let others = try PropertyListEncoder().encode(["half": 0.5, "less": -3])
        #expect(try PropertyListDecoder().decode(JSONValue.self, from: others) == ["half": 0.5, "less": -3])
    }

    /// `'[{"":' repeated to 250001 bytes`
    private static func cook(_ recipe: String) -> Data? {
        let parts = recipe.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 3, let count = parts[2].split(separator: " ").lazy.compactMap({ Int($0) }).first
        else { return nil }
        return Data(repeatElement(Array(parts[1].utf8), count: count).joined().prefix(count))
    }

    @Test(.vectors("fixtures/json/stripe-fixtures3.json")) func readsRealObjectsAsFoundationDoes() throws {
        let data = try Vectors.data("fixtures/json/stripe-fixtures3.json")
        let value = try JSONValue(parsing: data)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
        let resources = try #require(value["resources"]?.object)
        for (name, resource) in resources {
            let path = JSONKeyPath(keys: ["resources", name])
            #expect(try JSONValue(parsing: path.slice(of: data)) == resource)
        }
    }

    @Test(.vectors("fixtures/github-octokit-exchanges.json")) func readsTheBodiesOfAServer() throws {
        let data = try Vectors.data("fixtures/github-octokit-exchanges.json")
        let file = try JSONValue(parsing: data)
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])
        for (name, scenario) in try #require(file["scenarios"]?.object) {
            let text = try JSONKeyPath(keys: ["scenarios", name]).slice(of: data)
            for (index, exchange) in try #require(scenario.array).enumerated() {
                // A body that is text is no JSON.
                guard let body = exchange["response"], body.string == nil else { continue }
                let path = JSONKeyPath(keys: ["\(index)", "response"])
                let decoded = try JSONKeyPathDecoder(path).decode(JSONValue.self, from: text, response: response)
                #expect(decoded == body, "\(name)")
                #expect(try JSONDecoder().decode(JSONValue.self, from: path.slice(of: text)) == body, "\(name)")
            }
        }
    }

    @Test(arguments: [
        ("1", "1.0"), ("100", "1e2"), ("-0", "0"), ("0.1", "1E-1"), ("1e400", "10e399"),
        ("0e99999999999999999999", "0"),
        ("12345678901234567890123456789012345678901234567890", "12345678901234567890123456789012345678901234567890.00"),
    ]) func numbersAreEqualWhenTheyMeanTheSame(_ left: String, _ right: String) throws {
        let (left, right) = (try #require(JSONNumber(left)), try #require(JSONNumber(right)))
        #expect(left == right)
        #expect(Set([left, right]).count == 1)
    }

    @Test(arguments: [
        ("1e0", 1), ("-1E0", -1), ("10e0", 10), ("1e00", 1), ("1e+0", 1), ("1e-0", 1), ("100e-2", 1), ("0.1e1", 1),
        ("0e0", 0), ("-0", 0), ("12e1", 120), ("0e99999999999999999999", 0),
    ]) func aWholeNumberIsAnIntegerHoweverItIsWritten(_ literal: String, _ value: Int) throws {
        let number = try #require(JSONNumber(literal))
        #expect(number.int == value && number == JSONNumber(value) && number.double == Double(value))
    }

    @Test(arguments: [("1", "2"), ("1", "-1"), ("1e10", "1e11"), ("1e0", "10"), ("0.1", "0.10000000000000000000001")])
    func numbersDifferWhenAnyDigitDoes(_ left: String, _ right: String) throws {
        #expect(try #require(JSONNumber(left)) != #require(JSONNumber(right)))
    }

    @Test(arguments: ["", "+1", "01", "1.", ".5", "1e", "0x1", "NaN", "1 ", "--1", "1_000", "٣"])
    func noOtherNotationIsANumber(_ text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test func numbersKeepEveryDigit() throws {
        let text = "[0.1000000000000000055511151231257827,123456789012345678901234567890.5,18446744073709551616,1e400]"
        #expect(try JSONValue(parsing: text).description == text)
        let whole = try JSONValue(
            parsing: "[18446744073709551615,-9223372036854775808,1e2,1.5,9223372036854775808,1e30]")
        #expect(whole[0]?.number?.integer(UInt64.self) == .max)
        #expect(whole[1]?.int == .min)
        #expect(whole[2]?.int == 100)
        #expect(whole[3]?.int == nil)
        #expect(whole[4]?.int == nil)
        #expect(whole[5]?.number?.integer(Int128.self) == 1_000_000_000_000_000_000_000_000_000_000)
        #expect(whole[3]?.number?.decimal == Decimal(string: "1.5"))
    }

    @Test func literalsSubscriptsAndPathsReadWell() {
        let value: JSONValue = ["a": [1, 2.5, "x", nil, true], "b": ["c.d": "e"]]
        #expect(value["a"]?[0]?.int == 1)
        #expect(value["a"]?[1]?.double == 2.5)
        #expect(value["a"]?[9] == nil)
        #expect(value["a"]?["x"] == nil)
        #expect(value["a"]?[3]?.isNull == true)
        #expect(value[path: "a.2"]?.string == "x")
        #expect(value[path: #"b.c\.d"#]?.string == "e")
        #expect(value[path: "b.none.x"] == nil)
        for noIndex in ["a.+1", "a.-1", "a.5", "a.99999999999999999999", "a.x", "a.", "a[5]"] {
            #expect(value[path: JSONKeyPath(noIndex)] == nil, "\(noIndex)")
        }
        #expect(value.description == #"{"a":[1,2.5,"x",null,true],"b":{"c.d":"e"}}"#)
    }

    @Test func textInALiteralMayBeInterpolated() {
        let name = "Ada"
        let value: JSONValue = ["greeting": "Hi \(name)", "to": [.string(name)]]
        #expect(value.description == #"{"greeting":"Hi Ada","to":["Ada"]}"#)
    }

    @Test func textIsEscapedAndReadBack() throws {
        let text = "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1F}\u{7F}é\u{1F600}\u{2028}"
        let value = JSONValue.string(text)
        #expect(try JSONValue(parsing: value.serialized()).string?.isIdentical(to: text) == true)
        #expect(try JSONDecoder().decode(String.self, from: value.serialized()).isIdentical(to: text))
        #expect(try JSONValue(parsing: #""\ud83d\ude00\u00e9""#).string == "😀é")
        for broken in [#""\ud83d""#, #""\ude00\ud83d""#, #""\ud83dx""#, #""\ud83d\u0041""#] {
            #expect(throws: DecodingError.self) { try JSONValue(parsing: broken) }
        }
    }

    @Test func depthIsBounded() throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(throws: Never.self) { try JSONValue(parsing: deep) }
        #expect(throws: DecodingError.self) { try JSONValue(parsing: "[\(deep)]") }
    }

    struct Model: Codable, Equatable {
        var name: String
        var extra: JSONValue
    }

    @Test(arguments: ["[", #"{"a":"#]) func theDepthInModelsIsBounded(_ opening: String) throws {
        func decode(_ depth: Int) throws {
            let closing = opening == "[" ? "]" : "}"
            let value = String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
            _ = try JSONDecoder().decode(Model.self, from: Data(#"{"name": "", "extra": \#(value)}"#.utf8))
        }
        #expect(throws: Never.self) { try decode(63) }
        for depth in [64, 500] { #expect(throws: DecodingError.self) { try decode(depth) } }
    }

    @Test func isAPropertyOfModels() throws {
        let data = Data(
            #"{"name":"n","extra":{"id":18446744073709551615,"price":0.12345678901234567890123,"x":[null,{}]}}"#.utf8)
        let model = try JSONDecoder().decode(Model.self, from: data)
        #expect(model.extra["id"]?.number?.literal == "18446744073709551615")
        #expect(model.extra["price"]?.number == JSONNumber("0.12345678901234567890123"))
        #expect(try JSONDecoder().decode(Model.self, from: JSONEncoder().encode(model)) == model)
        #expect(try JSONValue(parsing: data).decode(Model.self) == model)
        #expect(try JSONValue(encoding: model) == JSONValue(parsing: data))
        for literal in [
            "177700.00000000000020000000000000397554", "9007199254740993.5", "1.00000000000000000000000001", "-0.1",
            "18446744073709551616", "-9223372036854775809", "1e-200", "1e300", "5e-324", "1e37", "0", "1e-127",
        ] {
            let model = try JSONDecoder().decode([JSONValue].self, from: Data("[\(literal)]".utf8))
            #expect(model[0].number == JSONNumber(literal), "\(literal)")
            #expect(try JSONValue(parsing: JSONEncoder().encode(model))[0]?.number == JSONNumber(literal), "\(literal)")
        }
        let tooLong = Model(name: "", extra: .number(try #require(JSONNumber(String(repeating: "7", count: 60)))))
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(tooLong) }
    }

    @Test func itsKeysAreDataThatNoStrategyTouches() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Wrapped: Codable { var anyValue: JSONValue }
        let value: JSONValue = ["userId": ["a_b": ["xY": 1, "x_y": 2]]]
        let data = try encoder.encode(Wrapped(anyValue: value))
        #expect(try JSONValue(parsing: data) == ["any_value": value])
        #expect(try decoder.decode(Wrapped.self, from: data).anyValue == value)
        #expect(try decoder.decode(JSONValue.self, from: value.serialized()) == value)
        #expect(
            try FormEncoder(FormOptions(keys: .snakeCase)).string(from: value)
                == "userId[a_b][xY]=1&userId[a_b][x_y]=2".addingPercentEncoding(withAllowedCharacters: .formPairs))
    }

    @Test(arguments: [127, 128]) func aDecimalHasAnExponentOfAByte(_ exponent: Int) throws {
        for literal in ["1e\(exponent)", "1e-\(exponent)", "-9.9e\(exponent + 1)"] {
            let decimal = try #require(JSONNumber(literal)).decimal
            #expect(decimal == (exponent == 127 ? Decimal(string: literal) : nil), "\(literal)")
        }
    }

    @Test(arguments: ["0", "-0", "0e158", "0.000e-999"]) func zeroIsADecimalInAnyNotation(_ literal: String) throws {
        #expect(try #require(JSONNumber(literal)).decimal == 0)
    }

    // Names are compared by their bytes (RFC 8259 §8.3).

    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

    @Test func namesThatLookTheSameAreTwo() throws {
        let text = "{\"\(Self.composed)\":1,\"\(Self.decomposed)\":2}"
        let value = try JSONValue(parsing: text)
        #expect(value.object?.count == 2)
        #expect(value[Self.composed] == 1 && value[Self.decomposed] == 2)
        #expect(try JSONValue(parsing: value.serialized()) == value)
        #expect(
            try JSONDecoder().decode(
                JSONValue.self, from: Data(text.utf8), response: HTTPResponse(status: .ok)) == value)
        #expect(value[path: JSONKeyPath(Self.decomposed)] == 2)
        #expect(value != ["\u{E9}": 1])
        // No encoder can keep both apart, so none may lose one.
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([value]) }
        #expect(try JSONEncoder().encodeBody(value).body.data == value.serialized())
    }

    @Test func textsThatLookTheSameAreTwo() {
        #expect(JSONValue.string(Self.composed) != .string(Self.decomposed))
        #expect(Set<JSONValue>([.string(Self.composed), .string(Self.decomposed)]).count == 2)
        #expect(([Self.composed: 1] as JSONValue) != [Self.decomposed: 1])
    }

    @Test func ofANameThatOccursTwiceTheFirstCountsWhenItIsRead() throws {
        #expect(try JSONValue(parsing: #"{"a":1,"\u0061":2}"#) == ["a": 1])
        #expect((["a": 1, "a": 2] as JSONValue) == ["a": 2])
    }

    @Test func anObjectIsACollectionOfItsMembers() {
        var object: JSONObject = ["b": 2, "a": 1]
        object["c", default: 0] = 3
        object["b"] = nil
        #expect(object.count == 2 && object.sorted { $0.key < $1.key }.map(\.value) == [1, 3])
        #expect(Set(object.keys) == ["a", "c"] && Set(object.values) == [1, 3])
        #expect(object == JSONObject(["a": 1, "c": 3] as [String: JSONValue]))
        #expect(object["x", default: 7] == 7 && "\(JSONObject())" == "{}")
    }

    @Test func itemsOfAFormThatLookTheSameAreTwo() throws {
        let pairs = "\(Self.composed)=1&\(Self.decomposed)=2"
        let value = try FormDecoder().decode(JSONValue.self, from: Data(pairs.utf8))
        #expect(value.object?.count == 2)
        let items = try FormEncoder().items(from: [Self.composed: "1"])
        #expect(items.count == 1)
    }
}

private extension CharacterSet {
    static let formPairs = CharacterSet(charactersIn: "[]").inverted
}
