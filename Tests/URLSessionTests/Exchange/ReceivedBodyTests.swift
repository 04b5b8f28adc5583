// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import StrataURLSession

struct ReceivedBodyTests {
    /// Bytes whose value tells their place.
    private func bytes(_ range: Range<Int>) -> Data {
        Data(range.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    @Test(arguments: [ReceivedBody.Overflow.spills, .holdsTransfer], [13, 4096, 16384, 70_001])
    func handsOutWhatArrivedInOrder(_ overflow: ReceivedBody.Overflow, _ size: Int) throws {
        let all = bytes(0..<400_000)
        var body = ReceivedBody(overflow: overflow)
        var read = Data()
        for (number, start) in stride(from: 0, to: all.count, by: size).enumerated() {
            _ = try body.append(all[start..<min(start + size, all.count)])
            // A reader that is a little too slow.
            if number % 8 == 0, let next = try body.next() { read.append(next.piece) }
        }
        while let next = try body.next() {
            #expect(!next.piece.isEmpty && next.piece.count <= max(64 * 1024, size))
            read.append(next.piece)
        }
        #expect(read == all)
        let isEmpty = body.isEmpty
        #expect(isEmpty)
    }

    @Test func keepsMemoryBoundedBySpilling() throws {
        var body = ReceivedBody(overflow: .spills)
        let piece = bytes(0..<16_384)
        for _ in 0..<200 {
            let (flow, size) = (try body.append(piece), body.byteCount)
            #expect(flow == .unchanged)
            #expect(size <= ReceivedBody.highWater)
        }
        var total = 0
        while let next = try body.next() { total += next.piece.count }
        #expect(total == 200 * piece.count)
    }

    @Test func spillsAgainAfterTheFileWasReadToItsEnd() throws {
        var body = ReceivedBody(overflow: .spills)
        for round in 0..<3 {
            let all = bytes(round..<(round + 400_000))
            _ = try body.append(all.prefix(300_000))
            _ = try body.append(all.dropFirst(300_000))
            var read = Data()
            while let next = try body.next() { read.append(next.piece) }
            #expect(read == all)
        }
    }

    @Test func holdsTheTransferAtTheHighWaterMarkAndLetsItGoAtHalf() throws {
        var body = ReceivedBody(overflow: .holdsTransfer)
        let piece = Data(count: 64 * 1024)
        let coming = try (0..<5).map { _ in try body.append(piece) }
        #expect(coming == [.unchanged, .unchanged, .unchanged, .hold, .unchanged])
        let going = try (0..<4).map { _ in try body.next()?.flow }
        #expect(going == [.unchanged, .unchanged, .go, .unchanged])
    }

    @Test func gathersCrumbs() throws {
        var body = ReceivedBody(overflow: .spills)
        for byte in UInt8(0)..<200 { _ = try body.append(Data([byte])) }
        let pieces = try [body.next()?.piece, body.next()?.piece]
        #expect(pieces == [Data(UInt8(0)..<200), nil])
    }
}
