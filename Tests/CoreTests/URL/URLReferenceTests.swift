// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import TestSupport
import Testing

struct URLReferenceTests {
    @Test func dotSegmentsAreFoundByBytes() {
        // A slash and the mark behind it are one Character.
        #expect(URLReference("http://h/").resolving(URLReference("/a/\u{301}/../b")).path == "/a/b")
    }

    @Test(
        arguments: [
            "http://a/b?c#d", "//host/p", "?q", "#f", "", "a:b", "./a:b", "http://a?", "http://a/#", "/a//b/../c",
            "x;y=1,2",
        ])
    func givesBackWhatItTookApart(text: String) {
        #expect(URLReference(text).text == text)
    }

    /// RFC 3986 §3.1: a letter, then letters, digits, `+`, `-` and `.`.
    @Test func aSchemeIsToldFromAPathByItsCharacters() {
        for byte in UInt8(0x21)...0x7E where !"#?/\\:".utf8.contains(byte) {
            let character = Character(UnicodeScalar(byte))
            let isLetter = character.isLetter
            #expect((URLReference("\(character):x").scheme != nil) == isLetter, "\(character)")
            let isOfScheme = isLetter || character.isNumber || "+-.".contains(character)
            #expect((URLReference("a\(character)b:x").scheme != nil) == isOfScheme, "\(character)")
            #expect((URLReference("ab\(character):x").scheme != nil) == isOfScheme, "\(character)")
        }
        #expect(URLReference(":x").scheme == nil)
        #expect(URLReference("é:x").scheme == nil)
        #expect(URLReference("aé:x").scheme == nil)
        #expect(URLReference("HTTP+x:y").scheme == "http+x")
        #expect(URLReference("a/b:c").path == "a/b:c")
    }

    /// RFC 3986 §5.4, by the base `http://a/b/c/d;p?q`.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
    func resolvesTheExamples(reference: String, expected: String) {
        #expect(URLReference("http://a/b/c/d;p?q").resolving(URLReference(reference)).text == expected)
    }

    /// RFC 3986 §5.2.3.
    @Test(arguments: [
        ("http://h", "a", "http://h/a"), ("http://h", "../a", "http://h/a"), ("http://h?q", "?y", "http://h?y"),
        ("http://h/", "a", "http://h/a"), ("s:", "a", "s:a"), ("s:b", "a", "s:a"), ("s:b/c", "a", "s:b/a"),
        ("s:b/c/d", "./a", "s:b/c/a"),
    ])
    func aPathIsMergedWithThatOfTheBase(base: String, reference: String, expected: String) {
        #expect(URLReference(base).resolving(URLReference(reference)).text == expected)
    }

    @Test(arguments: [
        ("http://h/a", "b", "http://h/a/b"), ("http://h/a/", "b", "http://h/a/b"), ("http://h/a", "/b", "http://h/a/b"),
        ("http://h/a/", "/b", "http://h/a/b"), ("http://h", "b", "http://h/b"), ("http://h", "/b?x", "http://h/b?x"),
        ("http://h/a?q#f", "b/", "http://h/a/b/?q#f"),
    ])
    func onePathIsAppendedToAnotherByOneSlash(base: String, addition: String, expected: String) {
        var reference = URLReference(base)
        reference.appendPath(addition)
        #expect(reference.text == expected)
    }

    @Test(arguments: [
        (".", true), ("..", true), ("%2e", true), ("%2E.", true), (".%2e", true), ("%2e%2E", true), ("", false),
        ("...", false), ("%2e%2e%2e", false), ("%2f", false), ("a.", false), ("%252e", false),
    ])
    func aSegmentOfDotsIsOneInWhateverForm(segment: String, isOne: Bool) {
        #expect(URLReference.isDotSegment(segment.utf8) == isOne)
    }

    @Test(arguments: [
        ("a/./b", [2..<3], true), ("a/../b", [2..<4], true), ("a/../b", [0..<1], false), ("a/../b", [5..<6], false),
        ("a/../b", [1..<1], false), ("a/../b", [2..<2], true), ("a/../b", [4..<4], true), ("a/x/b", [2..<3], false),
        ("a?../b", [2..<4], false), ("a#/../b", [3..<5], false), ("a/..", [0..<1, 2..<3], true),
        ("x/a/../b", [0..<1, 7..<8], false), ("a/../b", [], false),
    ])
    func aValueMakesADotSegmentWhereItTouchesOne(text: String, filled: [Range<Int>], expected: Bool) {
        #expect(URLReference.hasDotSegment(text.utf8, filledAt: filled) == expected)
    }

    @Test(arguments: [
        ("https://u:p@h:1/a?q#f", "https://h:1/a"), ("//u@p@h/a", "//h/a"), ("a?q", "a"), ("a#f", "a"), ("a@b", "a@b"),
        ("https://h", "https://h"),
    ])
    func theTextWithoutSecretsHasNoUserInformationQueryAndFragment(text: String, expected: String) {
        #expect(URLReference(text).textWithoutSecrets == expected)
    }

    @Test(.vectors("url/url-resolution.json"))
    func resolvesAsRFC3986Says() throws {
        let cases = try Vectors.cases("url/url-resolution.json", of: ResolutionVector.self)
        for vector in cases where !vector.isJoin {
            let resolved = URLReference(vector.base).resolving(URLReference(vector.ref ?? "")).text
            // A reference is resolved without judging it; whether a request may go there is seen from the whole URL.
            let isRefused = vector.expected == nil && (try? RequestURL(resolved)) == nil
            #expect(isRefused || vector.accepts(resolved), "\(vector.id): \(vector.ref ?? "") gave \(resolved)")
        }
    }

    @Test(.vectors("url/url-resolution.json"))
    func joinsByAppending() throws {
        let cases = try Vectors.cases("url/url-resolution.json", of: ResolutionVector.self)
        for vector in cases where vector.isJoin {
            let joined = try? RequestURL(base: RequestURL(vector.base), path: vector.ref).text
            #expect(
                vector.accepts(joined, convention: "append"),
                "\(vector.id): \(vector.base) + \(vector.ref ?? "") gave \(joined ?? "an error")")
        }
    }
}

private struct ResolutionVector: Decodable {
    var id: String
    var base: String
    /// `null` is no path at all.
    var ref: String?
    /// `null` is a refusal.
    var expected: Expected?
    /// Another answer that will do.
    var or: String?

    /// What the file calls `join/*`.
    var isJoin: Bool { id.hasPrefix("join/") }

    /// One answer for all, or one for each convention; `null` where a convention has none.
    enum Expected: Decodable {
        case one(String)
        case byConvention([String: String?])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .one(text)
            } else {
                self = .byConvention(try container.decode([String: String?].self))
            }
        }
    }

    /// - Parameter answer: `nil` when it was refused.
    func accepts(_ answer: String?, convention: String? = nil) -> Bool {
        if let or, answer == or { return true }
        switch expected {
        case nil: return answer == nil
        case .one("error"): return answer == nil
        case .one(let expected): return expected == answer
        case .byConvention(let answers):
            guard let convention, let expected = answers[convention] else { return answers.values.contains(answer) }
            guard let expected, expected != "error" else { return answer.map(staysAtBase) ?? true }
            return expected == answer
        }
    }

    /// Where a convention has no answer, one that leads to another server would be the wrong one.
    private func staysAtBase(_ answer: String) -> Bool {
        URLReference(answer).authority == URLReference(base).authority
    }
}
