// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static let lengths: [TransportRule] =
        [
            .receives(
                "Content-Length ends the body", source: "RFC 9112 §6.3",
                [.readRequest, .send(ok(body: "hello")), .hang]
            ) {
                try $0.expect($1.text, is: "hello", "the body")
            },
            .receives("a length of 0 is an empty body", source: "RFC 9112 §6.3", [.readRequest, .send(ok()), .hang]) {
                try $0.expect($1.body.count, is: 0, "the length")
            },
            .receives(
                "the close ends a body without length", source: "RFC 9112 §6.3",
                answer("HTTP/1.1 200 OK\r\n\r\nuntil the end")
            ) {
                try $0.expect($1.text, is: "until the end", "the body")
            },
            .receives("HTTP/1.0 closes by default", source: "RFC 9112 §9.3", answer("HTTP/1.0 200 OK\r\n\r\nold")) {
                try $0.expect($1.text, is: "old", "the body")
            },
            .receives(
                "chunks are joined", source: "RFC 9112 §7.1",
                [
                    .readRequest,
                    .send(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"),
                    .hang,
                ]
            ) { try $0.expect($1.text, is: "hello world", "the body") },
            .receives(
                "the names of Transfer-Encoding and chunked compare without case", source: "RFC 9112 §7",
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\ntransfer-ENCODING: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
                    .hang,
                ]
            ) { try $0.expect($1.text, is: "ok", "the body") },
            .receives(
                "chunk sizes are hexadecimal in either case", source: "RFC 9112 §7.1",
                [
                    .readRequest,
                    .send(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\na\r\n0123456789\r\n00\r\n\r\n"
                    ), .hang,
                ]
            ) { try $0.expect($1.body.count, is: 20, "the length") },
            .receives(
                "chunk extensions are ignored", source: "RFC 9112 §7.1.1",
                [
                    .readRequest,
                    .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b;c=\"d\"\r\nok\r\n0;x\r\n\r\n"),
                    .hang,
                ]
            ) { try $0.expect($1.text, is: "ok", "the body") },
            .receives(
                "trailers are no fields of the head", source: "RFC 9110 §6.5",
                [
                    .readRequest,
                    .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Trailer: t\r\n\r\n"),
                    .hang,
                ]
            ) { bench, exchange in
                try bench.expect(exchange.text, is: "ok", "the body")
                try bench.expect(exchange.field("x-trailer"), is: nil, "the trailer among the fields")
            },
            .receives(
                "chunked wins over Content-Length", source: "RFC 9112 §6.3",
                [
                    .readRequest,
                    .send(
                        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                    ), .close,
                ]
            ) { try $0.expect($1.text, is: "hello", "the body") },
            .receives(
                "a head in single bytes is put together", source: "contract",
                [.readRequest, .drip("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", every: .milliseconds(1)), .hang]
            ) { try $0.expect($1.text, is: "ok", "the body") },
            .receives(
                "chunks in single bytes are put together", source: "contract",
                [
                    .readRequest,
                    .drip(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n1\r\n!\r\n0\r\n\r\n",
                        every: .milliseconds(1)), .hang,
                ]
            ) { try $0.expect($1.text, is: "ok!", "the body") },
        ]

    private static let sizes: [TransportRule] =
        [1, 16_383, 16_384, 65_537, 131_072, 131_073, 262_144, 400_000, 5_000_000].map { size -> TransportRule in
            // No power of two is a multiple of 23: a piece in the wrong place is seen.
            let body = Data(String(repeating: "abcdefghijklmnopqrstuvw", count: size / 23 + 1).utf8.prefix(size))
            return .receives(
                "a body of \(size) bytes arrives whole", source: "contract",
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
                    .send([UInt8](body)), .hang,
                ]
            ) { bench, exchange in
                try bench.expect(exchange.body.count, is: size, "the length")
                try bench.expect(exchange.body == body, "the body has other bytes")
            }
        }

    private static let everyByte: [TransportRule] =
        [[UInt8](0...255), [0, 13, 10, 0], Array("\r\n\r\n".utf8)].map { bytes in
            .receives(
                "the bytes \(bytes.prefix(4).map { String($0, radix: 16) }.joined(separator: " ")) … pass unchanged",
                source: "contract",
                [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n"), .send(bytes), .hang]
            ) { try $0.expect(Array($1.body), is: bytes, "the body") }
        }

    static let framing: [TransportRule] = lengths + sizes + everyByte
}
