// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// What the encoders of this library write, its decoders read back.
struct RoundTripTests {
    /// Options of every kind, and the generator that makes the values.
    struct Case: CustomTestStringConvertible, Sendable {
        let options: FormOptions
        let seed: UInt64
        let testDescription: String

        static let all: [Case] = {
            let arrays: [(String, FormOptions.Arrays)] = [
                ("repeated", .repeated), ("brackets", .brackets), ("indices", .indices), ("commas", .commas),
                ("spaces", .spaces), ("pipes", .pipes),
            ]
            return arrays.flatMap { name, arrays in
                [FormOptions.Keys.asWritten, .snakeCase].enumerated().map { offset, keys in
                    var options = FormOptions(arrays: arrays, nesting: offset == 0 ? .brackets : .dots, keys: keys)
                    if offset == 1 { options.nils = .text("null") }
                    return Case(
                        options: options, seed: UInt64(name.utf8.count + offset),
                        testDescription: "\(name), \(offset == 0 ? "as written" : "snake case")")
                }
            }
        }()
    }

    @Test(arguments: Case.all)
    func aFormIsReadBack(of input: Case) throws {
        var random = Generator(seed: input.seed)
        for _ in 0..<60 {
            let model = Everything(&random)
            let text = try FormEncoder(input.options).string(from: model)
            #expect(try FormDecoder(input.options).decode(Everything.self, from: text) == model, "\(text)")
        }
    }

    /// A query has no place for an empty text in an array that is empty otherwise, nor has a form.
    @Test(arguments: Case.all)
    func aQueryIsReadBack(of input: Case) throws {
        var random = Generator(seed: input.seed &+ 100)
        for _ in 0..<60 {
            let model = Everything(&random)
            let text = try QueryEncoder(input.options).string(from: model)
            #expect(try FormDecoder(input.options).decode(Everything.self, from: text) == model, "\(text)")
        }
    }

