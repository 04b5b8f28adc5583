// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import TestSupport
import Testing

@testable import StrataNative
@testable import StrataTesting

/// However the bytes come, they mean the same.
struct HTTP2SessionSplitTests {
    /// What has come of two calls.
    private struct Outcome: Equatable {
        var bodies: [String] = []
        var heads: [HTTPResponse] = []
        var interims: [[Int]] = []
        var trailers: [HTTPFields?] = []
        var ends: [String] = []
        var failure: NetworkClientError.Code?
        var isGoingAway = false
    }

    private static let conversations: [[HTTP2Frame]] = [
        [
            .head([":status": "200", "content-length": "5"]), .head([":status": "103"], on: 3), .data("he"),
            .head([":status": "404"], on: 3), .data("llo", ends: true), .data("no", on: 3),
            .head(["x-sum": "1"], on: 3, ends: true),
        ],
        [.head([":status": "200"]), .data("part"), .reset(.cancel), .reset(.refusedStream, on: 3)],
        [.goAway(last: 1), .head([":status": "200"], ends: true)],
        [.head([":status": "200", "X-A": "1"]), .head([":status": "200"], on: 3), .data("ok", on: 3, ends: true)],
        [.head([":status": "200"]), HTTP2Frame(.settings, payload: [1, 2])],
        [
            HTTP2Frame(.headers, stream: 1, payload: HTTP2Frame.block([":status": "200"])),
            HTTP2Frame(.continuation, stream: 1, payload: HTTP2Frame.block(["x-a": "1"])),
            HTTP2Frame(.continuation, flags: 4, stream: 1, payload: HTTP2Frame.block(["x-b": "2"])),
            HTTP2Frame(.data, flags: 9, stream: 1, payload: [2] + Array("ok".utf8) + [0, 0]),
        ],
    ]

    private func outcome(_ pieces: [[UInt8]]) throws -> Outcome {
        let peer = try HTTP2Peer()
        let calls = [try peer.begin(), try peer.begin()]
        for piece in pieces { peer.receive(piece) }
        var outcome = Outcome()
        for (stream, body) in calls {
            outcome.bodies.append(body.text)
            outcome.heads.append(stream.parser.response)
            outcome.interims.append(stream.interims.map(\.status.code))
            outcome.trailers.append(stream.trailers)
            outcome.ends.append(stream.end.map { "\($0)" } ?? "none")
        }
        outcome.failure = peer.session.failure?.code
        outcome.isGoingAway = peer.session.isGoingAway
        return outcome
    }

    @Test(arguments: conversations.indices) func everySplitOfTwoMeansTheSame(_ index: Int) throws {
        let bytes = Self.conversations[index].flatMap(\.encoded)
        let whole = try outcome([bytes])
        for place in 0...bytes.count {
            #expect(try outcome([Array(bytes[..<place]), Array(bytes[place...])]) == whole, "split at \(place)")
        }
    }

    @Test(arguments: conversations.indices, [1, 2, 3, 7]) func smallPiecesMeanTheSame(_ index: Int, _ size: Int) throws
    {
        let bytes = Self.conversations[index].flatMap(\.encoded)
        #expect(try outcome(bytes.pieces(of: size)) == outcome([bytes]))
    }

    /// A connection that ends anywhere has ended no stream but those that are whole.
    @Test func nothingThatIsCutOffIsWhole() throws {
        let bytes = Self.conversations[0].flatMap(\.encoded)
        for place in 0..<bytes.count {
            let peer = try HTTP2Peer()
            let calls = [try peer.begin(), try peer.begin()]
            peer.receive(Array(bytes[..<place]))
            for (stream, body) in calls where stream.isEnded {
                #expect(body.text == (stream.id == 1 ? "hello" : "no"))
            }
            #expect(!calls[1].stream.isEnded)
        }
    }
}
