// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct ResponseBytesTests {
    private let request = PlainRequest(path: "blob", method: .get)

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func areTheBytesOfTheBody(_ rechunking: Rechunking) async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        for reply in ScriptedReply.pieces([bytes]).rechunked(rechunking) {
            let transport = ScriptedTransport(reply)
            #expect(try await NetworkClient(transport).bytes(for: request).all() == Array(bytes))
            #expect(transport.requests.first?["accept"] == "*/*")
        }
    }

    @Test func anEmptyPieceIsNotTheEnd() async throws {
        final class Gaps: BodySource {
            private let pieces = Mutex([Data([1]), Data(), Data([2, 3]), Data(), Data()])
            func next() -> Data? { pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
            func cancel() {}
        }
        let response = TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(source: Gaps()))
        var iterator = ResponseBytes(response).makeAsyncIterator()
        for byte in [UInt8?(1), 2, 3, nil, nil] { #expect(try await iterator.next() == byte) }
    }

    @Test func leavingTheLoopCancelsTheTransfer() async throws {
        let source = PiecesSource([Data([1, 2]), Data([3])])
        let bytes = try await NetworkClient(ScriptedTransport(.events(from: source))).bytes(for: request)
        for try await byte in bytes where byte == 1 { break }
        #expect(source.isCancelled)
        #expect(source.remaining == 1)
    }

    @Test func aBodyThatIsCutOffThrowsBehindItsBytes() async throws {
        let failure = NetworkClientError(.connectionLost, "cut off")
        let bytes = try await NetworkClient(ScriptedTransport(.pieces([Data([1])], failure: failure))).bytes(
            for: request)
        var iterator = bytes.makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
    }
}
