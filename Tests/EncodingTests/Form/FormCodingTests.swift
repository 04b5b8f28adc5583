// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

private struct Everything: Codable, Equatable {
    enum Level: String, Codable { case low, high = "h i" }
    enum Shape: Codable, Equatable { case circle(radius: Double), dot }
    struct Inner: Codable, Equatable {
        var name: String
        var tags: [String]
        var next: [Inner]
    }

    var text = "a+b c&d=é%20\u{0}\r\n[]"
    var empty = ""
    var int = Int.min
    var big = UInt64.max
    var huge = Int128.max
    var double = 0.1
    var whole = 5.0
    var tiny = Double.leastNonzeroMagnitude
    var float = Float(1.1)
    var yes = true
    var no = false
    var none: String?
    var some: Int? = 3
    var date = Date(timeIntervalSinceReferenceDate: 757_382_400.125)
    var data = Data([0, 255, 254, 62, 63])
    var url = URL(string: "https://h/?a=b&c")
    var uuid = UUID()
    var decimal = Decimal(string: "12345678901234567890.0123456789")
    var level = Level.high
    var shape = Shape.circle(radius: 2.5)
    var dot = Shape.dot
    var list = [1, 2, 3]
    var one = ["only"]
    var noElements: [Int] = []
    var noKeys: [String: Int] = [:]
    var matrix = [[1, 2], [3]]
    var nested = Inner(
        name: "x", tags: ["p", "q"],
        next: [Inner(name: "y", tags: [], next: []), Inner(name: "z", tags: ["r"], next: [])])
    var map = ["k 1": 1, "k2": 2]
    var maps = ["a": ["b": ["c": true]]]
    var set: Set<Int> = [7]
    var byNumber = [10: "ten", 2: "two"]
}

struct FormCodingTests {
    static let styles: [FormOptions] = {
        var all: [FormOptions] = []
        for spaces in [FormOptions.Spaces.plus, .percent] {
            for arrays in [FormOptions.Arrays.repeated, .brackets, .indices] {
                for nesting in [FormOptions.Nesting.brackets, .dots] {
                    for keys in [
                        FormOptions.Keys.asWritten, .snakeCase, .kebabCase,
                        .custom({ "x-" + $0 }, back: { String($0.dropFirst(2)) }),
                    ] {
                        all.append(
                            FormOptions(
                                spaces: spaces, arrays: arrays, nesting: nesting,
                                bools: arrays == .indices ? .numbers : .words,
                                data: nesting == .dots ? .base64URL : .hexadecimal, keys: keys,
                                order: arrays == .brackets ? .sorted : .asEncoded))
                    }
                }
            }
        }
        return all
    }()

    @Test func whatIsEncodedInAnyStyleIsReadBackTheSame() throws {
        let value = Everything()
        for options in Self.styles {
            let text = try FormEncoder(options).string(from: value)
            #expect(try FormDecoder(options).decode(Everything.self, from: text) == value, "\(text)")
        }
    }

