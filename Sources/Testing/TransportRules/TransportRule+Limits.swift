// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRule {
    private static func ask(limit: Int) -> RuleBench.Ask { RuleBench.Ask { $0.maximumResponseBytes = limit } }

    private static func answer(_ fields: String, _ bytes: [UInt8]) -> RawScript {
        [
            .readRequest, .send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(bytes.count)\r\n\r\n"), .send(bytes),
            .hang,
        ]
    }

    private static let plain = [UInt8](repeating: 0x61, count: 50_000)

    /// Fifty thousand zeros by gzip.
    private static let bomb: [UInt8] =
        [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xc1, 0x01, 0x0d, 0x00, 0x00, 0x00, 0xc2,
            0xa0, 0xf7, 0x4f, 0x6d, 0x0f, 0x07, 0x14,
        ] + [UInt8](repeating: 0, count: 48) + [0x4f, 0x06, 0x25, 0xb3, 0xb7, 0x16, 0x50, 0xc3, 0x00, 0x00]

    static let limits: [TransportRule] = [
        .receives(
            "a body of as many bytes as allowed arrives", source: "contract", ask: ask(limit: 50_000), answer("", plain)
        ) { try $0.expect($1.body.count, is: 50_000, "the length") },
        .fails(
            "a body of more bytes than allowed is an error", source: "contract", ask: ask(limit: 49_999),
            with: [.bodyTooLarge], answer("", plain)),
        .receives(
            "decoded bytes are allowed up to the limit", source: "contract", needs: .contentDecoding,
            ask: ask(limit: 50_000), answer("Content-Encoding: gzip\r\n", bomb)
        ) { try $0.expect($1.body.count, is: 50_000, "the length") },
        .fails(
            "decoded bytes count against the limit", source: "contract", needs: .contentDecoding,
            ask: ask(limit: 10_000), with: [.bodyTooLarge], answer("Content-Encoding: gzip\r\n", bomb)),
    ]
}
