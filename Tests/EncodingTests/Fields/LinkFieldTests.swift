// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataEncoding
import TestSupport
import Testing

struct LinkFieldTests {
    @Test(.vectors("headers/misc-headers.json")) func readsTargetsAndRelations() throws {
        for vector in try Vectors.cases("headers/misc-headers.json", "link") {
            let field = LinkField(try #require(vector["value"]?.string))
            let found = field.links.flatMap { link in link.relations.map { Self.bytes([link.target, $0]) } }
            let expected = try #require(vector["expected"]?.array).flatMap(Self.relations)
            #expect(found == expected, "\(vector["id"]?.string ?? "")")
        }
    }

    /// What a vector says of a link, relation by relation: `[target, rel]`, where `rel` may be a list or several words.
    private static func relations(of link: JSONValue) -> [[[UInt8]]] {
        guard let parts = link.array, let target = parts.first?.string else { return [] }
        let texts = parts.dropFirst().flatMap { $0.array ?? [$0] }.compactMap(\.string)
        return texts.flatMap { $0.split(separator: " ") }.map { bytes([target, String($0)]) }
    }

    /// To compare more than canonical equivalence.
    private static func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test(.vectors("fixtures/github-octokit-exchanges.json")) func leadsThroughThePagesOfAServer() throws {
        let file = try JSONValue(parsing: Vectors.data("fixtures/github-octokit-exchanges.json"))
        for (name, scenario) in try #require(file["scenarios"]?.object) {
            let exchanges = try #require(scenario.array)
            for (exchange, following) in zip(exchanges, exchanges.dropFirst() + [JSONValue.null]) {
                guard let value = exchange["headers"]?["link"]?.string else { continue }
                let field = LinkField(value)
                #expect(field.links.count == value.components(separatedBy: "rel=").count - 1, "\(name)")
                let scope = exchange["scope"]?.string ?? ""
                let server = scope.hasSuffix(":443") ? String(scope.dropLast(4)) : scope
                #expect(field.links.allSatisfy { $0.target.hasPrefix(server + "/") }, "\(name)")
                // A page that was asked for is the next one.
                guard let next = field["next"]?.target.dropFirst(server.count),
                    exchanges.contains(where: { $0["path"]?.string == String(next) })
                else { continue }
                #expect(String(next).isIdentical(to: following["path"]?.string), "\(name)")
            }
        }
    }

    @Test func findsPagesInSeveralFields() throws {
        var response = HTTPResponse(status: .ok)
        response.headerFields = [:]
        let name = try #require(HTTPField.Name("link"))
        response.headerFields.append(
            HTTPField(name: name, value: #"<https://h/?page=2,3>; rel="Next last", </p>; rel=prev"#))
        response.headerFields.append(HTTPField(name: name, value: "<x>;rel=first;rel=ignored"))
        let field = LinkField(of: response)
        #expect(field["next"]?.target == "https://h/?page=2,3")
        #expect(field["LAST"]?.target == "https://h/?page=2,3")
        #expect(field["prev"]?.target == "/p")
        #expect(field["first"]?.relations == ["first"])
        #expect(field["none"] == nil)
    }

    @Test func aLinkOfAnotherResourceIsNotTheResponses() {
        let field = LinkField(
            ##"</b?page=9>; rel=next; anchor="/b", </a?page=2>; rel="next", <#x>; rel=prev; anchor="#f""##)
        #expect(field["next"]?.target == "/a?page=2")
        #expect(field["prev"] == nil)
        #expect(field.links.map(\.target) == ["/b?page=9", "/a?page=2", "#x"])
    }

    @Test func anEmptyAnchorIsTheResponseItself() {
        let field = LinkField(##"</c>; rel=next; anchor="#", </a?page=2>; rel=next; anchor="", </b>; rel=next"##)
        #expect(field["next"]?.target == "/a?page=2")
    }

    @Test func extendedParametersAreDecodedAndWin() throws {
        let field = LinkField("<a>; rel=next; title*=UTF-8''%E2%82%AC%20x; title=x, <b>; rel=prev; title=y; title*=odd")
        #expect(field["next"]?.parameters["title"] == "€ x")
        #expect(field["prev"]?.parameters["title"] == "y")
    }

    @Test(arguments: ["", ",", "<", "<>", "a", "<a", "<a>;", "<a>;;;rel", "<a> b", "<a>;rel=\"x", ",,<a>,,"])
    func readsOddText(_ text: String) {
        #expect(LinkField(text).links.count <= 1)
    }

    @Test(
        arguments: [
            ("<a>", ["a"], [[]]), ("<a>;rel=next", ["a"], [["next"]]), ("<>;rel=self", [""], [["self"]]),
            (" \t<a> ; rel = \" Next\tprev  last \" , <b>;REL=up", ["a", "b"], [["next", "prev", "last"], ["up"]]),
            ("<a>;rel=next;rel=prev", ["a"], [["next"]]), ("<a>;x;rel=next", ["a"], [["next"]]),
            ("<a>;x=;rel=next,<b>;rel=prev", ["a", "b"], [["next"], ["prev"]]),
            ("<a>;rel=next ,,, <b>;rel=prev,", ["a", "b"], [["next"], ["prev"]]),
            ("<a,b;c>;title=\"x, <y>; z\";rel=next, <d>", ["a,b;c", "d"], [["next"], []]),
            ("<a>;;;rel=next;", ["a"], [["next"]]), ("<a>, <b", ["a"], [[]]), ("<a>, b, <c>", ["a"], [[]]),
            ("<a> x, <b>", [], []), ("<a>;rel=next, <b>;=x, <c>", ["a"], [["next"]]),
            ("<a>;rel=\"next\"x, <b>", [], []), ("a, <b>", [], []),
        ] as [(String, [String], [[String]])])
    func readsLinksUntilOneCannotBeRead(_ text: String, _ targets: [String], _ relations: [[String]]) {
        let links = LinkField(text).links
        #expect(links.map(\.target) == targets && links.map(\.relations) == relations)
    }

    @Test func parametersHaveTheirNamesInLowerCase() throws {
        let link = try #require(
            LinkField("<a>; Rel=next; TITLE=\"x \\\" y\"; flag; empty=; Title=z; hreflang=de \t; media=b").links.first)
        #expect(
            link.parameters == [
                "rel": "next", "title": "x \" y", "flag": "", "empty": "", "hreflang": "de", "media": "b",
            ])
    }
}
