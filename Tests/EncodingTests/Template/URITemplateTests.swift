// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import TestSupport
import Testing

struct URITemplateTests {
    @Test(.vectors("url/uri-template-rfc6570.json")) func expandsByTheStandard() throws {
        let file = try JSONValue(parsing: Vectors.data("url/uri-template-rfc6570.json"))
        for vector in file["cases"]?.array ?? [] {
            let id = vector["id"]?.string ?? ""
            let name = try #require(vector["vars"]?.string)
            let variables = try #require(file["variables"]?[name]?.object).compactMapValues(Self.value)
            let template = try #require(vector["template"]?.string)
            if vector["must_fail"]?.bool == true {
                #expect(throws: URITemplateError.self, "\(id)") { try URITemplate(template).expand(variables) }
            } else {
                let expanded = try URITemplate(template).expand(variables)
                let expected = try #require(vector["expected"]?.array).compactMap(\.string)
                #expect(expected.contains { $0.isIdentical(to: expanded) }, "\(id): \(template) gave \(expanded)")
            }
        }
    }

    private static func value(_ value: JSONValue) -> URITemplate.Value? {
        switch value {
        case .null: nil
        case .string(let text): .string(text)
        case .number(let number): .string(number.literal)
        case .bool(let bool): .string("\(bool)")
        case .array(let elements): .list(elements.compactMap(\.string))
        case .object(let members):
            .pairs(members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value.string ?? "") })
        }
    }

    @Test func namesItsVariables() throws {
        let template = try URITemplate("/{a}/{+b,c.d}{?a,e*}{#f:3}")
        #expect(template.variableNames == ["a", "b", "c.d", "e", "f"])
        #expect(template.description == "/{a}/{+b,c.d}{?a,e*}{#f:3}")
    }

    @Test func readsWellWithLiterals() throws {
        let template = try URITemplate("/repos/{owner}/{repo}/issues{?state,labels*,page,extra*}")
        #expect(
            try template.expand([
                "owner": "apple", "repo": "a/b", "labels": ["bug", "good first issue"], "page": 2,
                "extra": ["k": "v&w"],
            ]) == "/repos/apple/a%2Fb/issues?labels=bug&labels=good%20first%20issue&page=2&k=v%26w")
        #expect(try template.expand([:]) == "/repos///issues")
        let team = "core"
        #expect(try template.expand(["owner": "team-\(team)", "repo": "r"]) == "/repos/team-core/r/issues")
    }

    @Test(arguments: [
        ("/x/{v}", "."), ("/x/{v}", ".."), ("/x/{v}/y", ".."), ("/x{/v}", ".."), ("/x{/w*}/y", ".."), ("/x/.{v}", "."),
        ("{v}", ".."), ("/x/{v:2}", "..a"), ("/x/{.v}", "."), ("/x/{v}?q", ".."), ("/x/{v}#f", ".."), ("/%2e{v}", "."),
        ("/x/.{v}", ""), ("/x/{v}..", ""), ("/x/.{v}./y", ""), ("/x/{.v}", ""),
    ])
    func aValueMakesNoDotSegment(_ template: String, _ value: String) throws {
        let template = try URITemplate(template)
        let error = #expect(throws: URITemplateError.self) {
            try template.expand(["v": .string(value), "w": ["a", value]])
        }
        #expect(error?.offset == nil)
    }

    @Test(arguments: [
        ("/../{v}", "a", "/../a"), ("/..{/v}", "a", "/../a"), ("/x/{v}", "...", "/x/..."), ("/x/{v}", ".a", "/x/.a"),
        ("/x/{v}.txt", ".", "/x/..txt"), ("/x{?v}", "..", "/x?v=.."), ("/x?a={v}/..", "..", "/x?a=../.."),
        ("/x/{+v}", "../y", "/x/../y"), ("{#v}", "..", "#.."), ("/x;{v}", "..", "/x;.."),
        ("/x/{v}", "a/..", "/x/a%2F.."), ("/x/{v}", "%2e%2e", "/x/%252e%252e"), ("/..{/v}", "", "/../"),
        ("/..{?v}", "", "/..?v="), ("/..{+v}", "", "/.."), ("/..{u}", "", "/.."),
    ])
    func dotsThatAreNoSegmentOfAValueStay(_ template: String, _ value: String, _ expected: String) throws {
        #expect(try URITemplate(template).expand(["v": .string(value)]) == expected)
    }

    @Test func aPrefixCountsCharactersAndNotBytes() throws {
        #expect(try URITemplate("{x:2}").expand(["x": "éüö"]) == "%C3%A9%C3%BC")
        #expect(throws: URITemplateError.self) { try URITemplate("{x:2}").expand(["x": ["a"]]) }
    }

    @Test(arguments: [
        ("{+x:2}", "%20x"), ("{#x:1}", "#%20"), ("{+x:3}", "%20xy"), ("{x:2}", "%252"), ("{+x:4}", "%20xy%25"),
        ("{+x:9999}", "%20xy%25z%C3%BC"), ("{+y:1}", "%C3%A9"), ("{+y:2}", "%C3%A9%E2%82%AC"), ("{y:4}", "%25C3%25"),
    ])
    func aPrefixSplitsNoEscapeThatStands(_ template: String, _ expected: String) throws {
        let variables: [String: URITemplate.Value] = ["x": "%20xy%zü", "y": "%C3%A9%E2%82%AC."]
        #expect(try URITemplate(template).expand(variables) == expected)
    }

    @Test(arguments: [
        "{", "}", "{}", "{,}", "{a,}", "{a", "%", "%2", "a b", "{a b}", "{?}", "{a**}", "{a:1:2}", "{a.}", "{.}", "<x>",
        "\u{0}",
    ])
    func tellsWhereATextIsNoTemplate(_ text: String) throws {
        let error = try #require(throws: URITemplateError.self) { try URITemplate(text) }
        #expect(error.offset.map { $0 <= text.utf8.count } == true)
    }

    /// With a walk over all values for each segment, this would take hours.
    @Test(.timeLimit(.minutes(10))) func aLargeTemplateIsExpandedInProportion() throws {
        let count = 100_000
        let template = try URITemplate(
            String(repeating: "/{v}", count: count) + String(repeating: "/..", count: count) + "/x{v}")
        #expect(try template.expand(["v": "a"]).utf8.count == count * 5 + 3)
        #expect(throws: URITemplateError.self) {
            try URITemplate(String(repeating: "/{v}/.", count: count) + "/{w}").expand(["v": "a", "w": ".."])
        }
    }

    @Test(
        arguments: [
            [:], ["id": ""], ["id": nil], ["id": [String]()], ["id": ["a", ""]], ["id": "."], ["id": ".."],
            ["id": "7", "ids": "8"],
        ] as [[String: (any Encodable & Sendable)?]])
    func aStrictExpansionLosesNoPart(_ variables: [String: (any Encodable & Sendable)?]) throws {
        let template = try URITemplate("users/{id}{?page}")
        #expect(throws: URITemplateError.self) { try template.expand(strict: variables) }
    }

    @Test func theFirstUnknownNameIsNamed() throws {
        let error = #expect(throws: URITemplateError.self) {
            try URITemplate("users/{id}").expand(strict: ["id": 7, "z": 1, "b": 2, "k": 3])
        }
        #expect(error?.reason.contains("\"b\"") == true)
    }

    @Test func everyPartOfAPathCounts() throws {
        for text in ["users{/id}", "users/{+id}", "users/x{.id}", "{id}", "a/{id,none}"] {
            let template = try URITemplate(text)
            for variables in [[:], ["id": ""], ["none": "x"]] {
                #expect(throws: URITemplateError.self, "\(text)") { try template.expand(strict: variables) }
            }
        }
    }

    @Test func aStrictExpansionTakesValuesAsTheyAre() throws {
        let template = try URITemplate("/repos/{owner}/{repo}/issues{?state,labels*}{#part}")
        let owner = "a/b"
        let state: String? = nil
        #expect(
            try template.expand(strict: ["owner": owner, "repo": 7, "state": state, "labels": ["bug", "x y"]])
                == "/repos/a%2Fb/7/issues?labels=bug&labels=x%20y")
        let texts = ["owner": "a", "repo": "b", "state": ""]
        #expect(try template.expand(strict: texts) == "/repos/a/b/issues?state=")
    }
}
