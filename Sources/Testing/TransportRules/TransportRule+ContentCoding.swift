// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static let text = "hello hello hello hello"

    /// The text by deflate, without a wrapper.
    private static let deflated: [UInt8] = [0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0x01]
    private static let gzip: [UInt8] =
        [0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03] + deflated
        + [0xe3, 0x51, 0x3d, 0x8d, 0x17, 0x00, 0x00, 0x00]
    private static let zlib: [UInt8] = [0x78, 0x9c] + deflated + [0x68, 0x03, 0x08, 0xb1]
    /// One block that is not compressed, and an empty last one (RFC 7932 §9.2).
    private static let brotli: [UInt8] = [0x60, 0x01, 0x10] + Array(text.utf8) + [0x03]
    /// One raw block (RFC 8878 §3.1.1).
    private static let zstd: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x17, 0xb9, 0x00, 0x00] + Array(text.utf8)

    /// The text by deflate as often as asked, in one block each that is not compressed (RFC 1951 §3.2.4).
    private static func deflated(times count: Int) -> [UInt8] {
        (0..<count).reduce(Array(text.utf8)) { bytes, _ in
            let length = UInt16(bytes.count)
            let header = [length, ~length].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            return [1] + header + bytes
        }
    }

    /// By how many codings bodies come that are decoded.
    private static let repeated: [TransportRule] = [2, 4].map { count in
        .receives(
            "a body with \(count) codings is decoded", source: "RFC 9110 §8.4", needs: .contentDecoding,
            coded(Array(repeating: "deflate", count: count).joined(separator: ", "), deflated(times: count))
        ) { bench, exchange in
            try bench.expect(exchange.text, is: text, "the body")
            try bench.expect(exchange.field("content-encoding"), is: nil, "Content-Encoding")
        }
    }

    /// Only an attacker has a use for so many. What is left encoded must not pass for the body.
    private static let excessive: [TransportRule] = [
        (5, "in one field", ", "), (5, "in a field each", "\r\nContent-Encoding: "), (100, "in one field", ","),
    ].map { count, place, separator in
        let codings = Array(repeating: "deflate", count: count).joined(separator: separator)
        return TransportRule(
            "a body with \(count) codings \(place) is decoded or an error of its coding", source: "contract",
            needs: .contentDecoding
        ) { bench in
            do {
                let exchange = try await bench.exchange(script: coded(codings, deflated(times: count)))
                try bench.expect(exchange.text, is: text, "the body")
            } catch let error as NetworkClientError {
                try bench.expect(error.code, is: .contentEncodingFailed, "the code")
            }
        }
    }

    private static func coded(_ coding: String, _ bytes: [UInt8]) -> RawScript {
        [
            .readRequest,
            .send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(bytes.count)\r\n\r\n"),
            .send(bytes), .wait(.milliseconds(50)), .close,
        ]
    }

    private static let single: [TransportRule] = [
        .sends("it asks for gzip when it decodes", source: "RFC 9110 §12.5.3", needs: .contentDecoding, .init()) {
            try $0.expect(
                $1.values(of: "accept-encoding").joined().contains("gzip"), "Accept-Encoding does not name gzip")
        },
        .receives("gzip is decoded", source: "RFC 9110 §8.4.1.3", needs: .contentDecoding, coded("gzip", gzip)) {
            try $0.expect($1.text, is: text, "the body")
        },
        .receives(
            "deflate with the header of zlib is decoded", source: "RFC 9110 §8.4.1.2", needs: .contentDecoding,
            coded("deflate", zlib)
        ) { try $0.expect($1.text, is: text, "the body") },
        .receives(
            "deflate without a header is decoded", source: "RFC 9110 §8.4.1.2", needs: .contentDecoding,
            coded("deflate", deflated)
        ) { try $0.expect($1.text, is: text, "the body") },
        .receives("br is decoded", source: "RFC 7932", needs: .brotli, coded("br", brotli)) {
            try $0.expect($1.text, is: text, "the body")
        },
        .receives("zstd is decoded", source: "RFC 8878", needs: .zstd, coded("zstd", zstd)) {
            try $0.expect($1.text, is: text, "the body")
        },
        .receives("x-gzip is gzip", source: "RFC 9110 §8.4.1.3", needs: .contentDecoding, coded("x-gzip", gzip)) {
            try $0.expect($1.text, is: text, "the body")
        },
        .receives(
            "decoded bodies do not claim a coding", source: "contract", needs: .contentDecoding, coded("gzip", gzip)
        ) {
            try $0.expect([$1.field("content-encoding"), $1.field("content-length")], is: [nil, nil], "the fields")
        },
        .receives(
            "identity is left alone", source: "RFC 9110 §12.5.3", needs: .contentDecoding,
            coded("identity", Array("ok".utf8))
        ) {
            try $0.expect($1.text, is: "ok", "the body")
        },
        .receives(
            "an unknown coding is handed out as it came", source: "contract", needs: .contentDecoding,
            coded("x-own", Array("raw".utf8))
        ) { bench, exchange in
            try bench.expect(exchange.text, is: "raw", "the body")
            try bench.expect(exchange.field("content-encoding"), is: "x-own", "Content-Encoding")
        },
        .fails(
            "a truncated gzip body is an error", source: "RFC 1952", needs: .contentDecoding,
            with: [.contentEncodingFailed, .connectionLost], coded("gzip", Array(gzip.dropLast(12)))),
        .fails(
            "a gzip body with a wrong checksum is an error", source: "RFC 1952 §2.3.1",
            needs: .contentDecoding, with: [.contentEncodingFailed],
            coded("gzip", Array(gzip.dropLast(8)) + [1, 2, 3, 4] + Array(gzip.suffix(4)))),
        .fails(
            "what is not gzip is an error", source: "RFC 1952", needs: .contentDecoding, with: [.contentEncodingFailed],
            coded("gzip", Array("this is no gzip".utf8))),
        .receives(
            "two gzip members are one body", source: "RFC 1952 §2.2", needs: .contentDecoding,
            coded("gzip", gzip + gzip)
        ) { try $0.expect($1.text, is: text + text, "the body") },
        .receives(
            "HEAD with a coding has no body to decode", source: "RFC 9110 §9.3.2", needs: .contentDecoding,
            ask: .init(.head),
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n"),
                .wait(.milliseconds(200)), .close,
            ]
        ) { try $0.expect($1.body.count, is: 0, "the length") },
    ]

    static let contentCoding: [TransportRule] = single + repeated + excessive
}
