// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct ReceivingTests {
    @Test func isHeldBackForTheReaderAndForOtherTransfers() {
        var receiving = Receiving()
        #expect(!receiving.isHeldBack)
        receiving.isPaused = true
        #expect(receiving.isHeldBack)
        receiving = Receiving()
        receiving.share.isYielding = true
        #expect(receiving.isHeldBack)
    }

    @Test func aReleaseEndsBothAndKeepsTheCount() {
        var receiving = Receiving()
        (receiving.count, receiving.isPaused, receiving.share.isYielding) = (7, true, true)
        receiving.release()
        #expect(!receiving.isHeldBack)
        #expect(receiving.count == 7)
    }

    @Test func aNewOneKnowsNothingOfTheLast() {
        var receiving = Receiving()
        receiving.count = 7
        receiving.end.isSalvagedInFull = true
        receiving.end.hasCloseNotify = true
        receiving = Receiving()
        #expect(receiving.count == 0)
        #expect(!receiving.end.isSalvagedInFull)
        #expect(receiving.end.hasCloseNotify == nil)
    }
}
