// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

extension TransportRule {
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
