// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    /// A request read, then these bytes, then an orderly close.
    private static func answer(_ text: String) -> RawScript { [.readRequest, .send(text), .close] }

    private static func ok(_ fields: String = "", body: String = "") -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    private static let plainStatuses: [TransportRule] =
        [
            200, 201, 202, 203, 206, 299, 300, 400, 402, 403, 404, 409, 410, 418, 422, 429, 451, 499, 500, 501, 502,
            503, 504, 599, 799,
        ].map {
            status in
            .receives(
                "status \(status) is a response", source: "RFC 9110 §15",
                answer("HTTP/1.1 \(status) Reason\r\nContent-Length: 2\r\n\r\nok")
            ) { bench, exchange in
                try bench.expect(exchange.head.status.code, is: status, "the status")
                try bench.expect(exchange.text, is: "ok", "the body")
            }
        }

    private static let redirectStatuses: [TransportRule] =
        [301, 302, 303, 307, 308].map { status in
            TransportRule("a redirect \(status) is never followed", source: "contract") { bench in
                let server = try RawServer.start { url in
                    [
                        .forever(
                            .readRequest,
                            .send("HTTP/1.1 \(status) R\r\nLocation: \(url)/next\r\nContent-Length: 2\r\n\r\nok"))
                    ]
                }
                defer { server.stop() }
                let exchange = try await bench.exchange(with: server)
                try bench.expect(exchange.head.status.code, is: status, "the status")
                try bench.expect(exchange.field("location"), is: "\(server.url)/next", "Location")
                try bench.expect(exchange.text, is: "ok", "the body")
                try bench.expect(server.log.requests.count, is: 1, "the number of requests")
            }
        }

    private static let challenges: [TransportRule] =
        [
            (401, "WWW-Authenticate: Basic realm=\"x\""), (401, "WWW-Authenticate: Digest realm=\"x\", nonce=\"n\""),
            (407, "Proxy-Authenticate: Basic realm=\"x\""),
        ].map {
            status, challenge in
            .receives(
                "a \(status) with \(challenge.split(separator: " ")[1]) is delivered", source: "RFC 9110 §15.5.2",
                needs: .challengesDelivered,
                answer("HTTP/1.1 \(status) No\r\n\(challenge)\r\nContent-Length: 2\r\n\r\nno")
            ) { bench, exchange in
                try bench.expect(exchange.head.status.code, is: status, "the status")
                try bench.expect(exchange.text, is: "no", "the body")
                try bench.expect(exchange.log.requests.count, is: 1, "the number of requests")
            }
        }

    private static let bodilessStatuses: [TransportRule] =
        [204, 304].map { status in
            .receives(
                "\(status) has no body whatever its fields say", source: "RFC 9112 §6.3",
                [
                    .readRequest, .send("HTTP/1.1 \(status) Empty\r\nContent-Length: 10\r\n\r\n"),
                    .wait(.milliseconds(500)), .close,
                ]
            ) { try $0.expect($1.body.count, is: 0, "the length") }
        }

    private static let otherHeads: [TransportRule] =
        [
            .receives(
                "HEAD has no body whatever the fields say", source: "RFC 9112 §6.3", ask: .init(.head),
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), .wait(.milliseconds(500)),
                    .close,
                ]
            ) { try $0.expect($1.body.count, is: 0, "the length") },
            .receives(
                "an empty reason passes", source: "RFC 9112 §4", answer("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok")
            ) {
                try $0.expect($1.text, is: "ok", "the body")
            },
            .receives(
                "a missing reason and its space pass", source: "RFC 9112 §4",
                answer("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok")
            ) {
                try $0.expect($1.text, is: "ok", "the body")
            },
        ]

    static let statuses: [TransportRule] = plainStatuses + redirectStatuses + challenges + bodilessStatuses + otherHeads

    static let responseFields: [TransportRule] = [
        .receives("names compare without case", source: "RFC 9110 §5.1", answer(ok("x-lower: 1\r\nX-UPPER: 2\r\n"))) {
            try $0.expect([$1.field("X-Lower"), $1.field("x-upper")], is: ["1", "2"], "the fields")
        },
        .receives(
            "repeated fields of a response stay apart, in order", source: "RFC 9110 §5.2", needs: .exactFields,
            answer(ok("X-A: 1\r\nX-B: 2\r\nX-A: 3\r\n"))
        ) { try $0.expect($1.fields("x-a"), is: ["1", "3"], "the field") },
        .receives(
            "Set-Cookie is never merged", source: "RFC 9110 §5.3",
            answer(ok("Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT\r\nSet-Cookie: b=2\r\n"))
        ) {
            try $0.expect(
                $1.fields("set-cookie"), is: ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2"], "Set-Cookie")
        },
        .receives("an empty value arrives", source: "RFC 9110 §5.5", answer(ok("X-Empty:\r\n"))) {
            try $0.expect($1.field("x-empty"), is: "", "the field")
        },
        .receives("white space around a value goes", source: "RFC 9110 §5.5", answer(ok("X-Space: \t a b \t \r\n"))) {
            try $0.expect($1.field("x-space"), is: "a b", "the field")
        },
        .receives("a value needs no space before it", source: "RFC 9112 §5.1", answer(ok("X-Near:a\r\n"))) {
            try $0.expect($1.field("x-near"), is: "a", "the field")
        },
        .receives("colons in values stay", source: "RFC 9112 §5", answer(ok("X-Time: 12:30:15\r\n"))) {
            try $0.expect($1.field("x-time"), is: "12:30:15", "the field")
        },
        .receives(
            "UTF-8 in values passes", source: "RFC 9110 §5.5", needs: .exactFields, answer(ok("X-Name: grüß\r\n"))
        ) {
            try $0.expect($1.field("x-name"), is: "grüß", "the field")
        },
        .receives(
            "two hundred fields arrive", source: "contract", answer(ok((0..<200).map { "X-\($0): \($0)\r\n" }.joined()))
        ) {
            try $0.expect($1.field("x-199"), is: "199", "the last one")
        },
        .receives(
            "a value of 20 KB arrives", source: "contract",
            answer(ok("X-Long: \(String(repeating: "v", count: 20_000))\r\n"))
        ) {
            try $0.expect($1.field("x-long")?.count, is: 20_000, "the length")
        },
        .receives(
            "Location is given as it came", source: "RFC 9110 §10.2.2",
            answer("HTTP/1.1 201 C\r\nLocation: ../x?y#z\r\nContent-Length: 0\r\n\r\n")
        ) {
            try $0.expect($1.field("location"), is: "../x?y#z", "Location")
        },
        .receives(
            "a folded value is one value", source: "RFC 9112 §5.2", needs: .exactFields,
            answer(ok("X-Fold: a\r\n b\r\n\tc\r\n"))
        ) {
            try $0.expect(
                $1.field("x-fold")?.split { $0 == " " || $0 == "\t" }.joined(separator: " "), is: "a b c", "the field")
        },
    ]

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

    /// What is no HTTP, or breaks its rules.
    private static let broken: Set<NetworkClientError.Code> = [.protocolViolation, .connectionLost]

    private static let damaged: [TransportRule] = [
        ("a banner of another protocol", "SSH-2.0-OpenSSH_9.2\r\n"),
        (
            "a switch of protocols that nobody asked for",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"
        ),
        ("HTML without a head", "<html>hello</html>\r\n\r\n"),
        ("a version that does not exist", "HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        ("HTTP/2 in a status line of HTTP/1.1", "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        ("a status that is no number", "HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nok"),
        ("a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok"),
        ("a negative Content-Length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nok"),
        ("a Content-Length that is no number", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nok"),
        ("two Content-Lengths that differ", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"),
        ("a Content-Length beyond 64 bits", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok"),
        (
            "a chunk size that is no number",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nok\r\n0\r\n\r\n"
        ),
        ("a chunk without its line end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokXX0\r\n\r\n"),
        (
            "a chunk size beyond 64 bits",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1FFFFFFFFFFFFFFFFF\r\nok"
        ),
    ].map { what, bytes in
        .fails(
            "\(what) is an error", source: "RFC 9112", with: broken,
            [.readRequest, .send(bytes), .wait(.milliseconds(100)), .close])
    }

    static let malformed: [TransportRule] =
        damaged + [
            .fails(
                "a head without end is an error", source: "RFC 9110 §5.4", needs: .exactFields,
                with: [.protocolViolation],
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\n"),
                    .repeat([.send("X-Flood: \(String(repeating: "a", count: 1000))\r\n")]),
                ])
        ]

    private static let truncatedHeads: [TransportRule] =
        [
            ("before a byte of the head", ""), ("in the version", "HTTP/1"), ("in the status line", "HTTP/1.1 200 O"),
            ("in a field's name", "HTTP/1.1 200 OK\r\nContent-Le"),
            ("before the empty line", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"),
        ].map { place, bytes in
            .fails(
                "an end \(place) is an error", source: "RFC 9112 §8", with: broken,
                [.readRequest, .send(bytes), .close])
        }

    private static let truncatedBodies: [TransportRule] =
        [
            ("before the body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"),
            ("in the body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
            ("one byte short", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123456789"),
            ("in a chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5"),
            ("in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
            ("after a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
            ("before the last line end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"),
        ].flatMap { place, bytes in
            [("", RawScript.Step.close), (" by a reset", .reset)].map { how, end in
                .fails(
                    "an end \(place)\(how) is an error of the body", source: "RFC 9112 §8", with: broken,
                    [.readRequest, .send(bytes), .wait(.milliseconds(150)), end])
            }
        } + [
            .fails(
                "a body short of the greatest length is an error", source: "RFC 9110 §8.6",
                with: broken.union([.bodyTooLarge]),
                [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(Int64.max)\r\n\r\nhello"), .close])
        ]

    private static let partialReads: [TransportRule] =
        [
            TransportRule(
                "what came before the end is read before the error", source: "contract", needs: .streamingResponse
            ) { bench in
                let script: RawScript = [
                    .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"),
                    .wait(.milliseconds(200)), .close,
                ]
                try await RawServer.withServer(script: script) { server in
                    let response = try await bench.transport.send(try bench.request(.init(), to: server))
                    var seen = Data()
                    do {
                        for try await piece in response.body { seen.append(piece) }
                        throw RuleViolation("a truncated body ended like a whole one")
                    } catch is NetworkClientError {
                        try bench.expect(String(decoding: seen, as: UTF8.self), is: "hello", "what was read")
                    }
                }
            }
        ]

    static let truncation: [TransportRule] = truncatedHeads + truncatedBodies + partialReads

    static let interim: [TransportRule] = [
        ("100", "HTTP/1.1 100 Continue\r\n\r\n"), ("102", "HTTP/1.1 102 Processing\r\n\r\n"),
        ("103 with fields", "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nX-Early: 1\r\n\r\n"),
    ].flatMap { name, bytes in
        [(1, "a"), (3, "three")].map { count, words in
            .receives(
                "\(words) \(name) before the response \(count == 1 ? "is" : "are") swallowed", source: "RFC 9110 §15.2",
                [
                    .readRequest, .send(String(repeating: bytes, count: count)), .wait(.milliseconds(20)),
                    .send(ok("X-Final: 1\r\n", body: "ok")), .close,
                ]
            ) { bench, exchange in
                try bench.expect(exchange.head.status.code, is: 200, "the status")
                try bench.expect(exchange.text, is: "ok", "the body")
                try bench.expect(exchange.field("x-early"), is: nil, "the interim field")
                try bench.expect(exchange.field("x-final"), is: "1", "the final field")
            }
        }
    }
}
