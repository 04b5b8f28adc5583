// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding
import TestSupport
import Testing

struct PercentEncodingTests {
    private struct File: Decodable {
        struct Vector: Decodable {
            var id: String
            var value: String
            var expected: [String]
        }
        struct Sets: Decodable {
            var unreserved: String
            var query_name_or_value_must_encode: String
            var path_segment_value_must_encode: String
        }
        var sets: Sets
        var path_values: [Vector]
        var query_values: [Vector]
    }

    @Test(.vectors("url/percent-encoding.json"))
    func encodesValuesAsTheVectorsSay() throws {
        let file = try Vectors.load("url/percent-encoding.json", as: File.self)
        #expect(!file.path_values.isEmpty && !file.query_values.isEmpty)
        for vector in file.path_values + file.query_values {
            let encoded = PercentEncoding.encode(vector.value)
            #expect(
                vector.expected.contains(encoded), "\(vector.id): \(vector.value.debugDescription) gave \(encoded)")
            #expect(PercentEncoding.decode(encoded[...].utf8) == Array(vector.value.utf8))
        }
    }

    @Test(.vectors("url/percent-encoding.json"))
    func aValueIsOneSegmentOfAPath() throws {
        for vector in try Vectors.load("url/percent-encoding.json", as: File.self).path_values {
            let path = try URITemplate("/x/{v}").expand(["v": .string(vector.value)])
            let url = try RequestURL("https://h\(path)")
            #expect(vector.expected.contains { "https://h/x/\($0)" == url.text }, "\(vector.id) gave \(url.text)")
            #expect(PercentEncoding.decode(url.path.utf8.dropFirst(3)) == Array(vector.value.utf8))
        }
    }

    @Test(.vectors("url/percent-encoding.json"))
    func escapesWhatTheVectorsSay() throws {
        let sets = try Vectors.load("url/percent-encoding.json", as: File.self).sets
        #expect(PercentEncoding.encode(sets.unreserved) == sets.unreserved)
        for character in sets.query_name_or_value_must_encode + sets.path_segment_value_must_encode {
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
}
