// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataNative

struct ReadSizeTests {
    @Test func shrinksWhileTheWorkTakesLongAndGrowsAgain() {
        var size = ReadSize()
        #expect(size.bytes == ReadSize.most)
        for _ in 0..<20 { size.adapt(took: 26, share: 100) }
        #expect(size.bytes == ReadSize.least)
        size.adapt(took: 25, share: 100)
        #expect(size.bytes == 2 * ReadSize.least)
        for _ in 0..<20 { size.adapt(took: 0, share: 100) }
        #expect(size.bytes == ReadSize.most)
    }
}
