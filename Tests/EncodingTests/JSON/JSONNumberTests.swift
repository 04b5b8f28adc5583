// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import Testing

struct JSONNumberTests {
    private func number(_ literal: String) throws -> JSONNumber { try #require(JSONNumber(literal), "\(literal)") }

    @Test func aNumberIsMadeOfEveryType() throws {
        #expect(
            JSONNumber(5.0)?.literal == "5" && JSONNumber(0.1)?.literal == "0.1" && JSONNumber(-0.0)?.literal == "-0")
        #expect(JSONNumber(1e300)?.literal == "1e+300" && JSONNumber(Int8.min).literal == "-128")
        #expect(JSONNumber(UInt128.max).literal == "340282366920938463463374607431768211455")
        #expect(JSONNumber(try #require(Decimal(string: "1.50")))?.literal == "1.5")
        #expect(JSONNumber(Double.nan) == nil && JSONNumber(-Double.infinity) == nil && JSONNumber(Decimal.nan) == nil)
        #expect("\(try number("1.10"))" == "1.10" && JSONNumber("1.10,") == nil && JSONNumber("\u{FEFF}1") == nil)
    }

    @Test(arguments: [
        ("0", "0.0"), ("0", "-0e5"), ("0.0", "0e-99999999999999999999"), ("5", "5.000"), ("5", "0.5e1"),
        ("5", "500e-2"),
        ("-5", "-50e-1"), ("1200", "1.2e3"), ("0.012", "1.2E-2"), ("0.012", "0.0012e+1"), ("1005", "1.005e3"),
        ("1e99999999999999999999", "1E99999999999999999999"),
        ("15e-9223372036854775808", "1.5e-9223372036854775807"),
    ])
    func oneNumberHasManyNotations(_ one: String, _ other: String) throws {
        #expect(try number(one) == number(other) && number(other) == number(one))
        #expect(try Set([number(one), number(other)]).count == 1)
    }

    @Test(arguments: [
        ("0", "1"), ("5", "-5"), ("5", "50"), ("5", "0.5"), ("5", "0.05"), ("105", "15"), ("1.5", "15"),
        ("1e5", "1e-5"),
        ("1e99999999999999999999", "1e99999999999999999998"), ("1e99999999999999999999", "2e99999999999999999999"),
        ("1.5e-9223372036854775808", "15e-9223372036854775808"), ("1", "10e-2"), ("100", "1e1"),
    ])
    func numbersDiffer(_ one: String, _ other: String) throws {
        #expect(try number(one) != number(other))
        #expect(try Set([number(one), number(other)]).count == 2)
    }

    @Test func anIntegerIsWholeAndFits() throws {
        let rows: [(String, Int?)] = [
            ("0", 0), ("-0.0", 0), ("7", 7), ("-7.0", -7), ("1.5e1", 15), ("1.5", nil), ("15e-1", nil),
            ("1e18", 1_000_000_000_000_000_000),
            ("1e19", nil), ("-9223372036854775808.0", .min), ("9223372036854775808", nil), ("1e41", nil),
            ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil),
        ]
        for (literal, value) in rows { #expect(try number(literal).int == value, "\(literal)") }
        #expect(try number("255.0").integer(UInt8.self) == 255 && number("256").integer(UInt8.self) == nil)
        #expect(try number("1e38").integer(Int128.self) == Int128("1" + String(repeating: "0", count: 38)))
        #expect(try number("2e38").integer(Int128.self) == nil && number("2e38").integer(UInt128.self) != nil)
        #expect(try number("-1").integer(UInt.self) == nil)
    }

    @Test func aDecimalHasThirtyEightDigits() throws {
        let digits = "12345678901234567890123456789012345678"
        for literal in [digits, "-\(digits)", "0.\(digits)", digits + "000"] {
            #expect(try number(literal).decimal == Decimal(string: literal), "\(literal)")
        }
        for literal in [digits + "9", "0.\(digits)9", "1e128", "1e-128", "1e99999999999999999999"] {
            #expect(try number(literal).decimal == nil, "\(literal)")
        }
        #expect(try number("1e127").decimal == Decimal(sign: .plus, exponent: 127, significand: 1))
        #expect(try number("1e-127").decimal == Decimal(sign: .plus, exponent: -127, significand: 1))
    }

    @Test func aDoubleIsTheNearest() throws {
        let rows: [(String, Double)] = [
            ("0.1", 0.1), ("1e400", .infinity), ("-1e400", -.infinity), ("1e-400", 0),
            ("9007199254740993", 9_007_199_254_740_992),
        ]
        for (literal, value) in rows { #expect(try number(literal).double == value) }
    }
}
