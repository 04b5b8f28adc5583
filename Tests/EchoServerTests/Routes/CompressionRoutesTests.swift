// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct CompressionRoutesTests {
    @Test(arguments: [("/gzip", "gzip"), ("/deflate", "deflate"), ("/brotli", "br")])
    func codingsAreApplied(path: String, coding: String) async throws {
        let response = try await ask(path)
        #expect(response.headers[.contentEncoding] == coding)
        #expect(response.headers[.contentLength] == String(response.bytes.count))
        #expect(response.bytes.first != UInt8(ascii: "{"))
    }

    @Test func brotliHoldsTheRecord() async throws {
        // A stored stream of one block: three bytes, the content, one byte.
        let text = String(decoding: try await ask("/brotli").bytes.dropFirst(3).dropLast(), as: UTF8.self)
        #expect(text.contains("\"brotli\": true"))
        #expect(text.contains("\"method\": \"GET\""))
    }
}
