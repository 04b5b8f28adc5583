// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import Testing

struct JSONDecodingErrorTests {
    struct Item: Decodable {
        var priceInCents: Int
        var note: String?
    }
    struct Order: Decodable {
        var items: [Item]
    }

    func failure(_ text: String, snakeCase: Bool = false) throws -> JSONDecodingError {
        let decoder = JSONDecoder()
        if snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        return try failure(text, as: Order.self, decoder)
    }

    func failure<Model: Decodable>(
        _ text: String, as type: Model.Type, _ decoder: JSONDecoder = JSONDecoder()
    ) throws -> JSONDecodingError {
        try #require(throws: JSONDecodingError.self) {
            try decoder.decode(type, from: Data(text.utf8), response: HTTPResponse(status: .ok))
        }
    }

    /// Foundation's decoder ends the process when the last byte opens one array too many.
    @Test(arguments: [#"["#, #"{"a":"#], [510, 511, 512, 513, 514])
    func refusesTextThatEndsDeepInside(_ opening: String, _ depth: Int) throws {
        for text in [String(repeating: opening, count: depth), String(repeating: opening, count: depth - 1) + "["] {
            #expect(try failure(text).line == 1)
            #expect(try failure(text, as: [String].self).line == 1)
            let wide = Data(text.utf8.flatMap { [$0, 0] })
            #expect(throws: JSONDecodingError.self) {
                try JSONDecoder().decode([String].self, from: wide, response: HTTPResponse(status: .ok))
            }
        }
    }

    @Test(arguments: ["\r", "\r\n", " ", "\n"], [512, 513, 514])
    func refusesTextThatEndsDeepInsideBeforeWhiteSpace(_ end: String, _ depth: Int) throws {
        #expect(try failure(String(repeating: "[", count: depth) + end).line >= 1)
    }

    /// Foundation's decoder converts what looks like UTF-16 or UTF-32, and drops what is missing at its end.
    @Test func refusesTextThatLooksLikeAnotherEncodingOnceMore() throws {
        func wide(_ text: String, _ width: Int) -> Data {
            Data(text.utf8.flatMap { [$0] + Array(repeating: 0, count: width - 1) })
        }
        let deep = String(repeating: "[", count: 513)
        let twice = Data([0xFE, 0xFF] + (String(repeating: "[\0", count: 513) + "X").utf8.flatMap { [0, $0] })
        let mixed = wide(String(repeating: "[\0", count: 513) + "X", 4)
        for data in [
            twice, mixed, wide(deep, 2) + [0x58], Data([0xFF, 0xFE]) + wide(deep, 2) + [0x58], wide(deep, 4) + [0x58],
        ] {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode([Int].self, from: data, response: HTTPResponse(status: .ok))
            }
            #expect(throws: DecodingError.self) { try JSONDecoder().decodeReceived([Int].self, from: data) }
        }
    }

    @Test(arguments: [1, 2, 4], [true, false])
    func readsTextOfAnyLengthInEachEncodingOfUnicode(_ width: Int, _ isBigEndian: Bool) throws {
        func encoded(_ text: String) -> Data {
            let zeros = Array(repeating: UInt8(0), count: width - 1)
            return Data(text.utf8.flatMap { isBigEndian ? zeros + [$0] : [$0] + zeros })
        }
        for text in ["1", "12", "123"] {
            #expect(try JSONDecoder().decodeReceived(Int.self, from: encoded(text)) == Int(text))
            #expect(try JSONDecoder().decodeReceived([Int].self, from: encoded("[\(text)]")) == [Int(text)])
        }
    }

    /// Foundation says of an object whose keys are of an own type that it is no array.
    @Test func aMismatchBelowAKeyOfAnOwnTypeIsToldItself() throws {
        enum Key: String, Codable { case first, second }
        let error = try failure(#"{"first":1,"second":"x"}"#, as: [Key: Int].self)
        #expect(error.description == "second: expected Int, found a string (line 1, column 21)")
    }

    /// 60 bytes stand before the place, and 200 in all.
    @Test(arguments: [59, 60, 61, 62]) func aSnippetSaysThatItIsCutOff(_ place: Int) throws {
        let text = "[" + String(repeating: " ", count: place - 1) + "\"x\""
        let before = try failure(text + "]", as: [Int].self).snippet
        #expect(before.hasPrefix("…") == (place > 60) && before.hasSuffix("]"))
        let rest = 200 - min(place, 60) - 4
        #expect(!(try failure(text + String(repeating: " ", count: rest) + "]", as: [Int].self)).snippet.hasSuffix("…"))
        #expect(
            try failure(text + String(repeating: " ", count: rest + 1) + "]", as: [Int].self).snippet.hasSuffix("…"))
    }

    @Test func tellsPathTypesAndPlaceOfAMismatch() throws {
        let error = try failure(
            """
            {"items": [
              {"priceInCents": 1},
              {"priceInCents": "secret"}
            ]}
            """)
        #expect(error.description == "items[1].priceInCents: expected Int, found a string (line 3, column 20)")
        #expect(error.snippet.contains("secret"))
        #expect(!error.description.contains("secret"))
        #expect(error.debugDescription.contains("secret"))
        guard case .typeMismatch = error.underlying else {
            Issue.record("\(error.underlying)")
            return
        }
    }

    @Test func theDescriptionShowsNoValueThatTheModelQuotes() throws {
        struct Setting: Decodable {
            enum Level: String, Decodable { case low }
            var level: Level
        }
        struct Picky: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                let text = try container.decode(String.self)
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not \(text)")
            }
        }
        let error = try failure(#"{"level":"secret"}"#, as: Setting.self)
        #expect(error.description == "level: expected another value, found a string (line 1, column 10)")
        #expect(error.debugDescription.contains("invalid String value secret"))
        let picky = try failure(#"["secret"]"#, as: [Picky].self)
        #expect(picky.description == "[0]: expected another value, found a string (line 1, column 2)")
        #expect(picky.debugDescription.contains("not secret"))
    }

    @Test func tellsWhereAKeyIsMissing() throws {
        let error = try failure(#"{"items":[{"price":1}]}"#)
        #expect(
            error.description
                == #"items[0]: expected a value for key "priceInCents", found an object without that key (line 1, column 11)"#
        )
    }

    @Test func findsThePlaceBehindKeysThatAreNumbers() throws {
        let error = try failure(#"{"7":[1,"x"]}"#, as: [Int: [Int]].self)
        #expect(error.description == "7[1]: expected Int, found a string (line 1, column 9)")
    }

    @Test func findsThePlaceBehindConvertedKeys() throws {
        let error = try failure(#"{"items":[{"price_in_cents":null}]}"#, snakeCase: true)
        #expect(error.description == "items[0].priceInCents: expected Int, found null (line 1, column 29)")
    }

    @Test func theKeyItselfCountsForMoreThanOneThatIsConverted() throws {
        struct Model: Decodable { var userId: Int }
        let error = try failure("{\"user_id\":1,\n\"userId\":\"x\"}", as: Model.self)
        #expect(error.description == "userId: expected Int, found a string (line 2, column 10)")
    }

    @Test(arguments: [
        (
            #"{"items":[{"priceInCents":1},x]}"#,
            "expected JSON, found text that is not: expected a value (line 1, column 30)"
        ),
        ("", "expected JSON, found an empty body (line 1, column 1)"),
        ("<html>", "expected JSON, found text that is not: expected a value (line 1, column 1)"),
        (
            #"{"items":[{"#,
            "expected JSON, found text that is not: expected a key in double quotes, but the text ends (line 1, column 12)"
        ),
    ]) func tellsWhereTheTextIsNotJSON(_ text: String, _ description: String) throws {
        #expect(try failure(text).description == description)
    }

    @Test(arguments: [
        (
            #"{"items":[{"priceInCents":1},{"priceInCents":1.5}]}"#,
            "items[1].priceInCents: expected Int, found a number", 46
        ),
        (
            #"{"items":[{"priceInCents":9223372036854775808}]}"#, "items[0].priceInCents: expected Int, found a number",
            27
        ),
        (#"{"items":[{"priceInCents":1,"note":"\ud800"}]}"#, "items[0].note: expected String, found a string", 36),
    ]) func tellsWhereAValueDoesNotFit(_ text: String, _ start: String, _ column: Int) throws {
        #expect(try failure(text).description == "\(start) that it cannot hold (line 1, column \(column))")
    }

    @Test func tellsWhereAValueDoesNotFitWhateverTheContainer() throws {
        struct Odd: Decodable {
            var keyed: Int8
            var list: [Float]
            var any: JSONValue
            var last: UInt8

            enum CodingKeys: CodingKey { case outer, keyed, list, any, last }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let outer = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .outer)
                keyed = try outer.decode(Int8.self, forKey: .keyed)
                var elements = try outer.nestedUnkeyedContainer(forKey: .list)
                list = []
                while !elements.isAtEnd { list.append(try elements.decode(Float.self)) }
                any = try container.decode(JSONValue.self, forKey: .any)
                last = try container.superDecoder(forKey: .last).singleValueContainer().decode(UInt8.self)
            }
        }
        func place(_ keyed: String, _ list: String, _ last: String) throws -> String {
            let text = #"{"outer":{"keyed":\#(keyed),"list":\#(list)},"any":[1.5,true,{}],"last":\#(last)}"#
            let error = try failure(text, as: Odd.self)
            return "\(error.path): \(error.expected)"
        }
        #expect(try place("300", "[]", "1") == "outer.keyed: Int8")
        #expect(try place("1", "[1,1e300]", "1") == "outer.list[1]: Float")
        #expect(try place("1", "[1]", "-1") == "last: UInt8")
        #expect(
            try failure("1.5", as: Int.self).description
                == "expected Int, found a number that it cannot hold (line 1, column 1)")
    }

    @Test func theSnippetIsBoundedAndAroundThePlace() throws {
        let filler = String(repeating: #"{"priceInCents":1},"#, count: 500)
        let error = try failure(#"{"items":[\#(filler){"priceInCents":[7]},\#(filler){"priceInCents":1}]}"#)
        #expect(error.snippet.utf8.count <= 206)
        #expect(error.snippet.contains("[7]"))
        #expect(error.snippet.hasPrefix("…") && error.snippet.hasSuffix("…"))
    }

    @Test func theClientsHookIsToldAndTheClientsErrorCarriesIt() async throws {
        let told = Mutex<[String]>([])
        var configuration = NetworkConfiguration(
            baseURL: URL(string: "https://h.example"), transport: ScriptedTransport(.json(#"{"items":3}"#)))
        configuration.onDecodingFailure = { failure in
            told.withLock { $0.append("\((failure.cause as? JSONDecodingError)?.path ?? "none")") }
        }
        let client = NetworkClient(configuration: configuration)
        let error = try #require(
            await #expect(throws: NetworkClientError.self) {
                try await client.run(NetworkRequest<VoidRequest, Order>(path: "/", method: .get))
            })
        #expect(error.code == .decodingFailed)
        #expect((error.cause as? JSONDecodingError)?.found == "a number")
        #expect(told.withLock { $0 } == ["items"])
    }

    /// Foundation's decoder reads on behind a number at the very end, and a digit there ends the process.
    @Test func readsANumberAtTheEndOfTheText() throws {
        let json5 = JSONDecoder()
        json5.allowsJSON5 = true
        let members = JSONDecoder()
        members.assumesTopLevelDictionary = true
        for length in 1...64 {
            let number = "1." + String(repeating: "1", count: length)
            let digits = Data((number + "11111").utf8).prefix(number.utf8.count)
            #expect(try JSONDecoder().decodeReceived(Double.self, from: digits) == Double(number))
            #expect(try json5.decodeReceived(Double.self, from: digits) == Double(number))
            let member = Data(("\"v\":" + number + "11111").utf8).dropLast(5)
            #expect(try members.decodeReceived([String: Double].self, from: member) == ["v": Double(number)])
        }
    }

    /// Foundation's decoder ends the process at such a byte in a name without quotes.
    @Test(arguments: [0xF8, 0xFC, 0xFF] as [UInt8]) func refusesABareNameThatIsNotUTF8(_ byte: UInt8) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        for text in [
            Data("{gr".utf8) + [byte] + Data("nen: 1}".utf8), Data("{'gr".utf8) + [byte] + Data("nen': 1}".utf8),
        ] {
            #expect(throws: DecodingError.self) { try decoder.decodeReceived([String: Int].self, from: text) }
        }
    }

    @Test func keysThatHaveNumbersAreNoIndices() throws {
        struct Numbered: Decodable {
            var zone: Int
            enum CodingKeys: Int, CodingKey { case zone }
        }
        struct Outer: Decodable { var inner: Numbered }
        let error = try failure(#"{"inner": {"zone": "x"}}"#, as: Outer.self)
        #expect("\(error)" == "inner.zone: expected Int, found a string (line 1, column 20)")
    }

    @Test func anArrayThatEndsTooEarlyIsThePlace() throws {
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                for _ in 0..<2 { _ = try container.decode(Int.self) }
            }
        }
        let error = try failure(#"{"pair": [1]}"#, as: [String: Pair].self)
        #expect("\(error)" == "pair[1]: expected Int, found the end of the array (line 1, column 10)")
    }

    /// Numbers and strings are read when they are asked for, and the whole text is said to be broken.
    @Test(arguments: [
        ("[01]", 3), ("[1, 1.]", 7), ("[1,\n -]", 3), ("[\"a\\x\"]", 5), ("[\"a\tb\"]", 4), ("[tru]", 2), ("[1 2]", 4),
        ("[1, 2", 6),
    ]) func aTextThatIsNoJSONIsSaidToBeNone(_ text: String, _ column: Int) throws {
        for error in [try failure(text, as: [Int].self), try failure(text, as: [JSONValue].self)] {
            #expect("\(error)".hasPrefix("expected JSON, found text that is not"), "\(error)")
            #expect(error.column == column, "\(error)")
        }
    }

    @Test(arguments: ["'big'", "1.5", "null"]) func textOfJSON5ThatWasReadIsNotCalledBroken(_ size: String) throws {
        struct Sample: Decodable { var name: String, size: Int }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let error = try failure("{name: 'a', size: \(size)}", as: Sample.self, decoder)
        #expect("\(error)" == "size: expected Int, found something else (line 1, column 1)")
    }

    @Test(arguments: ["image_2x", "a_2_b3c", "x_1A_é", "user_id", "a_ßb"])
    func aKeyOfAStrategyIsFoundAsFoundationMakesIt(_ key: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let error = try failure(#"{"\#(key)": "x"}"#, as: [String: Int].self, decoder)
        #expect(error.found == "a string")
    }

    /// Reads numbers or text, and has rules of its own.
    private struct Tried: Decodable {
        struct Texts: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while !container.isAtEnd {
                    if (try? container.decode(Int.self)) == nil { _ = try container.decode(String.self) }
                }
            }
        }
        enum Key: CodingKey { case texts, id, count }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            _ = try container.decode(Texts.self, forKey: .texts)
            if (try? container.decode(Int.self, forKey: .id)) == nil {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no number"))
            }
            _ = try container.decode(Int.self, forKey: .count)
        }
    }

    @Test func aValueThatAModelGetsOverIsNotThePlace() throws {
        let error = try failure(#"{"texts": ["a", 1], "id": 1, "count": 1e30}"#, as: Tried.self)
        #expect("\(error)" == "count: expected Int, found a number that it cannot hold (line 1, column 39)")
        let own = try failure(#"{"texts": [], "id": "x", "count": 1}"#, as: Tried.self)
        #expect("\(own)" == "expected another value, found an object (line 1, column 1)")
    }

    @Test func isShownByTheErrorOfTheCallWithoutValues() async throws {
        let transport = ScriptedTransport(.json(#"{"items": [{"priceInCents": "s3cr3t"}]}"#))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h"), transport: transport))
        let error = try await #require(throws: NetworkClientError.self) {
            try await client.run(NetworkRequest<VoidRequest, Order>(path: "/", method: .get))
        }
        let place = "items[0].priceInCents: expected Int, found a string (line 1, column 29)"
        #expect(error.description.contains(": the body could not be decoded as Order: \(place) (status 200)"))
        #expect(!error.description.contains("s3cr3t"))
    }
}
