// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import Testing

struct URITemplateParserTests {
    /// The offset is that of the byte that cannot stand there.
    @Test(arguments: [
        ("}", 0, "a '}' without its '{'"), ("ab}", 2, "a '}' without its '{'"),
        ("a%", 1, "a '%' that begins no escape"), ("a%2", 1, "a '%' that begins no escape"),
        ("%zz", 0, "a '%' that begins no escape"), ("ab c", 2, "a character that has to be percent-encoded"),
        ("{", 1, "an expression without its end"), ("a{", 2, "an expression without its end"),
        ("{}", 1, "no such operator"), ("{=a}", 1, "no such operator"), ("x{|a}", 2, "no such operator"),
        ("{!a}", 1, "no such operator"), ("{@a}", 1, "no such operator"), ("{,}", 1, "no such operator"),
        ("{?}", 2, "expected the name of a variable"), ("{a,}", 3, "expected the name of a variable"),
        ("{a.}", 3, "expected the name of a variable"), ("{a..b}", 3, "expected the name of a variable"),
        ("{+.a}", 2, "expected the name of a variable"), ("{?", 2, "expected the name of a variable"),
        ("{%2}", 1, "expected the name of a variable"), ("{a", 2, "expected ',' or '}'"),
        ("{a b}", 2, "expected ',' or '}'"), ("{a%zz}", 2, "expected ',' or '}'"), ("{a**}", 3, "expected ',' or '}'"),
        ("{a*:1}", 3, "expected ',' or '}'"), ("{a:1:2}", 4, "expected ',' or '}'"),
        ("{a:1*}", 4, "expected ',' or '}'"),
        ("{a:}", 3, "a prefix has 1 to 9999 characters"), ("{a:x}", 3, "a prefix has 1 to 9999 characters"),
        ("{a:0}", 4, "a prefix has 1 to 9999 characters"), ("{a:01}", 5, "a prefix has 1 to 9999 characters"),
        ("{a:10000}", 8, "a prefix has 1 to 9999 characters"), ("{a:", 3, "a prefix has 1 to 9999 characters"),
        ("{a:99999999999999999999}", 23, "a prefix has 1 to 9999 characters"),
    ])
    func whatIsNoTemplateIsToldWithItsPlace(_ text: String, _ offset: Int, _ reason: String) throws {
        let error = try #require(throws: URITemplateError.self) { try URITemplate(text) }
        #expect(error.offset == offset && error.reason == reason, "\(text): \(error)")
        #expect(error.description == "URI template, byte \(offset): \(reason)")
    }

