// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// Compresses with the zlib that NIO carries along, so that no system library is needed.
///
/// It is reachable only through a channel handler: a response is sent through it in memory.
enum ZlibEncoder {
    enum Coding: String, Sendable {
        /// RFC 1952.
        case gzip
        /// RFC 1950, the zlib format, as RFC 9110 §8.4.1.2 has it.
        case deflate
    }

    static func encode(_ content: [UInt8], as coding: Coding) throws -> [UInt8] {
        // The handler takes a body without bytes for an error. These are the streams that zlib makes of it.
        guard !content.isEmpty else {
            return coding == .gzip
                ? [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0] : [0x78, 0x9C, 3, 0, 0, 0, 0, 1]
        }
        let channel = EmbeddedChannel(handler: HTTPResponseCompressor())
        let request = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/", headers: ["Accept-Encoding": coding.rawValue])
        try channel.writeInbound(HTTPServerRequestPart.head(request))
        try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
        try channel.writeOutbound(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: content))))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        var encoded: [UInt8] = []
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            if case .body(.byteBuffer(let buffer)) = part { encoded += buffer.readableBytesView }
        }
        _ = try channel.finish()
        return encoded
    }
}
