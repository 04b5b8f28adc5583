// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import StrataTransportSupport

struct BodyBufferTests {
    private func bytes(_ count: Int, from first: Int = 0) -> [UInt8] {
        (first..<(first + count)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    private func drain(_ buffer: inout BodyBuffer) -> [Data] {
        var pieces: [Data] = []
        while let piece = buffer.popFirst() { pieces.append(piece) }
        return pieces
    }

    @Test func handsASmallBodyOutWhole() {
        var buffer = BodyBuffer(pool: SegmentPool(limit: 4))
        let body = bytes(1000)
        body.withUnsafeBytes { buffer.append($0, expected: 1000) }
        #expect(buffer.isOnePiece)
        #expect(drain(&buffer) == [Data(body)])
        #expect(buffer.isEmpty)
    }

    @Test(arguments: [1, 1000, 16 * 1024, 128 * 1024, 128 * 1024 + 1, 1_000_000])
    func keepsEveryByteInOrder(_ size: Int) {
        var buffer = BodyBuffer(pool: SegmentPool(limit: 4))
        let body = bytes(size)
        for start in stride(from: 0, to: size, by: 16_000) {
            body[start..<min(size, start + 16_000)].withUnsafeBytes { buffer.append($0, expected: nil) }
        }
        #expect(buffer.count == size)
        let pieces = drain(&buffer)
        #expect(pieces.allSatisfy { $0.count <= Segment.capacity })
        #expect(pieces.reduce(Data(), +) == Data(body))
    }

    @Test func mixesTakingAndGiving() {
        var buffer = BodyBuffer(pool: SegmentPool(limit: 1))
        var taken = Data()
        for round in 0..<200 {
            bytes(3000, from: round * 3000).withUnsafeBytes { buffer.append($0, expected: nil) }
            if round % 3 == 0, let piece = buffer.popFirst() { taken += piece }
        }
        for piece in drain(&buffer) { taken += piece }
        #expect(taken == Data(bytes(600_000)))
    }

    @Test func isEmptyAfterAllWasDropped() {
        var buffer = BodyBuffer(pool: SegmentPool(limit: 4))
        bytes(300_000).withUnsafeBytes { buffer.append($0, expected: nil) }
        buffer.removeAll()
        #expect(buffer.isEmpty)
        #expect(buffer.popFirst() == nil)
    }

    @Test func keepsPiecesAliveBeyondTheBuffer() {
        let pool = SegmentPool(limit: 1)
        var kept: [Data] = []
        for round in 0..<8 {
            var buffer = BodyBuffer(pool: pool)
            [UInt8](repeating: UInt8(round), count: 50_000).withUnsafeBytes { buffer.append($0, expected: nil) }
            kept += drain(&buffer)
        }
        #expect(kept.enumerated().allSatisfy { round, data in data.allSatisfy { $0 == UInt8(round) } })
    }
}
