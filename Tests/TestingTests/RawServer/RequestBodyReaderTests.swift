// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataTesting

struct RequestBodyReaderTests {
    private func reader(_ fields: String) -> RequestBodyReader {
        RequestBodyReader(for: .init(connection: 1, rawHead: Array("POST / HTTP/1.1\r\n\(fields)\r\n\r\n".utf8)))
    }

    private static let chunked = "5;ext=\"x\"\r\nhello\r\nA\r\n world\r\nab\r\n0\r\nTrailer: t\r\n\r\n"

    @Test(arguments: [
        ("Content-Length: 3", "abc", "abc"), ("content-length: 0", "", ""), ("Host: x", "", ""),
        ("Transfer-Encoding: chunked", chunked, "hello world\r\nab"),
        ("Transfer-Encoding: gzip, Chunked", "1\nx\n0\n\n", "x"),
        ("Content-Length: 99\r\nTransfer-Encoding: chunked", "0\r\n\r\n", ""),
    ])
    func endsWithTheBodyAtEverySplit(fields: String, body: String, decoded: String) {
        let bytes = Array((body + "NEXT").utf8)
        for split in 0...body.utf8.count {
            var reader = reader(fields)
            var buffer = bytes[..<split]
            let isComplete = reader.consume(&buffer)
            #expect(isComplete == (split == body.utf8.count))
            buffer += bytes[split...]
            let isCompleteAtLast = reader.consume(&buffer)
            #expect(isCompleteAtLast)
            #expect(String(decoding: reader.decoded, as: UTF8.self) == decoded)
            #expect(String(decoding: reader.raw, as: UTF8.self) == body)
            #expect(Array(buffer) == Array("NEXT".utf8))
        }
    }

    @Test func oneByteAtATimeIsEnough() {
        var reader = reader("Transfer-Encoding: chunked")
        var isComplete = false
        var buffer: ArraySlice<UInt8> = []
        for byte in Self.chunked.utf8 {
            #expect(!isComplete)
            buffer.append(byte)
            isComplete = reader.consume(&buffer)
        }
        #expect(isComplete)
        #expect(String(decoding: reader.decoded, as: UTF8.self) == "hello world\r\nab")
    }

    @Test(arguments: ["zz\r\nrest", "-1\r\nrest", "\r\nrest", "FFFFFFFFFFFFFFFFFF\r\nrest"])
    func aLineThatIsNoSizeEndsTheBody(text: String) {
        var reader = reader("Transfer-Encoding: chunked")
        var buffer = Array(text.utf8)[...]
        let isComplete = reader.consume(&buffer)
        #expect(isComplete)
        #expect(reader.decoded.isEmpty)
    }

    @Test func hugeLengthsOnlyWait() {
        var reader = reader("Content-Length: \(Int.max)")
        var buffer: ArraySlice<UInt8> = [1, 2]
        let isComplete = reader.consume(&buffer)
        #expect(!isComplete)
        #expect(reader.decoded == [1, 2])
    }
}
