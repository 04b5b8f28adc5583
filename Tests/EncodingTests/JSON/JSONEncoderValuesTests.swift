// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

struct JSONEncoderValuesTests {
    private struct Person: Codable { var firstName = "Ada" }
    private enum Size: String, Codable { case small = "S" }
    private enum Unit: String, Codable, CodingKeyRepresentable { case metre = "m" }
    private struct Opaque: Hashable, Codable { var id = 1 }

    private let zone = TimeZone(identifier: "Europe/Paris")
    private let id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")

    private func text(_ model: any Encodable, _ encoder: JSONEncoder = JSONEncoder()) throws -> String {
        String(decoding: try encoder.json(of: model), as: UTF8.self)
    }

    @Test func whatCodableWritesAsFewServersReadItIsWrittenAsEverywhereElse() throws {
        let (zone, id) = (try #require(zone), try #require(id))
        let url = try #require(URL(string: "https://h/a"))
        let rows: [(any Encodable, String)] = [
            (Duration.milliseconds(1500), "1.5"), (zone, #""Europe/Paris""#),
            (Locale(identifier: "de_DE"), #""de_DE""#),
            ([Duration.seconds(1), .seconds(2)], "[1,2]"), ([Duration](), "[]"), (Duration?.none, "null"),
            (Duration?.some(.seconds(3)), "3"), ([Duration?.none, .seconds(4)], "[null,4]"),
            (Set([zone]), #"["Europe/Paris"]"#), (ContiguousArray([Duration.seconds(5)]), "[5]"),
            (["b": Duration.seconds(2), "a": .seconds(1)], #"{"a":1,"b":2}"#), ([String: Duration](), "{}"),
            (["a": ["b": [Duration?.none]]], #"{"a":{"b":[null]}}"#),
            // Keys that have a text, whatever their type.
            ([Size.small: 1], #"{"S":1}"#), ([id: 1], "{\"\(id.uuidString)\":1}"), ([true: 1], #"{"true":1}"#),
            ([Unit.metre: 1], #"{"m":1}"#), ([2.5: [Size.small: "x"]], #"{"2.5":{"S":"x"}}"#),
            ([Size?.some(.small): 1], #"{"S":1}"#), ([7: Duration.seconds(1)], #"{"7":1}"#),
            ([UInt8(7): 1, UInt8(10): 2], #"{"10":2,"7":1}"#), (["a\"b": Duration.seconds(1)], #"{"a\"b":1}"#),
            // What Codable says otherwise.
            ([Opaque(): 1], #"[{"id":1},1]"#), ([Int: Int](), "{}"), ([7: "x"], #"{"7":"x"}"#), (["a": 1], #"{"a":1}"#),
            ([Person()], #"[{"firstName":"Ada"}]"#), (id, "\"\(id.uuidString)\""), (1.5, "1.5"), (Int?.none, "null"),
            (url, #""https:\/\/h\/a""#), ([url], #"["https:\/\/h\/a"]"#), (["u": url], #"{"u":"https:\/\/h\/a"}"#),
            // Every digit, and sorted keys.
            (["x": JSONValue.number(try #require(JSONNumber("1.10")))], #"{"x":1.10}"#),
            ([["b": 1, "a": nil] as JSONValue], #"[{"a":null,"b":1}]"#),
        ]
        for (model, expected) in rows { #expect(try text(model) == expected) }
    }

    /// The strategies are for the names of properties, and keys of dictionaries are data.
    @Test func keyStrategiesChangeNoKeysOfDictionaries() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(try text(["aB": Duration.seconds(1)], encoder) == #"{"aB":1}"#)
        #expect(try text(["aB": [id.map { [$0: Person()] }]], encoder).hasSuffix(#":{"first_name":"Ada"}}]}"#))
    }

    @Test func anErrorHasThePathThroughListsAndDictionaries() throws {
        let file = URL(fileURLWithPath: "/secret")
        let reason = "a file is sent as a whole body or in a multipart form, and its URL nowhere"
        struct Model: Encodable { var files: [URL] }
        let rows: [(any Encodable, String)] = [
            (file, reason), ([file], "[0]: \(reason)"), (["a": [nil, file]], "a[1]: \(reason)"),
            (Model(files: [file]), "files[0]: \(reason)"), ([["k": Model(files: [file])]], "[0].k.files[0]: \(reason)"),
            ([Duration?.none: 1], "a key that has no text"),
            (["a": 1...2], "a: a range has no text: send its bounds as two values"),
            ([[1..<2]], "[0][0]: a range has no text: send its bounds as two values"),
            (1..., "a range has no text: send its bounds as two values"),
            (["a": Double.nan], "a: a Double that is not finite cannot be encoded"),
            (["t": [Decimal.nan]], "t[0]: JSON has no number for NaN"),
            (["d": [Duration.zero: Double.nan]], "d.0: a Double that is not finite cannot be encoded"),
        ]
        for (model, expected) in rows {
            #expect(refusal { try JSONEncoder().json(of: model) } == expected)
            let inside = refusal { try JSONEncoder().json(of: model, at: [StringKey("n")]) }
            #expect(inside == (expected.hasPrefix("[") ? "n\(expected)" : "n\(separator(expected))\(expected)"))
        }
    }

    /// Between a name and what follows it: a place, or the reason at once.
    private func separator(_ outline: String) -> String { outline.prefix { $0 != " " }.hasSuffix(":") ? "." : ": " }

    @Test func textThatLooksLikeAFileOrANumberIsSentAsItIs() throws {
        struct Note: Encodable { var note: String }
        #expect(try text(Note(note: "\"file:")) == #"{"note":"\"file:"}"#)
        #expect(try text(Note(note: "file:///a")) == #"{"note":"file:\/\/\/a"}"#)
        #expect(try text(Note(note: "NaN")) == #"{"note":"NaN"}"#)
        #expect(try text(["file:": 1]) == #"{"file:":1}"#)
    }

    @Test(arguments: [
        (#"{"a":NaN}"#, "a"), (#"[1,{"b":[{},[],NaN]}]"#, "[1].b[2]"), (#"[{"a":"x","b":true},null,[NaN]]"#, "[2][0]"),
    ])
    func aDecimalThatIsNoNumberHasAPath(_ text: String, _ place: String) throws {
        struct Tree: Encodable {
            var value: JSONValue
            func encode(to encoder: any Encoder) throws {
                switch value {
                case .string("NaN"):
                    var single = encoder.singleValueContainer()
                    try single.encode(Decimal.nan)
                case .array(let elements):
                    var list = encoder.unkeyedContainer()
                    for element in elements { try list.encode(Tree(value: element)) }
                case .object(let members):
                    var keyed = encoder.container(keyedBy: StringKey.self)
                    for (name, value) in members { try keyed.encode(Tree(value: value), forKey: StringKey(name)) }
                default: try value.encode(to: encoder)
                }
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let tree = Tree(value: try JSONValue(parsing: text.replacing("NaN", with: #""NaN""#)))
        #expect(refusal { try encoder.json(of: tree) } == "\(place): JSON has no number for NaN")
        #expect(refusal { try encoder.encodeBody(tree) } == "\(place): JSON has no number for NaN")
    }

    // MARK: Values that have names

    private func values(_ explicit: Bool) -> [NamedValue] {
        [
            NamedValue("zoneName", zone, isExplicit: explicit), NamedValue("aNumber", 1, isExplicit: false),
            NamedValue("thePerson", Person(), isExplicit: explicit),
            NamedValue("json", ["aB": 1.5] as JSONValue, isExplicit: true),
        ]
    }

    @Test func namedValuesAreOneObjectInTheirOrder() throws {
        let encoder = JSONEncoder()
        let asWritten =
            #"{"zoneName":"Europe\/Paris","aNumber":1,"thePerson":{"firstName":"Ada"},"json":{"aB":1.5}}"#
            .replacing("\\/", with: "/")
        #expect(String(decoding: try encoder.json(of: values(false)), as: UTF8.self) == asWritten)
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(
            String(decoding: try encoder.json(of: values(false)), as: UTF8.self)
                == #"{"zone_name":"Europe/Paris","a_number":1,"the_person":{"first_name":"Ada"},"json":{"aB":1.5}}"#)
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.json(of: values(true)), as: UTF8.self)
                == #"{"a_number":1,"json":{"aB":1.5},"thePerson":{"first_name":"Ada"},"zoneName":"Europe/Paris"}"#)
        #expect(try encoder.json(of: [NamedValue]()) == Data("{}".utf8))
        let body = try (encoder as any RequestBodyEncoder).encodeBody(of: values(true))
        #expect(try body.body.data == encoder.json(of: values(true)))
        #expect(body.contentType == "application/json")
    }

    @Test func noTwoNamedValuesHaveOneName() {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let values = [NamedValue("first_name", 1, isExplicit: true), NamedValue("firstName", 2, isExplicit: false)]
        #expect(refusal { try encoder.json(of: values) } == #"first_name: two values for the name "first_name""#)
        let error = #expect(throws: EncodingError.self) {
            try encoder.json(of: [NamedValue("a", [1, .nan], isExplicit: true)])
        }
        #expect(error?.outline == "a[1]: a Double that is not finite cannot be encoded")
    }

    /// An encoder of another kind, which wraps that of JSON.
    private struct Other: RequestBodyEncoder {
        var json = JSONEncoder()
        var name = "Other"
        func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
            EncodedBody(.data(try json.encode(model)), contentType: "application/other")
        }
    }

    @Test func anEncoderOfAnotherKindGetsTheNamesThatItGivesToProperties() throws {
        let other = Other()
        let plain: [NamedValue] = [
            NamedValue("aNumber", 1, isExplicit: false), NamedValue("thePerson", Person(), isExplicit: true),
        ]
        let body = try other.encodeBody(of: plain)
        #expect(body.contentType == "application/other")
        #expect(
            try JSONValue(parsing: #require(body.body.data)) == ["aNumber": 1, "thePerson": ["firstName": "Ada"]])
        other.json.keyEncodingStrategy = .convertToSnakeCase
        #expect(
            try JSONValue(parsing: #require(other.encodeBody(of: plain).body.data))
                == ["a_number": 1, "thePerson": ["first_name": "Ada"]])
        #expect(
            refusal {
                try other.encodeBody(of: [
                    NamedValue("aB", 1, isExplicit: false), NamedValue("a_b", 2, isExplicit: true),
                ])
            } == #"two keys have the text "a_b""#)
    }

    /// One that writes no JSON.
    private struct Described: RequestBodyEncoder {
        var texts = ["no JSON"]
        func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
            let text = model is MixedValue ? String(decoding: try JSONEncoder().encode(model), as: UTF8.self) : texts[0]
            return EncodedBody(.data(Data(text.utf8)), contentType: "text/plain")
        }
    }

    @Test(arguments: ["no JSON", "{}", #"{"x":0,"y":0}"#, "[0]"])
    func aNameStaysAsItIsWhereItCannotBeToldFromTheText(_ text: String) throws {
        let body = try Described(texts: [text]).encodeBody(of: [NamedValue("aB", 1, isExplicit: false)])
        #expect(body.body.data == Data(#"{"aB":1}"#.utf8))
    }
}
