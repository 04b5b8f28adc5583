// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
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

    /// No request asks for one by `TE`, and its content could not be read (RFC 9112 §6.1).
    private static let unaskedCodings: [TransportRule] = [
        ("a transfer coding that nobody asked for", "gzip\r\n\r\nok"),
        ("a transfer coding before chunked", "gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
    ].map { what, bytes in
        .fails(
            "\(what) is an error", source: "RFC 9112 §6.1", with: broken.union([.contentEncodingFailed]),
            [.readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(bytes)"), .wait(.milliseconds(100)), .close])
    }

    /// libcurl knows what it decodes, and nothing else.
    private static let unregisteredCoding = TransportRule(
        "a transfer coding that nobody knows leaves the end to the close, or is an error", source: "RFC 9112 §6.3"
    ) { bench in
        do {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: unheard-of\r\n\r\n"
            let exchange = try await bench.exchange(script: [.readRequest, .send(head + "until the end"), .close])
            try bench.expect(exchange.text, is: "until the end", "the body")
        } catch let error as NetworkClientError {
            let isFitting = broken.union([.contentEncodingFailed]).contains(error.code)
            try bench.expect(isFitting, "the code is \(error.code)")
        }
    }

    static let malformed: [TransportRule] =
        damaged + unaskedCodings + [
            unregisteredCoding,
            .fails(
                "a head without end is an error", source: "RFC 9110 §5.4", needs: .exactFields,
                with: [.protocolViolation],
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\n"),
                    .repeat([.send("X-Flood: \(String(repeating: "a", count: 1000))\r\n")]),
                ]),
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
}
