// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct BatchShareTests {
    @Test func isUsedUpByManyPiecesOfOneBatch() {
        var share = BatchShare()
        for batch in 1...3 {
            let first = (0..<BatchShare.pieces).firstIndex { _ in share.isUsed(inBatch: batch) }
            #expect(first == BatchShare.pieces - 1)
        }
    }

    @Test func aFewPiecesOfEachBatchDoNotUseItUp() {
        var share = BatchShare()
        for number in 0..<(10 * BatchShare.pieces) {
            let isUsed = share.isUsed(inBatch: number / (BatchShare.pieces - 1))
            #expect(!isUsed)
        }
    }
}
