// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

/// A server that closes idle connections whenever it likes (RFC 9112 §9.6).
struct ClosedConnectionTests {
    /// What is sent on a connection that may just have been closed.
    enum Upload: CaseIterable {
        case ofKnownLength, inChunks, fromMemory, once

        var count: Int { self == .fromMemory ? 200_000 : 3_000 }

        var body: RequestBody {
            let data = Data(repeating: 1, count: count)
            if self == .fromMemory { return .data(data) }
            return .stream(length: self == .inChunks ? nil : Int64(count), isReplayable: self != .once) {
                PiecesSource(data.pieces(of: 1_000))
            }
        }
    }

    /// What is written to a connection whose end is on its way fails at any of its bytes: in the head, or in the body. The request is sent
    /// again from its beginning, over a new connection, where that does no harm; any other fails.
    @Test(arguments: OwnTransport.allCases, Upload.allCases)
    func uploadsAreSentAgainWholeOrFail(_ kind: OwnTransport, _ upload: Upload) async throws {
        let server = try RawServer.start(answering: { request in
            if request.body.isEmpty { return nil }
            var random = SeededGenerator(seed: UInt64(request.target.dropFirst()) ?? 0)
            let pause = Duration.microseconds(Int.random(in: 0..<200, using: &random))
            return RawScript([.respond(body: "\(request.target) \(request.body.count)"), .wait(pause), .close])
        })
        defer { server.stop() }
        try await kind.with { transport in
            await withTaskGroup { group in
                for worker in 0..<8 {
                    group.addTask {
                        for number in stride(from: worker, to: 800, by: 8) {
                            await Self.expectAnswer(number, upload, from: server.url, transport)
                        }
                    }
                }
            }
        }
    }

    private static func expectAnswer(
        _ number: Int, _ upload: Upload, from url: String, _ transport: any NetworkTransport
    ) async {
        let mayFail = number % 4 == 0 || upload == .once
        do {
            let method: HTTPRequest.Method = number % 4 == 0 ? .post : .put
            let request = try TransportRequest(method: method, url: "\(url)/\(number)", body: upload.body)
            let answer = try await transport.send(request).body.collect()
            #expect(String(decoding: answer, as: UTF8.self) == "/\(number) \(upload.count)")
        } catch {
            #expect(mayFail && (error as? NetworkClientError)?.code == .connectionLost, "\(number): \(error)")
        }
    }
}
