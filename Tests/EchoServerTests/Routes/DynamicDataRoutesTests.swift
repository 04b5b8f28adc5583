// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Testing

@testable import EchoServer

struct DynamicDataRoutesTests {
    @Test func streamIsJSONLines() async throws {
        struct Line: Decodable {
            var id: Int
            var url: String
        }
        let response = try await ask("/stream/3")
        let lines = try response.text.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.map(\.id) == [0, 1, 2])
        #expect(response.headers[.contentLength] == nil)
        #expect(try await ask("/stream/1000").text.split(separator: "\n").count == 100)
    }

    @Test func bytesAreTheSameForTheSameSeed() async throws {
        let first = try await ask("/bytes/1000?seed=5").bytes
        #expect(first.count == 1000)
        #expect(try await ask("/bytes/1000?seed=5").bytes == first)
        #expect(try await ask("/stream-bytes/1000?seed=5&chunk_size=7").bytes == first)
        #expect(try await ask("/bytes/1000?seed=6").bytes != first)
        #expect(try await ask("/bytes/999999999").bytes.count == 100 * 1024)
        #expect(try await ask("/bytes/0").bytes.isEmpty)
    }

    @Test(arguments: [
        (nil, 200, "abcdefghijklmnopqrstuvwxyzab", "bytes 0-27/28"), ("bytes=3-5", 206, "def", "bytes 3-5/28"),
        ("bytes=-3", 206, "zab", "bytes 25-27/28"), ("bytes=26-", 206, "ab", "bytes 26-27/28"),
        ("bytes=28-", 416, "", "bytes */28"),
    ])
    func rangesAreServed(field: String?, status: Int, body: String, contentRange: String) async throws {
        var fields: HTTPFields = [:]
        fields[.range] = field
        let response = try await ask("/range/28?chunk_size=4", fields: fields)
        #expect(response.statusCode == status)
        #expect(response.text == body)
        #expect(response.headers[.contentRange] == contentRange)
        #expect(response.headers[.eTag] == "range28")
        #expect(response.headers[.contentLength] == String(body.utf8.count))
    }

    @Test(arguments: [Int.min, 0, Int.max])
    func chunksMayBeOfAnySize(size: Int) async throws {
        #expect(try await ask("/range/100?chunk_size=\(size)", fields: [.range: "bytes=5-"]).bytes.count == 95)
        #expect(try await ask("/stream-bytes/100?chunk_size=\(size)").bytes.count == 100)
        #expect(try await ask("/download/100?chunk_size=\(size)").bytes.count == 100)
    }

    @Test func downloadsCountModulo251() async throws {
        let response = try await ask("/download/1000?chunk_size=300")
        #expect(response.bytes == (0..<1000).map { UInt8($0 % 251) })
        #expect(response.headers[.contentLength] == "1000")
        #expect(try await ask("/download/10?chunked=1").headers[.contentLength] == nil)
    }

    @Test func dripsHaveTheirLengthAndStatus() async throws {
        let response = try await ask("/drip?numbytes=3&duration=0&code=500")
        #expect(response.statusCode == 500)
        #expect(response.text == "***")
        #expect(response.headers[.contentLength] == "3")
        #expect(try await ask("/drip?numbytes=0").statusCode == 400)
        #expect(try await ask("/drip?numbytes=1&duration=-1").statusCode == 400)
        #expect(try await ask("/drip?numbytes=1&duration=0&code=101").statusCode == 400)
        #expect(try await ask("/drip?numbytes=1&duration=0&delay=nan").statusCode == 400)
        #expect(try await ask("/drip?numbytes=1&duration=0&delay=-1").statusCode == 200)
    }

    @Test func delayTellsTheRequest() async throws {
        let answer = try await ask("/delay/0?a=1", .post, fields: [.contentType: "text/plain"], body: "x")
            .json(HTTPBinAnswer.self)
        #expect(answer.data == "x")
        #expect(answer.args == ["a": "1"])
        for bad in ["x", "-1", "nan"] { #expect(try await ask("/delay/\(bad)").statusCode == 400) }
    }
}