    /// §2.1.
    @Test func everyCharacterOfAURIIsALiteral() throws {
        let allowed = "!#$&'()*+,-./0123456789:;=?@ABCXYZ[]_abcxyz~"
        for scalar in (0...0x7F).compactMap(Unicode.Scalar.init) where scalar != "{" {
            let character = String(scalar)
            let isAllowed =
                allowed.unicodeScalars.contains(scalar) || ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar)
            if isAllowed {
                #expect(try URITemplate("x\(character)y").expand([:]) == "x\(character)y", "\(scalar.value)")
            } else {
                #expect(throws: URITemplateError.self, "\(scalar.value)") { try URITemplate("x\(character)y") }
            }
        }
        #expect(try URITemplate("%41%7b/\u{80}é€/").expand([:]) == "%41%7b/%C2%80%C3%A9%E2%82%AC/")
    }

    /// §2.3.
    @Test(arguments: ["a", "Z", "_", "0", "a1_B", "a.b", "a.b.c", "%41", "a%C3%A9b", "%20.%20", "9.9"])
    func aNameIsOfLettersDigitsEscapesAndDotsBetween(_ name: String) throws {
        let template = try URITemplate("{\(name)}{?\(name)*}{&\(name):2}")
        #expect(template.variableNames == [name])
        #expect(try template.expand([name: "xyz"]) == "xyz?\(name)=xyz&\(name)=xy")
    }

    /// §2.4.1.
    @Test(arguments: [(1, 1), (9, 9), (10, 10), (9998, 9998), (9999, 9999)])
    func aPrefixHasUpToFourDigits(_ length: Int, _ count: Int) throws {
        let text = String(repeating: "a", count: 10_001)
        #expect(try URITemplate("{v:\(length)}").expand(["v": .string(text)]).utf8.count == count)
    }

    @Test func literalsAndExpressionsTakeTurns() throws {
        let template = try URITemplate("a{b}{c}d{?e,f}")
        #expect(template.variableNames == ["b", "c", "e", "f"])
        #expect(try template.expand(["b": "1", "c": "2", "e": "3", "f": "4"]) == "a12d?e=3&f=4")
        #expect(try URITemplate("").expand([:]) == "")
    }

    private enum Level: String, Encodable { case high = "h i" }

    @Test func aValueHasTheTextThatItHasInAQuery() throws {
        let date = Date(timeIntervalSince1970: 0)
        let values: [(any Encodable, URITemplate.Value)] = [
            ("a b", "a b"), (7, 7), (1.5, "1.5"), (5.0, "5"), (true, "true"), (date, "1970-01-01T00:00:00Z"),
            (Level.high, "h i"), (Int?.none, []), ([Int](), []), ([String: Int](), []), ([1, 2], ["1", "2"]),
            ([1, nil, 3] as [Int?], ["1", "3"]), (["a": 1, "b": 2], ["a": "1", "b": "2"]),
            (["a": 1, "b": nil] as [String: Int?], ["a": "1"]), ([Level.high], ["h i"]),
        ]
        for (value, expected) in values { #expect(try URITemplate.Value(encoding: value) == expected, "\(value)") }
        #expect(try URITemplate.Value(encoding: true, options: FormOptions(bools: .numbers)) == "1")
    }

    @Test func whatIsNestedDeeperHasNoText() {
        let values: [any Encodable] = [[[1]], [["a": 1]], ["a": [1]], ["a": ["b": 1]], ["a": [[Int]]()]]
        for value in values {
            #expect(throws: EncodingError.self, "\(value)") { try URITemplate.Value(encoding: value) }
        }
    }

    @Test func whatHasATextIsOne() {
        #expect(URITemplate.Value(5.0) == "5")
        #expect(URITemplate.Value(true) == "true")
        #expect(URITemplate.Value(Int128.max) == "170141183460469231731687303715884105727")
        #expect(URITemplate.Value("x" as Character) == "x")
        #expect(URITemplate.Value("a/b") == "a/b")
    }

    /// What may be missing, and what a part of a path must not be.
    @Test(
        arguments: [
            ("a{/v}", ["v": ["x", "y"]], "a/x,y"), ("a{/v*}", ["v": ["k": "w"]], "a/k=w"), ("a{?v}", [:], "a"),
            ("a{#v}", [:], "a"), ("a{;v}", ["v": ""], "a;v"), ("a{&v}", ["v": nil], "a"), ("a{#v}", ["v": ""], "a#"),
            ("a{/v}", ["v": [String: String]()], nil), ("a{/v}", ["v": ["x", ""]], nil), ("a{/v}", ["v": nil], nil),
            ("a{.v}", [:], nil), ("a{v}", ["v": ""], nil), ("a{+v}", [:], nil), ("a{v}", ["v": "x", "w": 1], nil),
        ] as [(String, [String: (any Encodable & Sendable)?], String?)])
    func aStrictExpansion(
        _ text: String, _ variables: [String: (any Encodable & Sendable)?], _ expected: String?
    ) throws {
        let template = try URITemplate(text)
        guard let expected else {
            #expect(throws: URITemplateError.self) { try template.expand(strict: variables) }
            return
        }
        #expect(try template.expand(strict: variables) == expected)
    }

    @Test func whatIsMissingIsNamed() throws {
        let template = try URITemplate("{a}/{b}")
        let missing = #expect(throws: URITemplateError.self) { try template.expand(strict: ["a": 1, "b": ""]) }
        #expect(missing?.reason == "\"b\" is missing or empty" && missing?.offset == nil)
        let unknown = #expect(throws: URITemplateError.self) { try template.expand(strict: ["c": 1]) }
        #expect(unknown?.reason == "there is no variable \"c\"" && unknown?.offset == nil)
        #expect(throws: EncodingError.self) { try template.expand(strict: ["a": 1, "b": [[1]]]) }
    }
}
