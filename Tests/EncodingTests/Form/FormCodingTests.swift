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

private class Animal: Codable, Equatable {
    let name: String

    init(name: String) { self.name = name }

    static func == (left: Animal, right: Animal) -> Bool { left.name == right.name }
}

/// A subclass; its superclass goes into the same container, or into one of its own.
private final class Dog: Animal {
    let breed: String
    let isFlat: Bool

    init(name: String, breed: String, isFlat: Bool) {
        (self.breed, self.isFlat) = (breed, isFlat)
        super.init(name: name)
    }

    private enum CodingKeys: CodingKey { case breed, isFlat }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        breed = try container.decode(String.self, forKey: .breed)
        isFlat = try container.decode(Bool.self, forKey: .isFlat)
        try super.init(from: isFlat ? decoder : container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(breed, forKey: .breed)
        try container.encode(isFlat, forKey: .isFlat)
        try super.encode(to: isFlat ? encoder : container.superEncoder())
    }

    static func == (left: Dog, right: Dog) -> Bool {
        left.name == right.name && left.breed == right.breed && left.isFlat == right.isFlat
    }
}

/// Uses nested containers and the super-encoders of one without keys.
private struct Kennel: Codable, Equatable {
    var dogs: [Dog]
    var grid: [[String]]

    init(dogs: [Dog], grid: [[String]]) { (self.dogs, self.grid) = (dogs, grid) }

