// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import Testing

extension JSONDecodingErrorTests {
    /// Foundation passes over four bytes after `\u`, and two after the `\x` of JSON5, whatever they are.
    @Test func findsNumbersBehindEscapesThatAreNone() {
        let number = "0.\(Self.zeros)1e217"
        let lenient = JSONDecoder()
        lenient.allowsJSON5 = true
        for (text, decoder) in [
            (#"{"x":"\uabc\","id":\#(number)}"#, JSONDecoder()), (#"{"x":"\uabc\","id":\#(number)}"#, lenient),
            (#"{x:'\xa\',id:\#(number)}"#, lenient), (#"{x:'\u""""',id:1e+}"#, lenient),
            (#"{/**//**/ id: 1e+}"#, lenient), ("{// \" \n id: 1e+}", lenient), ("{// ' \r id: 1e+}", lenient),
        ] {
            struct Sample: Decodable { var id: Int }
            #expect(throws: DecodingError.self) { try decoder.decodeReceived(Sample.self, from: Data(text.utf8)) }
        }
    }

    @Test func takesHexadecimalNumbersOfAllDigitsAndLongNames() throws {
        struct Sample: Decodable {
            var unsigned: UInt64, least: Int64
            var expirationTimestamp: Int, my_exponentialBackoff: Int, _0x8g: Int
        }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let text = """
            {unsigned: 0xFFFFFFFFFFFFFFFF, least: -0x8000000000000000, /* 1e+ *//* 1e+ */
            expirationTimestamp: 1, my_exponentialBackoff: 2, _0x8g: 3, $0xzz: 4}
            """
        let sample = try decoder.decodeReceived(Sample.self, from: Data(text.utf8))
        #expect((sample.unsigned, sample.least) == (.max, .min))
        #expect((sample.expirationTimestamp, sample.my_exponentialBackoff, sample._0x8g) == (1, 2, 3))
    }

    @Test(arguments: ["1e+", "1e-", "-0x8000000000000001", "-0x08000000000000001", "0x1e+5", "0x0x", "+.5E-", "0x.8"])
    func refusesNumbersOfJSON5ThatCannotBeRead(_ number: String) {
        struct Sample: Decodable { var id: Double }
        struct Whole: Decodable { var id: Int }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let data = Data("{id: \(number)}".utf8)
        #expect(throws: DecodingError.self) { try decoder.decodeReceived(Sample.self, from: data) }
        #expect(throws: DecodingError.self) { try decoder.decodeReceived(Whole.self, from: data) }
    }

    @Test func takesTheNumbersStringsAndCommentsOfJSON5() throws {
        struct Sample: Decodable, Equatable { var e1: Int, note: String, big: Double }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let text = "{e1: 0xFF, /* 1e+ */ note: '\\'1e+, \"', // 1e- [\n 'big': +1.5e+3} // see ["
        let sample = try decoder.decodeReceived(Sample.self, from: Data(text.utf8))
        #expect(sample == Sample(e1: 255, note: "'1e+, \"", big: 1500))
    }

    private static let zeros = String(repeating: "0", count: 200)

    /// Foundation's decoder ends the process when a number with so many digits is decoded as an integer.
    @Test(arguments: [
        "0.\(zeros)1e217", "1\(zeros)e-184", "-10000000000000000.\(zeros)", "9007199254740992.\(zeros)",
        "340282366920938463463374607431768211456.\(zeros)",
    ])
    func refusesAWholeNumberOfManyCharacters(_ number: String) throws {
        struct Whole: Decodable { var id: Int }
        struct Mixed: Decodable { var id: JSONValue }
        for text in [#"{"id": \#(number)}"#, #"{"note": "a \" b", "id":\#(number)}"#] {
            let data = Data(text.utf8)
            _ = try? JSONDecoder().decode(Whole.self, from: data, response: HTTPResponse(status: .ok))
            _ = try? JSONDecoder().decode(Mixed.self, from: data, response: HTTPResponse(status: .ok))
            _ = try? JSONValue(parsing: data).decode(Whole.self)
            let wide = Data(text.utf8.flatMap { [0, $0] })
            _ = try? JSONDecoder().decode(Whole.self, from: wide, response: HTTPResponse(status: .ok))
            let lenient = JSONDecoder()
            lenient.allowsJSON5 = true
            let hidden = Data(#"{'note': '"', "id": \#(number)}"#.utf8)
            _ = try? lenient.decode(Whole.self, from: hidden, response: HTTPResponse(status: .ok))
        }
        let list = "[\(String(repeating: "1, ", count: 100))\(number)]"
        #expect("\(try failure(list, as: [Int].self).underlying)".contains("more than 128 characters"))
    }

    /// The largest that `Double` tells from its neighbours.
    @Test(arguments: ["9007199254740991", "-9007199254740991", "0", "1"])
    func takesAWholeNumberOfManyCharactersThatIsSmall(_ number: String) throws {
        let data = Data("[\(number).\(Self.zeros)]".utf8)
        let numbers = try JSONDecoder().decode([Int].self, from: data, response: HTTPResponse(status: .ok))
        #expect(numbers == [Int(number)])
    }

    @Test func takesNumbersOfManyCharactersThatAreNotWholeOrBeyondIntegers() throws {
        struct Sample: Decodable { var value: Double }
        let numbers = [
            ("0.\(String(repeating: "3", count: 200))", 1.0 / 3), ("1\(Self.zeros)", 1e200),
            ("0.\(Self.zeros)1", 1e-201), ("1.\(Self.zeros)", 1),
        ]
        for (text, value) in numbers {
            let data = Data(#"{"note": "10000000000000000\#(Self.zeros)", "value": \#(text)}"#.utf8)
            let sample = try JSONDecoder().decode(Sample.self, from: data, response: HTTPResponse(status: .ok))
            #expect(sample.value == value)
        }
        let digits = #"["10000000000000000.\#(Self.zeros)"]"#
        let text = try JSONDecoder().decode([String].self, from: Data(digits.utf8), response: HTTPResponse(status: .ok))
        #expect(text[0].count == 218)
    }
}
