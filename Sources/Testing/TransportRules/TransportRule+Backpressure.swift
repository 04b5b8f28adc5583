// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static let arrivals: [TransportRule] =
        [
            ("a body with a length", "Content-Length: 9\r\n\r\none"),
            ("a chunked body", "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n"),
        ].map { what, bytes in
            TransportRule(
                "pieces of \(what) are there when they arrive", source: "contract", needs: .streamingResponse
            ) { bench in
                let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\n\(bytes)"), .hang]
                try await RawServer.withServer(script: script) { server in
                    let response = try await bench.transport.send(try bench.request(.init(), to: server))
                    var iterator = response.body.makeAsyncIterator()
                    try bench.expect(
                        try await iterator.next().map { String(decoding: $0, as: UTF8.self) }, is: "one", "the piece")
                }
            }
        }

    private static let readers: [TransportRule] = [
        TransportRule("the head is there before the body", source: "contract", needs: .streamingResponse) { bench in
            let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .hang]
            try await RawServer.withServer(script: script) { server in
                let response = try await bench.transport.send(try bench.request(.init(), to: server))
                try bench.expect(response.head.status.code, is: 200, "the status")
            }
        },
        TransportRule(
            "an unread body holds its sender back", source: "contract", needs: [.backpressure, .streamingResponse]
        ) { bench in
            // More than socket buffers and the high-water mark can swallow: the script ends only if someone takes it all.
            let size = 64 << 20
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
                .repeat([.send([UInt8](repeating: 1, count: 1 << 20))], times: 64), .close,
            ]
            try await RawServer.withServer(script: script) { server in
                let response = try await bench.transport.send(try bench.request(.init(), to: server))
                try await Task.sleep(for: .milliseconds(500))
                try bench.expect(!server.log.has(.finished), "all of the body was taken though nobody read it")
                try bench.expect(try await response.body.collect(upTo: size).count, is: size, "the length")
            }
        },
        TransportRule("a slow reader gets every byte", source: "contract", needs: .streamingResponse) { bench in
            let size = 2_000_000
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"),
                .send((0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000) }), .hang,
            ]
            try await RawServer.withServer(script: script) { server in
                let response = try await bench.transport.send(try bench.request(.init(), to: server))
                var offset = 0
                for try await piece in response.body {
                    for byte in piece {
                        try bench.expect(byte == UInt8(truncatingIfNeeded: offset / 1000), "byte \(offset) is wrong")
                        offset += 1
                    }
                    try await Task.sleep(for: .milliseconds(2))
                }
                try bench.expect(offset, is: size, "the length")
            }
        },
    ]

    static let backpressure: [TransportRule] = arrivals + readers
}