    private enum CodingKeys: CodingKey { case inside, dogs, grid }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: CodingKeys.self, forKey: .inside)
        var list = try container.nestedUnkeyedContainer(forKey: .dogs)
        (dogs, grid) = ([], [])
        while !list.isAtEnd { dogs.append(try Dog(from: list.superDecoder())) }
        var rows = try container.nestedUnkeyedContainer(forKey: .grid)
        while !rows.isAtEnd {
            var row = try rows.nestedUnkeyedContainer()
            var cells: [String] = []
            while !row.isAtEnd { cells.append(try row.decode(String.self)) }
            grid.append(cells)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: CodingKeys.self)
        var container = outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .inside)
        var list = container.nestedUnkeyedContainer(forKey: .dogs)
        for dog in dogs { try dog.encode(to: list.superEncoder()) }
        var rows = container.nestedUnkeyedContainer(forKey: .grid)
        for line in grid {
            var row = rows.nestedUnkeyedContainer()
            for cell in line { try row.encode(cell) }
        }
    }
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

    @Test func containersThatModelsAskForThemselvesAreReadBackTheSame() throws {
        for options in Self.styles {
            let kennel = Kennel(
                dogs: [Dog(name: "a+b", breed: "[x]", isFlat: false), Dog(name: "", breed: "&=", isFlat: true)],
                grid: [["a", "b%20"], ["c"]])
            let text = try FormEncoder(options).string(from: kennel)
            #expect(try FormDecoder(options).decode(Kennel.self, from: text) == kennel, "\(text)")
        }
    }

    @Test(arguments: [
        (Duration.zero, "0"), (.seconds(5), "5"), (.milliseconds(250), "0.25"), (.milliseconds(5), "0.005"),
        (.milliseconds(-1500), "-1.5"), (.milliseconds(-1), "-0.001"),
        (Duration(secondsComponent: 1, attosecondsComponent: 1), "1.000000000000000001"),
        (Duration(secondsComponent: 0, attosecondsComponent: -10), "-0.00000000000000001"),
    ])
    func aDurationIsADecimalNumberOfSeconds(_ duration: Duration, _ text: String) throws {
        #expect(try FormEncoder().string(from: ["d": duration]) == "d=\(text)")
        #expect(try FormDecoder().decode([String: Duration].self, from: "d=\(text)") == ["d": duration])
    }

    @Test(arguments: [
        "", "-", ".", "5.", ".5", "a", "1.a", "a.1", "1.2.3", "1e3", "+1", "--1", " 1", "9223372036854775808",
        "0.0000000000000000001",
    ])
    func whatIsNoSuchNumberIsNoDuration(_ text: String) {
        #expect(throws: (any Error).self) { try FormDecoder().decode([String: Duration].self, from: "d=\(text)") }
    }

    @Test func keysOfDictionariesAreDataWhateverTheirType() throws {
        enum Key: String, Codable, CodingKeyRepresentable { case firstName, lastName = "last name" }
        struct Model: Codable, Equatable {
            var byName: [Key: Int]
            var byNumber: [Int: Bool]
        }
        let model = Model(byName: [.lastName: 2, .firstName: 1], byNumber: [20: true, 3: false])
        let options = FormOptions(nesting: .dots, keys: .snakeCase)
        let text = try FormEncoder(options).string(from: model)
        #expect(text == "by_name.firstName=1&by_name.last+name=2&by_number.20=true&by_number.3=false")
        #expect(try FormDecoder(options).decode(Model.self, from: text) == model)
    }

    @Test func numbersThatAreNoneAreReadBackTheSame() throws {
        struct Model: Codable {
            var double = Double.nan
            var float = -Float.infinity
            var decimal = Decimal.nan
            var zero = -0.0
            var large = Decimal.greatestFiniteMagnitude
            var small = Decimal.leastNonzeroMagnitude
        }
        let back = try FormDecoder().decode(Model.self, from: FormEncoder().encode(Model()))
        #expect(back.double.isNaN && back.float == -.infinity && back.decimal.isNaN)
        #expect(back.zero.sign == .minus && back.zero.isZero)
        #expect(back.large == .greatestFiniteMagnitude && back.small == .leastNonzeroMagnitude)
    }

    @Test(arguments: 0..<6) func randomValuesAreReadBackTheSame(_ seed: UInt64) throws {
        struct Node: Codable, Equatable {
            var a: Int?
            var b: [String]
            var c: [Node]
            var d: [String: Double]
            var e: String?
        }
        var random = SeededGenerator(seed: seed)
        func text() -> String {
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in
                        "aé+&=%[]. \u{0}\u{1F600}'\"/;".unicodeScalars.randomElement(using: &random) ?? "a"
                    }))
        }
        func draw(upTo most: Int) -> Int { Int.random(in: 0...most, using: &random) }
        func node(_ depth: Int) -> Node {
            Node(
                a: Bool.random(using: &random) ? draw(upTo: 10) - 5 : nil,
                b: (0..<draw(upTo: 3)).map { _ in text() },
                c: depth == 0 ? [] : (0..<draw(upTo: 3)).map { _ in node(depth - 1) },
                d: Dictionary((0..<draw(upTo: 2)).map { ("k\($0)", Double.random(in: -1...1, using: &random)) }) { $1 },
                e: Bool.random(using: &random) ? text() : nil)
        }
        // An empty node in an array has no notation: every node of the list has a text.
        func filled(_ node: Node) -> Node {
            Node(a: node.a, b: node.b, c: node.c.map(filled), d: node.d, e: node.e ?? "e")
        }
        for options in Self.styles {
            let value = filled(node(3))
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

    @Test(arguments: [FormOptions(dates: .secondsSince1970), FormOptions(dates: .millisecondsSince1970)])
    func datesAsNumbersAreReadBackToTheMicrosecond(_ options: FormOptions) throws {
        func text(_ date: Date) throws -> String {
            try FormEncoder(options).items(from: date, named: "d")[0].value ?? ""
        }
        func readBack(_ date: Date) throws -> Date {
            try #require(
                FormDecoder(options).decode([String: Date].self, from: FormEncoder(options).encode(["d": date]))["d"])
        }
        let second = Date(timeIntervalSince1970: 1_709_208_000)
        #expect(try ["1709208000", "1709208000000"].contains(text(second)))
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let milliseconds = Int.random(in: 1_000_000_000_000...4_000_000_000_000, using: &random)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let digits = try text(date).filter { $0 != "." }
            #expect("\(milliseconds)".hasPrefix(digits), "\(milliseconds)")
            #expect(try readBack(date) == date, "\(milliseconds)")
            let finer = Date(timeIntervalSinceReferenceDate: .random(in: -1e9...3e9, using: &random))
            #expect(try abs(readBack(finer).timeIntervalSince(finer)) < 1e-6)
        }
    }

    @Test(arguments: [FormOptions(dates: .secondsSince1970), FormOptions(dates: .millisecondsSince1970)])
    func aDateAsANumberIsFiniteAndDecimal(_ options: FormOptions) {
        for text in ["nan", "inf", "-infinity", "1e999", "0x10"] {
            #expect(throws: DecodingError.self) {
                try FormDecoder(options).decode([String: Date].self, from: "d=\(text)")
            }
        }
        for seconds in [Double.nan, .infinity] {
            #expect(throws: EncodingError.self) {
                try FormEncoder(options).string(from: ["d": Date(timeIntervalSince1970: seconds)])
            }
        }
    }

    @Test func anOffsetOfISO8601HasFewerThanSixtyMinutes() {
        for (offset, minutes) in [("Z", 0.0), ("+00:59", 59), ("-0130", -90), ("+02", 120), ("+23:59", 1439)] {
            let date = ISO8601.date(from: "2026-01-01T00:00:00\(offset)")
            #expect(date?.timeIntervalSince1970 == 1_767_225_600 - minutes * 60, "\(offset)")
        }
        for offset in ["+00:60", "+24:00", "-0060", "+1", "+01:", "+01:0", "+01000", "+01:00:00", ""] {
            #expect(ISO8601.date(from: "2026-01-01T00:00:00\(offset)") == nil, "\(offset)")
        }
    }

    @Test func datesKeepEveryBitInISO8601() throws {
        var dates = [0, 0.1, -0.1, 1e-7, -1, 86_399.999, 757_382_400.123456, -63_114_076_800, -70_000_000_000, 1e12].map
        {
            Date(timeIntervalSinceReferenceDate: $0)
        }
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            dates.append(Date(timeIntervalSinceReferenceDate: .random(in: -1e11...1e11, using: &random)))
        }
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

    @Test(arguments: styles) func anEmptyNameHoldsNoNestedValues(_ options: FormOptions) throws {
        #expect(throws: EncodingError.self) { try FormEncoder(options).string(from: ["": ["x": 1]]) }
        #expect(throws: EncodingError.self) { try FormEncoder(options).string(from: ["": [1, 2]]) }
        let text = try FormEncoder(options).string(from: ["": 1])
        #expect(try FormDecoder(options).decode([String: Int].self, from: text) == ["": 1])
    }
}
