// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

struct RechunkingTests {
    private static let hundred = Data((0..<100).map { UInt8($0) })

    @Test(arguments: [Rechunking.whole, .oneByte, .every(3), .every(0), .everySplit, .random(seed: 1)])
    func thePiecesMakeUpTheWhole(_ rechunking: Rechunking) {
        for bytes in [Data(), Data([1]), Self.hundred, Self.hundred[20..<60]] {
            let ways = bytes.rechunked(rechunking)
            #expect(!ways.isEmpty)
            for pieces in ways {
                #expect(pieces.reduce(into: Data()) { $0.append($1) } == bytes)
                #expect(pieces.allSatisfy { !$0.isEmpty && $0.startIndex == 0 })
            }
        }
    }

    @Test func cutsWhereItSays() {
        let bytes = Data([1, 2, 3, 4])
        #expect(bytes.rechunked(.whole) == [[bytes]])
        #expect(bytes.rechunked(.oneByte) == [[Data([1]), Data([2]), Data([3]), Data([4])]])
        #expect(bytes.rechunked(.every(3)) == [[Data([1, 2, 3]), Data([4])]])
        #expect(
            bytes.rechunked(.everySplit) == [
                [Data([1]), Data([2, 3, 4])], [Data([1, 2]), Data([3, 4])], [Data([1, 2, 3]), Data([4])],
            ])
    }

    @Test func theSameSeedCutsInTheSamePlaces() {
        let bytes = Data(repeating: 7, count: 1_000)
        #expect(bytes.rechunked(.random(seed: 1)) == bytes.rechunked(.random(seed: 1)))
        #expect(bytes.rechunked(.random(seed: 1)) != bytes.rechunked(.random(seed: 2)))
        #expect(Set(bytes.rechunked(.random(seed: 1))[0].map(\.count)).count > 5)
    }

    @Test func aReplyKeepsItsHeadAndItsFailure() async throws {
        let failure = NetworkClientError(.connectionLost, "cut off")
        let reply = ScriptedReply.pieces(
            [Data([1, 2]), Data([3])], status: 206, fields: [.server: "s"], length: 9, failure: failure)
        let replies = reply.rechunked(.everySplit)
        #expect(replies.count == 2)
        for reply in replies {
            let request = try TransportRequest(url: "https://h.example/")
            let response = try await ScriptedTransport(reply).send(request)
            #expect(response.head.status.code == 206)
            #expect(response.head.headerFields[.server] == "s")
            #expect(response.body.length == 9)
            var bytes = Data()
            let error = await #expect(throws: NetworkClientError.self) {
                for try await piece in response.body { bytes.append(piece) }
            }
            #expect(error?.code == .connectionLost)
            #expect(bytes == Data([1, 2, 3]))
        }
    }

    @Test func aReplyWithoutABodyOfItsOwnStaysAsItIs() {
        #expect(ScriptedReply.failure(.dnsFailed).rechunked(.oneByte).count == 1)
        #expect(ScriptedReply.source { PiecesSource([Data([1, 2])]) }.rechunked(.everySplit).count == 1)
    }
}
