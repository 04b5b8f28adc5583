// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression
import Testing

@testable import EchoServer

struct ZlibEncoderTests {
    @Test(arguments: [ZlibEncoder.Coding.gzip, .deflate], [0, 1, 100_000])
    func contentComesBack(coding: ZlibEncoder.Coding, count: Int) throws {
        let content = SeededBytes.fixed(count)
        let encoded = try ZlibEncoder.encode(content, as: coding)
        #expect(try decode(encoded, coding: coding) == content)
    }

    @Test func textGetsSmaller() throws {
        let text = Array(String(repeating: "the same again ", count: 1000).utf8)
        #expect(try ZlibEncoder.encode(text, as: .gzip).count < text.count / 10)
    }

    @Test func gzipHasTheMagicNumberAndDeflateTheZlibHeader() throws {
        #expect(try ZlibEncoder.encode([1], as: .gzip).prefix(3) == [0x1F, 0x8B, 8])
        let deflated = try ZlibEncoder.encode([1], as: .deflate)
        #expect(deflated[0] & 0x0F == 8)
        #expect((Int(deflated[0]) << 8 + Int(deflated[1])) % 31 == 0)
    }

    private func decode(_ bytes: [UInt8], coding: ZlibEncoder.Coding) throws -> [UInt8] {
        let channel = EmbeddedChannel(handler: NIOHTTPResponseDecompressor(limit: .none))
        let fields: HTTPHeaders = ["Content-Encoding": coding.rawValue, "Content-Length": String(bytes.count)]
        try channel.writeInbound(HTTPClientResponsePart.head(.init(version: .http1_1, status: .ok, headers: fields)))
        try channel.writeInbound(HTTPClientResponsePart.body(ByteBuffer(bytes: bytes)))
        try channel.writeInbound(HTTPClientResponsePart.end(nil))
        var decoded: [UInt8] = []
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            if case .body(let buffer) = part { decoded += buffer.readableBytesView }
        }
        _ = try channel.finish()
        return decoded
    }
}
