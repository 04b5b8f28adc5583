// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import TestSupport
import Testing

struct JSONKeyPathTests {
    static let body = Data(
        #"{"data":{"list":[{"id":1},{"id":2}],"a.b":{"0":"zero"},"x[1]":true,"":{"":7},"back\\slash":8,"n":null,"é":9},"end":[]}"#
            .utf8)

    @Test(arguments: [
        ("data.list.1.id", "2"), ("data.list[1].id", "2"), (#"data.a\.b.0"#, #""zero""#), (#"data.x\[1]"#, "true"),
        (#"data.x\[1\]"#, "true"), ("data..", "7"), (#"data.back\\slash"#, "8"), ("data.é", "9"),
        ("data.list[0]", #"{"id":1}"#), ("end", "[]"),
    ]) func findsTheBytesOfTheValue(_ path: JSONKeyPath, _ expected: String) throws {
        #expect(String(decoding: try path.slice(of: Self.body), as: UTF8.self) == expected)
    }

    @Test func theEmptyPathIsTheWhole() throws {
        #expect(try JSONKeyPath("").slice(of: Data(" [1] ".utf8)) == Data("[1]".utf8))
        #expect(try JSONKeyPath("[0]").slice(of: Data(" [1] ".utf8)) == Data("1".utf8))
        #expect(try JSONKeyPath("0").slice(of: Data("\u{FEFF}[1]".utf8)) == Data("1".utf8))
        #expect(try JSONKeyPath("[1][0].a").slice(of: Data(#"[1,[{"a":2}]]"#.utf8)) == Data("2".utf8))
    }

    @Test(arguments: [
        "", "a", "a.b", "[0]", "a[0]", "a[0][12].b", #"a\.b"#, #"a\[0]"#, "a[x]", "a[", "a]", "a[]", "..", #"\\"#,
        "a[0]x", "[", "a.[0]",
        "a[99999999999999999999]",
    ]) func theDescriptionGivesThePathAgain(_ text: String) {
        let path = JSONKeyPath(text)
        #expect(JSONKeyPath(path.description) == path)
    }

    @Test func keysAreTakenLiterally() {
        let name = "b.c"
        #expect(("a.\(name)" as JSONKeyPath) == JSONKeyPath(keys: ["a", "b", "c"]))
        #expect(JSONKeyPath(keys: ["a.b", "c[0]"]) == JSONKeyPath(#"a\.b.c\[0]"#))
    }

    @Test(arguments: [
        ("data.lists", 1, #""data" has no "lists"; its keys: "list", "a.b", "x[1]", "", "back\slash", "n", "é""#),
        ("dat", 0, #"the top level has no "dat"; its keys: "data", "end""#),
        ("data.list.2.id", 2, #""data.list" has no element "2": it has 2"#),
        ("data.list.-1", 2, #""data.list" has no element "-1": it has 2"#),
        ("data.list.99999999999999999999", 2, #""data.list" has no element "99999999999999999999": it has 2"#),
        ("data.list.+1", 2, #""+1" cannot be looked up in "data.list": it is an array"#),
        ("end[0]", 1, #""end" has no element "[0]": it has 0"#),
        ("data.list.id", 2, #""id" cannot be looked up in "data.list": it is an array"#),
        ("data.list[0].id.x", 4, #""x" cannot be looked up in "data.list[0].id": it is a number"#),
        ("data[0]", 1, #""[0]" cannot be looked up in "data": it is an object"#),
    ]) func saysWhichStepFailedAndWhatWasThere(_ path: JSONKeyPath, _ step: Int, _ text: String) throws {
        let error = try #require(throws: JSONKeyPathError.self) { try path.slice(of: Self.body) }
        #expect(error.failedStep == step)
        #expect(error.description.hasSuffix(text), "\(error)")
        #expect(error.keyPath == path)
    }

    @Test func theListOfKeysIsBounded() throws {
        let members = (0..<50).map { #""key\#($0)\#(String(repeating: "x", count: 100))":0"# }.joined(separator: ",")
        let error = try #require(throws: JSONKeyPathError.self) {
            try JSONKeyPath("k").slice(of: Data("{\(members)}".utf8))
        }
        #expect(error.availableKeys.count == 20)
        #expect(error.description.hasSuffix("and 30 more"))
        #expect(error.description.utf8.count < 2000)
    }

    @Test(arguments: [
        #"{"a":1"#, #"{"a":1}}"#, #"{"a":1,}"#, #"{"a":01}"#, #"{"a":1,"b":tru}"#, "", "[", #"{"a":1,"b":[[[}]"#,
        #"{"a" 1}"#, #"{"b":[{},"#,
    ]) func damageAnywhereInTheTextIsNoticed(_ text: String) {
        let error = #expect(throws: JSONKeyPathError.self) { try JSONKeyPath("a").slice(of: Data(text.utf8)) }
        #expect(error?.description.contains("not JSON") == true)
    }

    @Test func ofRepeatedKeysTheFirstCountsAsInFoundation() throws {
        let data = Data(#"{"a":1,"a":2}"#.utf8)
        #expect(try JSONKeyPath("a").slice(of: data) == Data("1".utf8))
        #expect(try JSONDecoder().decode([String: Int].self, from: data) == ["a": 1])
        #expect(try JSONValue(parsing: data) == ["a": 1])
    }

    @Test func depthCostsNoStackAndNoMoreThanLinearTime() throws {
        let depth = 200_000
        let text = String(repeating: #"{"a":["#, count: depth) + "1" + String(repeating: "]}", count: depth)
        let path = JSONKeyPath(String(repeating: "a.0.", count: depth).dropLast().description)
        let time = processorTime {
            #expect((try? path.slice(of: Data(text.utf8))) == Data("1".utf8))
            #expect(throws: JSONKeyPathError.self) { try JSONKeyPath("b").slice(of: Data(text.utf8)) }
        }
        #expect(time < 20)
    }

    @Test(
        arguments: [
            ("", []), ("a", [.name("a")]), ("a.b", [.name("a"), .name("b")]), ("[0]", [.index(0)]),
            ("a[0][12].b", [.name("a"), .index(0), .index(12), .name("b")]),
            ("a.[3]", [.name("a"), .name(""), .index(3)]),
            ("[1].a", [.index(1), .name("a")]), (".a", [.name(""), .name("a")]), ("a.", [.name("a"), .name("")]),
            (#"a\.b"#, [.name("a.b")]), (#"a\[0]"#, [.name("a[0]")]), (#"a[\0]"#, [.name("a[0]")]),
            (#"a[0\]"#, [.name("a[0]")]), (#"a\\b"#, [.name(#"a\b"#)]), (#"a\"#, [.name(#"a\"#)]),
            ("a[x]", [.name("a[x]")]), ("a[]", [.name("a[]")]), ("a]", [.name("a]")]), ("a[0]x", [.name("a[0]x")]),
            ("a[-1]", [.name("a[-1]")]), ("a[x][2]", [.name("a[x]"), .index(2)]), ("7", [.name("7")]),
            ("a[99999999999999999999]", [.name("a[99999999999999999999]")]), ("é.b", [.name("é"), .name("b")]),
        ] as [(String, [JSONKeyPath.Step])])
    func aTextHasTheseSteps(_ text: String, _ steps: [JSONKeyPath.Step]) {
        #expect(JSONKeyPath(text).steps == steps)
    }

    @Test(
        arguments: [
            ([], ""), ([.name("a"), .name("b")], "a.b"), ([.index(0), .name("a")], "[0].a"),
            ([.name("a"), .index(0), .index(1)], "a[0][1]"), ([.name("a.b[c]\\")], #"a\.b\[c\]\\"#),
            ([.name(""), .name("a")], ".a"), ([.name("a"), .name(""), .index(2)], "a.[2]"),
        ] as [([JSONKeyPath.Step], String)])
    func stepsHaveThisText(_ steps: [JSONKeyPath.Step], _ text: String) {
        #expect(JSONKeyPath(steps: steps).description == text)
    }

    @Test(arguments: [
        ("a", "{}", #"key path "a" fails at step 1 of 1: the top level has no "a": it has no keys at all"#),
        ("a.b", #"{"a":{}}"#, #"key path "a.b" fails at step 2 of 2: "a" has no "b": it has no keys at all"#),
        (
            "a", #"{"b":{"a":1},"c":[]}"#,
            #"key path "a" fails at step 1 of 1: the top level has no "a"; its keys: "b", "c""#
        ),
        ("0", "[]", #"key path "0" fails at step 1 of 1: the top level has no element "0": it has 0"#),
        ("[2]", "[[],{}]", #"key path "[2]" fails at step 1 of 1: the top level has no element "[2]": it has 2"#),
        ("a", "null", #"key path "a" fails at step 1 of 1: "a" cannot be looked up in the top level: it is null"#),
        ("a", "[1]", #"key path "a" fails at step 1 of 1: "a" cannot be looked up in the top level: it is an array"#),
        (
            "[0]", "true",
            #"key path "[0]" fails at step 1 of 1: "[0]" cannot be looked up in the top level: it is a bool"#
        ),
    ]) func theWholeErrorIsSaid(_ path: String, _ text: String, _ description: String) {
        let error = #expect(throws: JSONKeyPathError.self) { try JSONKeyPath(path).slice(of: Data(text.utf8)) }
        #expect(error?.description == description)
        #expect(error?.outline == description.replacing(#/(; its|: it has no) keys.*/#, with: ""))
    }

    @Test func twentyKeysAreListedAndFortyCharactersOfEach() throws {
        func error(_ keys: [String]) throws -> JSONKeyPathError {
            let text = "{" + keys.map { "\"\($0)\":{}" }.joined(separator: ",") + "}"
            return try #require(throws: JSONKeyPathError.self) { try JSONKeyPath("none").slice(of: Data(text.utf8)) }
        }
        let keys = (10..<32).map { "k\($0)" }
        #expect(try error(Array(keys.prefix(20))).description.hasSuffix(#""k28", "k29""#))
        #expect(try error(Array(keys.prefix(21))).description.hasSuffix(#""k28", "k29" and 1 more"#))
        #expect(try error(keys).availableKeys == Array(keys.prefix(20)))
        #expect(try error(keys).description.hasSuffix("and 2 more"))
        let forty = String(repeating: "x", count: 40)
        #expect(try error([forty]).description.hasSuffix("its keys: \"\(forty)\""))
        #expect(try error([forty + "y"]).description.hasSuffix("its keys: \"\(forty)…\""))
        #expect(try error([forty + "y"]).availableKeys == [forty + "y"])
        let other = try #require(throws: JSONKeyPathError.self) { try JSONKeyPath("a").slice(of: Data("[]".utf8)) }
        #expect(other.availableKeys.isEmpty)
    }
}