    @Test func randomValuesAreReadBackTheSame() throws {
        struct Node: Codable, Equatable {
            var a: Int?
            var b: [String]
            var c: [Node]
            var d: [String: Double]
            var e: String?
        }
        var random = SystemRandomNumberGenerator()
        func text() -> String {
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...6)).map { _ in
                        "aé+&=%[]. \u{0}\u{1F600}'\"/;".unicodeScalars.randomElement() ?? "a"
                    }))
        }
        func node(_ depth: Int) -> Node {
            Node(
                a: Bool.random() ? .random(in: -5...5) : nil, b: (0..<Int.random(in: 0...3)).map { _ in text() },
                c: depth == 0 ? [] : (0..<Int.random(in: 0...3)).map { _ in node(depth - 1) },
                d: Dictionary((0..<Int.random(in: 0...2)).map { ("k\($0)", .random(in: -1...1, using: &random)) }) {
                    $1
                },
                e: Bool.random() ? text() : nil)
        }
        // An empty node in an array has no notation: every node of the list has a text.
        func filled(_ node: Node) -> Node {
            Node(a: node.a, b: node.b, c: node.c.map(filled), d: node.d, e: node.e ?? "e")
        }
        for round in 0..<300 {
            let value = filled(node(3))
            let options = Self.styles[round % Self.styles.count]
            let text = try FormEncoder(options).string(from: value)
            #expect(try FormDecoder(options).decode(Node.self, from: text) == value, "\(text)")
        }
    }

    @Test(.vectors("url/urlencoded.json")) func pairsAreWrittenAndReadByTheStandard() throws {
        for vector in try Vectors.cases("url/urlencoded.json", "serialize") {
            let pairs = try #require(vector["pairs"]?.array).map {
                URLFormItem(name: $0[0]?.string ?? "", value: $0[1]?.string)
            }
            let expected = try #require(vector["expected"]?.string)
            #expect(String(decoding: FormEncoder().encode(pairs), as: UTF8.self) == expected, "\(vector)")
            #expect(FormDecoder().items(from: FormEncoder().encode(pairs)) == pairs, "\(vector)")
            let percent = FormEncoder(FormOptions(spaces: .percent)).encode(pairs)
            #expect(FormDecoder().items(from: percent) == pairs && !percent.contains(UInt8(ascii: "+")), "\(vector)")
            let names = Set(pairs.map(\.name))
            if names.count == pairs.count {
                let model = Dictionary(pairs.map { ($0.name, $0.value ?? "") }) { $1 }
                #expect(try FormDecoder().decode([String: String].self, from: FormEncoder().encode(model)) == model)
            }
        }
        for vector in try Vectors.cases("url/urlencoded.json", "parse") {
            let items = FormDecoder().items(from: Data(try #require(vector["input"]?.string).utf8))
            let expected = try #require(vector["output"]?.array)
            #expect(items.count == expected.count, "\(vector)")
            for (item, pair) in zip(items, expected) {
                #expect(
                    item.name.isIdentical(to: pair[0]?.string) && item.value?.isIdentical(to: pair[1]?.string) == true,
                    "\(vector)")
            }
        }
    }

    struct Model: Codable, Equatable {
        var userID = 7
        var tags = ["a b", "c"]
        var inner = ["k": 1]
        var none: Int?
        var flag = true
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
            // Without this the compiler leaves nil out by itself, and asks nobody.
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

    @Test func datesAreWrittenInEveryStyle() throws {
        let model = ["d": Date(timeIntervalSince1970: 1_709_208_000.25)]
        #expect(try FormEncoder().items(from: model)[0].value == "2024-02-29T12:00:00.25Z")
        #expect(try FormEncoder(.init(dates: .secondsSince1970)).items(from: model)[0].value == "1709208000.25")
        #expect(try FormEncoder(.init(dates: .millisecondsSince1970)).items(from: model)[0].value == "1709208000250")
        let custom = FormOptions(
            dates: .custom(
                write: { "d\(Int($0.timeIntervalSince1970))" },
                read: { Date(timeIntervalSince1970: Double($0.dropFirst()) ?? 0) }))
        #expect(try FormEncoder(custom).items(from: model)[0].value == "d1709208000")
        for options in [FormOptions(dates: .secondsSince1970), .init(dates: .millisecondsSince1970)] {
            #expect(
                try FormDecoder(options).decode([String: Date].self, from: FormEncoder(options).encode(model)) == model)
        }
    }

    @Test func datesKeepEveryBitInISO8601() throws {
        var dates = [0, 0.1, -0.1, 1e-7, -1, 86_399.999, 757_382_400.123456, -63_114_076_800, -70_000_000_000, 1e12].map
        {
            Date(timeIntervalSinceReferenceDate: $0)
        }
        dates += (0..<500).map { _ in Date(timeIntervalSinceReferenceDate: .random(in: -1e11...1e11)) }
        for date in dates {
            let text = try FormEncoder().string(from: ["d": date])
            #expect(try FormDecoder().decode([String: Date].self, from: text)["d"] == date, "\(text)")
        }
        #expect(throws: EncodingError.self) {
            try FormEncoder().string(from: ["d": Date.distantFuture.addingTimeInterval(1e300)])
        }
        let read = try FormDecoder().decode(
            [String: Date].self, from: "a=2024-02-29t12:00:00,5%2B02:00&b=2024-02-29T10:00:00.5Z")
        #expect(read["a"] == read["b"])
        for broken in [
            "2023-02-29T12:00:00Z", "2024-02-29", "2024-13-01T00:00:00Z", "2024-01-01T24:00:00Z", "2024-1-1T0:0:0Z",
            "x", "", "-", "2024-01-01T00:00:00",
        ] {
            #expect(throws: DecodingError.self) { try FormDecoder().decode([String: Date].self, from: "d=\(broken)") }
        }
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
        #expect(throws: EncodingError.self) { try encoder.encode(Endless()) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [[1], []]]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [Int]()]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": ["b[c]": 1]]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a[b]": [1, 2]]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": ["": 1]]) }
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

    @Test func aDictionaryKeepsTheKeysOfEmptyOnes() throws {
        let value = ["a": ["x": [String: Int]()], "b": [:]]
        #expect(try FormEncoder().string(from: value) == "a%5Bx%5D=&b=")
        #expect(
            try FormDecoder().decode([String: [String: [String: Int]]].self, from: FormEncoder().encode(value)) == value
        )
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
        #expect(context.codingPath.map(\.stringValue) == ["a", "list", "1"])
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

    @Test func depthAndTimeAreBounded() throws {
        let deep = "a" + String(repeating: "[a]", count: 100_000) + "=1"
        #expect(throws: DecodingError.self) { try FormDecoder().decode([String: JSONValue].self, from: deep) }
        let clock = ContinuousClock()
        let time = clock.measure {
            let wide = (0..<20_000).map { "k[\($0)][v]=\($0)" }.joined(separator: "&")
            _ = try? FormDecoder().decode([String: [[String: Int]]].self, from: wide)
            _ = try? FormDecoder().decode([String: [String]].self, from: String(repeating: "a[][b]=1&", count: 20_000))
            _ = try? FormEncoder().encode(Dictionary((0..<20_000).map { ("k\($0)", $0) }) { $1 })
            _ = try? FormEncoder().encode(["a": Array(0..<20_000)])
        }
        #expect(time < .seconds(20))
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
