// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct FormEncoderTests {
    struct Model: Codable, Equatable {
        var userID = 7
        var tags = ["a b", "c"]
        var inner = ["k": 1]
        var none: Int?
        var flag = true
    }

    /// May have nothing to write.
    private struct Labels: Codable, Equatable {
        var labels: [String] = []
    }

    @Test func eachStyleLooksAsItsDocumentationSays() throws {
        func text(_ options: FormOptions) throws -> String {
            try FormEncoder(options).string(from: Model()).replacing("%5B", with: "[").replacing("%5D", with: "]")
        }
        #expect(try text(.init()) == "userID=7&tags=a+b&tags=c&inner[k]=1&flag=true")
        #expect(
            try text(.init(spaces: .percent, arrays: .brackets))
                == "userID=7&tags[]=a%20b&tags[]=c&inner[k]=1&flag=true")
        #expect(
            try text(.init(arrays: .indices, nesting: .dots)) == "userID=7&tags[0]=a+b&tags[1]=c&inner.k=1&flag=true")
        #expect(try text(.init(bools: .numbers, keys: .snakeCase)) == "user_id=7&tags=a+b&tags=c&inner[k]=1&flag=1")
        #expect(try text(.init(order: .sorted)) == "flag=true&inner[k]=1&tags=a+b&tags=c&userID=7")
    }

    @Test func nilIsLeftOutOrWrittenByOption() throws {
        struct Optionals: Codable, Equatable {
            var a: Int?
            var b: [Int?]
            // The compiler's own would ask for `encodeIfPresent`.
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(a, forKey: .a)
                try container.encode(b, forKey: .b)
            }
        }
        #expect(try FormEncoder().string(from: Optionals(b: [1])) == "b=1")
        #expect(try FormEncoder(.init(nils: .empty)).string(from: Optionals(b: [1, nil])) == "a=&b=1&b=")
        let options = FormOptions(nils: .text("null"))
        let value = Optionals(b: [nil, 1, nil])
        #expect(try FormEncoder(options).string(from: value) == "a=null&b=null&b=1&b=null")
        #expect(try FormDecoder(options).decode(Optionals.self, from: FormEncoder(options).encode(value)) == value)
        #expect(throws: EncodingError.self) { try FormEncoder().string(from: value) }
    }

    @Test func nilOfAModelThatEncodesItselfAsUsualIsWrittenByOption() throws {
        struct Inner: Codable, Equatable {
            var none: Date?
        }
        struct Usual: Codable, Equatable {
            var count: Int?
            var name: String?
            var flag: Bool?
            var ratio: Double?
            var small: UInt8?
            var inner: Inner? = Inner()
            var last = 1
        }
        let options = FormOptions(nesting: .dots, nils: .empty)
        let text = try FormEncoder(options).string(from: Usual())
        #expect(text == "count=&name=&flag=&ratio=&small=&inner.none=&last=1")
        #expect(try FormDecoder(options).decode(Usual.self, from: Data(text.utf8)) == Usual())
        #expect(try FormEncoder().string(from: Usual()) == "last=1")
        #expect(try FormEncoder(options).string(from: Usual(count: 2, small: 3, inner: nil)).hasPrefix("count=2&name="))
    }

    @Test func whatAFormCannotHoldIsAnError() {
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: .a)
                try container.encode(2, forKey: .a)
            }
            enum Key: CodingKey { case a }
        }
        struct Collides: Encodable {
            var plain = 1
            var outer = ["inner": 2]
            enum CodingKeys: String, CodingKey { case plain = "outer[inner]", outer }
        }
        struct TwoShapes: Encodable {
            func encode(to encoder: any Encoder) throws {
                var keyed = encoder.container(keyedBy: Key.self)
                try keyed.encode(1, forKey: .a)
                var list = encoder.unkeyedContainer()
                try list.encode(2)
            }
            enum Key: CodingKey { case a }
        }
        struct KeysAndAValue: Encodable {
            func encode(to encoder: any Encoder) throws {
                var keyed = encoder.container(keyedBy: Key.self)
                try keyed.encode(1, forKey: .a)
                var single = encoder.singleValueContainer()
                try single.encode("lost")
            }
            enum Key: CodingKey { case a }
        }
        final class Endless: Encodable {
            enum Key: CodingKey { case next }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(self, forKey: .next)
            }
        }
        let encoder = FormEncoder()
        #expect(throws: EncodingError.self) { try encoder.encode(3) }
        #expect(throws: EncodingError.self) { try encoder.encode("x") }
        #expect(throws: EncodingError.self) { try encoder.encode([1, 2]) }
        #expect(throws: EncodingError.self) { try encoder.encode(Int?.none) }
        #expect(throws: EncodingError.self) { try encoder.encode(Twice()) }
        #expect(throws: EncodingError.self) { try encoder.encode(Collides()) }
        #expect(throws: EncodingError.self) { try encoder.encode(TwoShapes()) }
        #expect(throws: EncodingError.self) { try encoder.encode(KeysAndAValue()) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": KeysAndAValue()]) }
        #expect(throws: EncodingError.self) { try encoder.encode(Endless()) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [[1], []]]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [Labels(), Labels(labels: ["x"])]]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [["k": Int?.none]]]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [Int]()]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": ["b[c]": 1]]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a[b]": [1, 2]]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": ["": 1]]) }
    }

    @Test func containersAreNestedAsDeepAsTheyCanBeReadBack() throws {
        struct Deep: Codable, Equatable {
            var depth: Int
            enum Key: CodingKey { case a }

            init(_ depth: Int) { self.depth = depth }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                for _ in 1..<depth { container = container.nestedContainer(keyedBy: Key.self, forKey: .a) }
                try container.encode("x", forKey: .a)
            }

            init(from decoder: any Decoder) throws {
                var container = try decoder.container(keyedBy: Key.self)
                depth = 1
                while let inner = try? container.nestedContainer(keyedBy: Key.self, forKey: .a) {
                    container = inner
                    depth += 1
                }
            }
        }
        let deep = Deep(FormOptions.maximumDepth)
        #expect(try FormDecoder().decode(Deep.self, from: FormEncoder().encode(deep)) == deep)
        for depth in [FormOptions.maximumDepth + 1, 10_000] {
            #expect(throws: EncodingError.self) { try FormEncoder().encode(Deep(depth)) }
        }
    }

    @Test func aNameMakesAFieldOfAnyValue() throws {
        #expect(try FormEncoder().items(from: 3, named: "n") == [URLFormItem(name: "n", value: "3")])
        #expect(try FormEncoder().items(from: [1, 2], named: "n").map(\.name) == ["n", "n"])
        #expect(
            try FormEncoder().items(from: Model(), named: "m").map(\.name) == [
                "m[userID]", "m[tags]", "m[tags]", "m[inner][k]", "m[flag]",
            ])
        #expect(try FormEncoder().items(from: Int?.none, named: "n").isEmpty)
    }

    @Test func aNameThatIsGivenIsNoKeyToConvert() throws {
        let options = FormOptions(keys: .snakeCase)
        #expect(
            try FormEncoder(options).items(from: Model(), named: "aModel").map(\.name) == [
                "aModel[user_id]", "aModel[tags]", "aModel[tags]", "aModel[inner][k]", "aModel[flag]",
            ])
        #expect(try QueryEncoder(options).items(from: 3, named: "aNumber").map(\.name) == ["aNumber"])
    }

    @Test func keysOfModelsMayHoldBracketsThemselves() throws {
        struct Filter: Codable, Equatable {
            var name = "n"
            var tags = ["a", "b"]
            enum CodingKeys: String, CodingKey { case name = "filter[name]", tags = "tags[]" }
        }
        let text = try FormEncoder().string(from: Filter())
        #expect(text == "filter%5Bname%5D=n&tags%5B%5D=a&tags%5B%5D=b")
        #expect(try FormDecoder().decode(Filter.self, from: text) == Filter())
        let pairs = ["a[b]": "1", "": "2", "c.d": "3", "]": "4"]
        #expect(try FormDecoder().decode([String: String].self, from: FormEncoder().encode(pairs)) == pairs)
    }

    @Test(arguments: [FormOptions.Arrays.repeated, .brackets, .indices])
    func aNameThatEndsInBracketsGetsNoMore(_ arrays: FormOptions.Arrays) throws {
        struct Post: Codable, Equatable {
            var tags = ["a", "b"]
            var labels = [Labels(labels: ["x", "y"]), Labels(labels: ["z"])]
            enum CodingKeys: String, CodingKey { case tags = "tags[]", labels = "labels[]" }
        }
        let options = FormOptions(arrays: arrays)
        let items = try FormEncoder(options).items(from: Post())
        let names = items.prefix(2).map(\.name)
        #expect(names == (arrays == .indices ? ["tags[0]", "tags[1]"] : ["tags[]", "tags[]"]))
        #expect(try FormDecoder(options).decode(Post.self, from: items) == Post())
    }

    @Test func aDictionaryKeepsTheKeysOfEmptyOnes() throws {
        let value = ["a": ["x": [String: Int]()], "b": [:]]
        #expect(try FormEncoder().string(from: value) == "a%5Bx%5D=&b=")
        #expect(
            try FormDecoder().decode([String: [String: [String: Int]]].self, from: FormEncoder().encode(value)) == value
        )
        let models = ["a": Labels(), "b": Labels(labels: ["x"])]
        #expect(try FormEncoder().string(from: models) == "a=&b%5Blabels%5D=x")
        #expect(try FormDecoder().decode([String: Labels].self, from: FormEncoder().encode(models)) == models)
    }

    @Test func aCaseIsWrittenEvenIfItsValuesAreEmpty() throws {
        enum Shape: Codable, Equatable { case a([Int]) }
        struct Shapes: Codable, Equatable {
            var one = Shape.a([])
            var optional: Shape? = .a([])
            var list = [Shape.a([]), .a([1])]
        }
        let text = try FormEncoder().string(from: Shapes())
        #expect(text.removingPercentEncoding == "one[a]=&optional[a]=&list[0][a]=&list[1][a][_0]=1")
        #expect(try FormDecoder().decode(Shapes.self, from: text) == Shapes())
    }

    @Test func aTypeThatHasATextMayStillHaveKeys() throws {
        struct Version: LosslessStringConvertible, Codable, Equatable {
            var major: Int
            var minor: Int
            var description: String { "\(major).\(minor)" }

            init(major: Int, minor: Int) { (self.major, self.minor) = (major, minor) }
            init?(_ description: String) { nil }
        }
        let versions = ["v": Version(major: 1, minor: 2)]
        let text = try FormEncoder().string(from: versions)
        #expect(text.removingPercentEncoding == "v[major]=1&v[minor]=2")
        #expect(try FormDecoder().decode([String: Version].self, from: text) == versions)
        #expect(throws: EncodingError.self) { try FormEncoder().string(from: ["a[b]": Version(major: 1, minor: 2)]) }
    }

    @Test func aTypeThatHasATextMayEncodeItselfAsIt() throws {
        struct Version: LosslessStringConvertible, Encodable {
            var description: String
            init(_ description: String) { self.description = description }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(description)
            }
        }
        let text = try FormEncoder().string(from: ["a[b]": Version("1.2")])
        #expect(text == "a%5Bb%5D=1.2")
        #expect(try FormDecoder().decode([String: String].self, from: text) == ["a[b]": "1.2"])
        #expect(try QueryEncoder().items(from: ["a[b]": Version("1.2") as Version?]).map(\.name) == ["a[b]"])
    }

    @Test func keysAreConvertedAsJSONEncoderDoes() throws {
        for key in [
            "id", "userID", "myURLValue", "URLValue", "a1B", "aB1C", "already_snake", "_privateKey", "X", "aBC", "aBCd",
            "ABc", "HTTP2Server", "_X", "x_Y", "userId2Name", "éÉa", "",
        ] {
            struct Model: Encodable {
                static nonisolated(unsafe) var key = ""
                struct Key: CodingKey {
                    var stringValue: String
                    var intValue: Int? { nil }
                    init(stringValue: String) { self.stringValue = stringValue }
                    init?(intValue: Int) { nil }
                }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: Key.self)
                    try container.encode(1, forKey: Key(stringValue: Model.key))
                }
            }
            Model.key = key
            let json = JSONEncoder()
            json.keyEncodingStrategy = .convertToSnakeCase
            let expected = try JSONDecoder().decode([String: Int].self, from: json.encode(Model())).keys.first
            #expect(try FormEncoder(.init(keys: .snakeCase)).items(from: Model()).first?.name == expected)
        }
    }

    @Test func isTheBodyOfARequestAndReadsOne() async throws {
        let transport = ScriptedTransport(
            .status(
                200, fields: [.contentType: "application/x-www-form-urlencoded"],
                body: Data("userID=1&inner%5Bk%5D=2&flag=0".utf8)))
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://h.example"), transport: transport,
                defaultEncoder: URLEncodedFormEncoder(),
                defaultDecoder: FormDecoder()))
        let value = try await client.run(NetworkRequest<Model, Model>(path: "/", method: .post, body: Model())).value
        #expect(value == Model(userID: 1, tags: [], inner: ["k": 2], flag: false))
        let request = try #require(transport.requests.first)
        #expect(request.head.headerFields[.contentType] == "application/x-www-form-urlencoded")
        #expect(String(decoding: request.body, as: UTF8.self) == "userID=7&tags=a+b&tags=c&inner%5Bk%5D=1&flag=true")
    }
}