    @Test(arguments: Case.all)
    func aMultipartFormIsReadBack(of input: Case) async throws {
        var random = Generator(seed: input.seed &+ 200)
        for _ in 0..<60 {
            let model = Everything(&random)
            let encoded = try MultipartEncoder(options: input.options).encodeBody(model)
            let bytes = try await encoded.body.collect()
            let response = HTTPResponse(status: .ok, headerFields: [.contentType: try #require(encoded.contentType)])
            let back = try MultipartDecoder(options: input.options).decode(
                Everything.self, from: bytes, response: response)
            #expect(back == model, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    /// A dictionary as a whole form, by its keys.
    @Test(arguments: Case.all)
    func aDictionaryIsReadBack(of input: Case) async throws {
        var random = Generator(seed: input.seed &+ 300)
        for _ in 0..<30 {
            let lists = Dictionary(uniqueKeysWithValues: Color.allCases.map { ($0, random.list { $0.text() }) })
                .filter { !$0.value.isEmpty }
            let encoded = try MultipartEncoder(options: input.options).encodeBody(lists)
            let response = HTTPResponse(status: .ok, headerFields: [.contentType: try #require(encoded.contentType)])
            let bytes = try await encoded.body.collect()
            let back = try MultipartDecoder(options: input.options).decode(
                [Color: [String]].self, from: bytes, response: response)
            #expect(back == lists)
            let text = try FormEncoder(input.options).string(from: lists)
            #expect(try FormDecoder(input.options).decode([Color: [String]].self, from: text) == lists)
        }
    }

    /// The JSON of a value that is not left to `Codable`, and of any response.
    @Test func dictionariesByTextsAreReadFromObjects() throws {
        let nested: [String: [[Color: Int]]] = ["a": [[.red: 1], [:]]]
        let text = try JSONEncoder().encodeBody(nested).body.data
        #expect(text == Data(#"{"a":[{"red":1},{}]}"#.utf8))
        let response = HTTPResponse(status: .ok)
        #expect(
            try JSONDecoder().decode([String: [[Color: Int]]].self, from: text ?? Data(), response: response) == nested)
        // As `Codable` writes it, too.
        #expect(
            try JSONDecoder().decode([Color: Int].self, from: Data(#"["red",1]"#.utf8), response: response) == [.red: 1]
        )
        struct Stock: Decodable, Equatable { var perColor: [Color: [UInt8: Bool]] }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let stock = Data(#"{"per_color": {"dark_red": {"7": true}}}"#.utf8)
        #expect(
            try decoder.decode(Stock.self, from: stock, response: response) == Stock(perColor: [.darkRed: [7: true]]))
        #expect(throws: JSONDecodingError.self) {
            try JSONDecoder().decode([Color: Int].self, from: Data(#"{"blue":1}"#.utf8), response: response)
        }
    }

    /// Where the first thing that `Codable` reads otherwise is right, the place of the next failure is shown, not its own.
    @Test(arguments: [
        (#"{"byColor":{"red":1},"limit":"x","names":[]}"#, "limit: expected an array, found a string"),
        (#"{"byColor":{"red":1},"limit":5,"names":[1]}"#, "names[0]: expected String, found a number"),
        (#"{"byColor":{"red":1,"blue":2},"limit":5,"names":[]}"#, "byColor.blue: expected a key of type Color"),
        (#"{"byColor":{"red":"x"},"limit":5,"names":[]}"#, "byColor.red: expected Int, found a string"),
        (#"{"byColor":{"red":1},"limit":5}"#, "expected a value for key \"names\""),
    ])
    func aFailureBehindADictionaryIsShownAtItsOwnPlace(text: String, message: String) throws {
        struct Stock: Decodable {
            var byColor: [Color: Int]
            var limit: Duration
            var names: [String]
        }
        let error = #expect(throws: JSONDecodingError.self) {
            try JSONDecoder().decode(Stock.self, from: Data(text.utf8), response: HTTPResponse(status: .ok))
        }
        #expect(error.map { "\($0)" }?.hasPrefix(message) == true, "\(String(describing: error))")
    }

    @Test func durationsAreReadFromNumbersOfSeconds() throws {
        let durations: [String: [Duration?]] = ["a": [.seconds(5), nil, .milliseconds(-1), .zero]]
        let text = try #require(try JSONEncoder().encodeBody(durations).body.data)
        #expect(text == Data(#"{"a":[5,null,-0.001,0]}"#.utf8))
        let response = HTTPResponse(status: .ok)
        #expect(try JSONDecoder().decode([String: [Duration?]].self, from: text, response: response) == durations)
        struct Job: Codable, Equatable { var limit: Duration }
        for text in [#"{"limit":5.25}"#, #"{"limit":[0,5250000000000000000]}"#] {
            #expect(
                try JSONDecoder().decode(Job.self, from: Data(text.utf8), response: response)
                    == Job(limit: .milliseconds(5250)))
        }
    }

    @Test func durationsAreReadBackToTheAttosecond() throws {
        for duration in [
            Duration.zero, .seconds(5), .milliseconds(-1500), .nanoseconds(1), .seconds(Int64.max),
            Duration(secondsComponent: 0, attosecondsComponent: 1),
            Duration(secondsComponent: -3, attosecondsComponent: -10),
        ] {
            let text = try PlainTextEncoder().string(from: duration)
            #expect(try FormDecoder().decode([String: Duration].self, from: "d=\(text)") == ["d": duration])
        }
        for text in ["", "-", "1.", ".5", "1e3", "5 s", "0.1234567890123456789", "99999999999999999999", "+1"] {
            #expect(throws: DecodingError.self) { try FormDecoder().decode([String: Duration].self, from: "d=\(text)") }
        }
    }
}

extension RoundTripTests {
    enum Color: String, Codable, CaseIterable { case red, green, darkRed = "dark_red" }

    struct Filter: Codable, Equatable {
        var name: String
        var tags: [String]
        var perColor: [Color: Int]
    }

    struct Everything: Codable, Equatable {
        var text: String
        var count: Int
        var ratio: Double
        var isOn: Bool
        var someDate: Date
        var bytes: Data
        var link: URL?
        var timeLimit: Duration
        var zone: TimeZone?
        var place: Locale
        var color: Color
        var texts: [String]
        var numbers: [Int]
        var dates: [Date]
        var limits: [Duration]
        var blobs: [Data]
        var grid: [[Int]]
        var perColor: [Color: Int]
        var byNumber: [Int: String]
        var byID: [UUID: Bool]
        var filter: Filter?
        var filters: [Filter]
        var maybe: Int?

        init(_ random: inout Generator) {
            text = random.text()
            count = random.number()
            ratio = Double(random.number()) / 7
            isOn = random.flip()
            someDate = Date(timeIntervalSinceReferenceDate: Double(random.number()) / 8)
            bytes = Data(random.list { UInt8($0.number() & 0xFF) })
            link = random.flip() ? URL(string: "https://h.example/\(random.number())?q=a%20b") : nil
            timeLimit = .nanoseconds(random.number())
            zone = random.flip() ? TimeZone(identifier: "Europe/Berlin") : nil
            place = Locale(identifier: random.flip() ? "de_DE" : "en_GB")
            color = random.flip() ? .red : .darkRed
            texts = random.list { $0.text() }
            numbers = random.list { $0.number() }
            dates = random.list { Date(timeIntervalSinceReferenceDate: Double($0.number())) }
            limits = random.list { .milliseconds($0.number()) }
            blobs = random.list { Data([UInt8($0.number() & 0xFF), 13, 10]) }
            grid = random.list { random in [random.number()] + random.list { $0.number() } }
            perColor = random.flip() ? [.red: random.number(), .darkRed: 2] : [:]
            byNumber = random.flip() ? [random.number(): random.text()] : [:]
            byID = random.flip() ? [UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6)): random.flip()] : [:]
            filter = random.flip() ? Filter(&random) : nil
            filters = random.list { Filter(&$0) }
            maybe = random.flip() ? random.number() : nil
        }
    }
}

extension RoundTripTests.Filter {
    fileprivate init(_ random: inout RoundTripTests.Generator) {
        self.init(
            name: random.text(), tags: random.list { $0.text() },
            perColor: random.flip() ? [.green: random.number()] : [:])
    }
}

extension RoundTripTests {
    /// SplitMix64: the same values in every run.
    struct Generator {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }

        mutating func flip() -> Bool { next() & 1 == 0 }

        mutating func number() -> Int { Int(truncatingIfNeeded: next() >> 24) - 500_000_000_000 }

        /// Without what separates lists.
        mutating func text() -> String {
            let letters = Array("abcXYZ019&=+%[]._-~é/?#\"\\\r\n:;@$'()*!").map(String.init) + ["\u{301}"]
            let length = 1 + Int(next() % 6)
            return (0..<length).map { _ in letters[Int(next() % UInt64(letters.count))] }.joined()
        }

        mutating func list<Element>(_ make: (inout Generator) -> Element) -> [Element] {
            let count = Int(next() % 4)
            return (0..<count).map { _ in make(&self) }
        }
    }
}
