// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import StrataTransportSupport
import Testing

@testable import StrataTesting

/// Answers over HTTP/2 and TLS, several at a time.
struct SharedConnectionTests {
    /// What the server does about the request of a number.
    private struct Answer {
        let content: Data
        /// Whether the stream is reset behind the content, which has no length.
        let isReset: Bool
        private let isLate: Bool

        init(_ number: Int) {
            var random = SeededGenerator(seed: UInt64(number))
            isReset = random.happens(0.3)
            isLate = random.happens(0.5)
            content = random.bytes(1 + random.size(most: isReset ? 9_000 : 70_000))
        }

        var script: HTTP2Script {
            var steps: [HTTP2Script.Step] = [
                .fields([":status": "200"]), .body(Array(content), times: 1, ends: !isReset),
            ]
            if isReset {
                // In another read of the client's, or in the same.
                if isLate { steps.append(.wait(.milliseconds(1))) }
                steps.append(.reset(.internalError))
            }
            return HTTP2Script(steps: steps)
        }
    }

    private static func startServer() throws -> RawServer {
        let blocks = HeaderBlocks()
        return try RawServer.start(streamsAnswering: { connection, head in
            let path = blocks.fields(of: head, on: connection)[":path"] ?? ""
            return Int(path.dropFirst()).map { Answer($0).script } ?? [.close]
        })
    }

    @Test(arguments: OwnTransport.allCases)
    func answersAreWholeAndTheirOwnOrFail(_ kind: OwnTransport) async throws {
        let server = try Self.startServer()
        defer { server.stop() }
        try await TLSFront.withServer(["h2": server.port]) { front in
            let trust = Data((front.authority.certificatePEM + "\n").utf8)
            try await kind.with({ $0.tls.trust = .pem(trust) }) { transport in
                await withTaskGroup { group in
                    for worker in 0..<6 {
                        group.addTask {
                            for number in stride(from: worker, to: 1_200, by: 6) {
                                await Self.expectAnswer(number, from: front.url, transport)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func expectAnswer(_ number: Int, from url: String, _ transport: any NetworkTransport) async {
        let answer = Answer(number)
        do {
            let response = try await transport.send(.get, "\(url)/\(number)")
            let body = try await response.body.collect()
            #expect(!answer.isReset, "\(number) has no end, and counts as whole")
            #expect(body == answer.content, "\(number) has other bytes")
            #expect(response.metrics?.httpVersion == "HTTP/2")
        } catch {
            #expect((error as? NetworkClientError)?.code == .connectionLost, "\(number)")
            #expect(answer.isReset, "\(number) is whole, and fails: \(error)")
        }
    }
}
