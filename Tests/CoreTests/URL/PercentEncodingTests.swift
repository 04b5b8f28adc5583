// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding
import TestSupport
import Testing

struct PercentEncodingTests {
    private struct Vector: Decodable {
        var id: String
        var value: String
        /// `error` is a refusal.
        var expected: [String]
    }

    private struct File: Decodable {
        struct Sets: Decodable {
            var unreserved: String?
            var query_name_or_value_must_encode: String?
            var path_segment_value_must_encode: String?
        }
        var sets: Sets?
    }

    @Test(.vectors("url/percent-encoding.json"))
    func encodesValuesAsTheVectorsSay() throws {
        for vector in try Vectors.cases("url/percent-encoding.json", "query_values", of: Vector.self) {
            let encoded = PercentEncoding.encode(vector.value)
            #expect(
                vector.expected.contains(encoded), "\(vector.id): \(vector.value.debugDescription) gave \(encoded)")
            #expect(PercentEncoding.decode(encoded[...].utf8) == Array(vector.value.utf8))
        }
    }

    @Test(.vectors("url/percent-encoding.json"))
    func aValueIsOneSegmentOfAPath() throws {
        for vector in try Vectors.cases("url/percent-encoding.json", "path_values", of: Vector.self) {
            let template = try URITemplate("/x/{v}")
            guard let path = try? template.expand(["v": .string(vector.value)]) else {
                // What would be another segment is not encoded but refused.
                #expect(vector.expected.contains("error") || isDots(vector.value), "\(vector.id) is refused")
                continue
            }
            let url = try RequestURL("https://h\(path)")
            #expect(vector.expected.contains { "https://h/x/\($0)" == url.text }, "\(vector.id) gave \(url.text)")
            #expect(PercentEncoding.decode(url.path.utf8.dropFirst(3)) == Array(vector.value.utf8))
        }
    }

    private func isDots(_ value: String) -> Bool { value == "." || value == ".." }

    /// `sets.path_dot_segments`: encoded, or refused.
    @Test(arguments: [".", ".."]) func aSegmentOfDotsDoesNotChangeThePath(_ value: String) throws {
        for text in ["/x/{v}", "/x{/v}", "/x/{v}/y"] {
            #expect(throws: URITemplateError.self) { try URITemplate(text).expand(["v": .string(value)]) }
        }
    }

    @Test(.vectors("url/percent-encoding.json"))
    func escapesWhatTheVectorsSay() throws {
        guard let sets = try Vectors.load("url/percent-encoding.json", as: File.self).sets else { return }
        if let unreserved = sets.unreserved { #expect(PercentEncoding.encode(unreserved) == unreserved) }
        let escaped = [sets.query_name_or_value_must_encode, sets.path_segment_value_must_encode]
        for character in escaped.compactMap(\.self).joined() {
            #expect(PercentEncoding.encode(String(character)).hasPrefix("%"), "\(character)")
        }
    }

    @Test func escapesEveryByteThatIsNotUnreserved() {
        let all = String(String.UnicodeScalarView((0..<128).compactMap { Unicode.Scalar($0 as UInt8) }))
        let encoded = PercentEncoding.encode(all)
        #expect(PercentEncoding.decode(encoded[...].utf8) == Array(all.utf8))
        #expect(encoded.utf8.filter { $0 == UInt8(ascii: "%") }.count == 128 - 66)
    }

    @Test func leavesABrokenEscapeAlone() {
        #expect(PercentEncoding.decode("%4"[...].utf8) == Array("%4".utf8))
        #expect(PercentEncoding.decode("%zz%41"[...].utf8) == Array("%zzA".utf8))
        #expect(PercentEncoding.encodeKeepingEscapes("%4%41", allowed: .path) == "%254%41")
    }

    @Test func eachSetLeavesItsOwnCharacters() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        for (allowed, others) in [
            (PercentEncoding.Allowed.unreserved, "-._~"), (.path, "-._~!$&'()*+,;=:@/"),
            (.query, "-._~!$&'()*+,;=:@/?"),
        ] {
            let expected = Set((letters + others).utf8)
            for byte in UInt8.min...UInt8.max { #expect(allowed.contains(byte) == expected.contains(byte), "\(byte)") }
        }
    }

    @Test(arguments: [
        ("", "", "", ""), ("a b+c", "a%20b%2Bc", "a%20b+c", "a+b%2Bc"),
        ("ü/?", "%C3%BC%2F%3F", "%C3%BC/%3F", "%C3%BC%2F%3F"),
        ("%41%4", "%2541%254", "%41%254", "%2541%254"), ("\0\u{7F}", "%00%7F", "%00%7F", "%00%7F"),
        ("*~-._", "%2A~-._", "*~-._", "*%7E-._"), ("%zZ%aF", "%25zZ%25aF", "%25zZ%aF", "%25zZ%25aF"),
    ])
    func textIsEncodedForItsPlace(text: String, value: String, path: String, form: String) {
        #expect(PercentEncoding.encode(text) == value)
        #expect(PercentEncoding.encodeKeepingEscapes(text[...], allowed: .path) == path)
        var bytes = Array("a b=".utf8)
        PercentEncoding.appendFormEncoded(text, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "a b=" + form)
    }

    @Test(arguments: [
        ("a+b%20c", "a+b c", "a b c"), ("%2B+", "++", "+ "), ("%4a%4A", "JJ", "JJ"), ("%", "%", "%"),
        ("%4", "%4", "%4"),
        ("%g1%1g", "%g1%1g", "%g1%1g"), ("%FF", "\u{FFFD}", "\u{FFFD}"), ("%25%34%31", "%41", "%41"),
    ])
    func escapesAreUndoneOnce(text: String, expected: String, ofForm: String) {
        #expect(PercentEncoding.decodedText(text.utf8) == expected)
        #expect(PercentEncoding.decodedText(text.utf8, plusIsSpace: true) == ofForm)
    }

    @Test func aNameEndsAtTheFirstEqualsSign() {
        #expect(PercentEncoding.itemName("a%62=c=d") == "ab")
        #expect(PercentEncoding.itemName("a") == "a" && PercentEncoding.itemName("=a").isEmpty)
    }
}
