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
        let cases = try Vectors.cases("url/url-resolution.json", of: ResolutionVector.self)
        for vector in cases where !vector.isJoin {
            let resolved = URLReference(vector.base).resolving(URLReference(vector.ref)).text
            #expect(vector.accepts(resolved), "\(vector.id): \(vector.ref) gave \(resolved)")
        }
    }

    @Test(.vectors("url/url-resolution.json"))
    func joinsByAppending() throws {
        let cases = try Vectors.cases("url/url-resolution.json", of: ResolutionVector.self)
        for vector in cases where vector.isJoin {
            let joined = try? RequestURL(base: RequestURL(vector.base), path: vector.ref).text
            #expect(
                vector.accepts(joined ?? "error", convention: "append"),
                "\(vector.id): \(vector.base) + \(vector.ref) gave \(joined ?? "an error")")
        }
    }
}

private struct ResolutionVector: Decodable {
    var id: String
    var base: String
    var ref: String
    var expected: Expected
    /// Another answer that will do.
    var or: String?

    /// What the file calls `join/*`.
    var isJoin: Bool { id.hasPrefix("join/") }

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
    }

    func accepts(_ text: String, convention: String? = nil) -> Bool {
        if let or, text == or { return true }
        switch expected {
        case .one(let expected): return expected == text
        case .byConvention(let answers):
            return if let convention, let answer = answers[convention] { answer == text } else {
                answers.values.contains(text)
            }
        }
    }
}
