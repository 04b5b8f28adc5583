// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct BatchTests {
    @Test func countsTheBatches() {
        var batch = Batch()
        batch.begin()
        batch.begin()
        #expect(batch.number == 2)
    }

    @Test func takesThoseThatYieldOnce() {
        var batch = Batch()
        batch.yielding = [3, 5]
        let first = batch.takeYielding()
        #expect(first == [3, 5])
        batch.yielding.append(7)
        let second = batch.takeYielding()
        #expect(second == [7])
        #expect(batch.yielding.isEmpty)
    }
}
