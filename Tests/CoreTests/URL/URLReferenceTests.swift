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

    @Test(.vectors("url/url-resolution.json"))
    func resolvesAsRFC3986Says() throws {
        let file = try Vectors.load("url/url-resolution.json", as: ResolutionFile.self)
        let cases = file.cases.filter { !$0.id.hasPrefix("join/") }
        #expect(!cases.isEmpty)
        for vector in cases {
            let resolved = URLReference(vector.base).resolving(URLReference(vector.ref)).text
            #expect(vector.expected.accepts(resolved), "\(vector.id): \(vector.ref) gave \(resolved)")
        }
    }

    @Test(.vectors("url/url-resolution.json"))
    func joinsByAppending() throws {
        let file = try Vectors.load("url/url-resolution.json", as: ResolutionFile.self)
        let cases = file.cases.filter { $0.id.hasPrefix("join/") }
        #expect(!cases.isEmpty)
        for vector in cases {
            let joined = try RequestURL(base: RequestURL(vector.base), path: vector.ref).text
            #expect(
                vector.expected.accepts(joined, convention: "append"),
                "\(vector.id): \(vector.base) + \(vector.ref) gave \(joined)")
        }
    }
}

private struct ResolutionFile: Decodable {
    struct Vector: Decodable {
        var id: String
        var base: String
        var ref: String
        var expected: Expected
    }

    /// One answer for all, or one for each convention.
    enum Expected: Decodable {
        case one(String)
        case byConvention([String: String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .one(text)
            } else {
                self = .byConvention(try container.decode([String: String].self))
            }
        }

        func accepts(_ text: String, convention: String? = nil) -> Bool {
            switch self {
            case .one(let expected): expected == text
            case .byConvention(let answers):
                if let convention { answers[convention] == text } else { answers.values.contains(text) }
            }
        }
    }

    var cases: [Vector]
}
