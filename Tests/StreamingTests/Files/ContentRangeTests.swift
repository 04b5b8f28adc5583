// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataStreaming

struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-9/10", Int64?(0), Int64?(9), Int64?(10)), ("bytes 4-9/*", 4, 9, nil), ("BYTES 0-0/1", 0, 0, 1),
        ("bytes */10", nil, nil, 10),
    ])
    func reads(_ text: String, _ first: Int64?, _ last: Int64?, _ total: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.range?.lowerBound == first)
        #expect(range.range?.upperBound == last)
        #expect(range.total == total)
    }

    @Test(arguments: [
        nil, "", "bytes", "bytes 0-9", "bytes */*", "bytes 9-0/10", "bytes 0-10/10", "bytes -5/10", "bytes 5-/10",
        "items 0-9/10", "bytes 0-9/10/11", "bytes +0-9/10", "bytes 0-99999999999999999999/*", "bytes 0-9/ten",
    ])
    func refuses(_ text: String?) {
        #expect(ContentRange(text) == nil)
    }
}
