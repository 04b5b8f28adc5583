// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

/// Named values as a form of an encoder that is not this module's.
struct FlatValuesTests {
    private struct Page: Encodable { var limit = 20, offset = 40 }
    private struct Deep: Encodable { var page = Page() }
    private struct Failing: Encodable {
        func encode(to encoder: any Encoder) throws { throw EncodingError.invalid("x", at: encoder.codingPath, "no") }
    }

    private struct Other: RequestBodyEncoder {
        func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
            EncodedBody(.data(try FormEncoder(.init(order: .sorted)).encode(model)), contentType: "form")
        }
    }

    private func text(_ values: [NamedValue]) throws -> String? {
        let body = try Other().encodeForm(of: values)
        #expect(body.contentType == "form")
        return body.body.data.map { String(decoding: $0, as: UTF8.self) }?.removingPercentEncoding
    }

    @Test func thePropertiesOfAnObjectStandInItsPlace() throws {
        let members = try MixedValue(["from": Date(timeIntervalSince1970: 0), "to": 5] as [String: Any])
        let rows: [([NamedValue], String)] = [
            (
                [NamedValue("q", "x", isExplicit: false), NamedValue("page", Page(), isExplicit: false)],
                "limit=20&offset=40&q=x"
            ),
            ([NamedValue("page", Page(), isExplicit: true)], "page[limit]=20&page[offset]=40"),
            (
                [NamedValue("a", Page(), isExplicit: true), NamedValue("b", ["k": 1], isExplicit: false)],
                "a[limit]=20&a[offset]=40&k=1"
            ),
            ([NamedValue("q", "x", isExplicit: false), NamedValue("n", 1, isExplicit: true)], "n=1&q=x"),
            ([NamedValue("list", [1, 2], isExplicit: false)], "list=1&list=2"),
            (
                [NamedValue("deep", Deep(), isExplicit: false), NamedValue("q", 1, isExplicit: false)],
                "page[limit]=20&page[offset]=40&q=1"
            ),
            (
                [NamedValue("range", members, isExplicit: false), NamedValue("q", 1, isExplicit: false)],
                "from=1970-01-01T00:00:00Z&q=1&to=5"
            ),
            ([NamedValue("json", ["a": 1] as JSONValue, isExplicit: false)], "a=1"),
            ([NamedValue("none", [String: Int](), isExplicit: false), NamedValue("q", 1, isExplicit: false)], "q=1"),
            ([], ""),
        ]
        for (values, expected) in rows { #expect(try text(values) == expected) }
    }

    @Test func whatCannotBeEncodedIsAnError() {
        #expect(refusal { try text([NamedValue("a", Failing(), isExplicit: false)]) } == "no")
        let nested = [NamedValue("page", Page(), isExplicit: false), NamedValue("limit", 1, isExplicit: true)]
        #expect(refusal { try text(nested) } == #"limit: two values for the key "limit""#)
    }

    /// To find out whether a value is an object it is not walked through.
    @Test func aValueMayBeAsDeepAsTheEncoderTakesIt() throws {
        var deep: JSONValue = 1
        for _ in 0..<100 { deep = ["a": deep] }
        struct JSON: RequestBodyEncoder {
            func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
                EncodedBody(.data(try JSONEncoder().encode(model)), contentType: nil)
            }
        }
        let body = try JSON().encodeForm(of: [NamedValue("v", deep, isExplicit: false)])
        #expect(try body.body.data.map { try JSONValue(parsing: $0) } == deep)
    }
}
