// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct ByteRangeTests {
    @Test(arguments: [
        (nil, 0..<10), ("bytes=0-0", 0..<1), ("bytes=2-4", 2..<5), ("bytes=5-", 5..<10), ("bytes=-3", 7..<10),
        ("bytes=-30", 0..<10), ("bytes=8-99", 8..<10), ("Bytes=1-1", 1..<2),
        // A server may ignore what it does not know, and must ignore what is no range (RFC 9110 §14.2).
        ("lines=1-2", 0..<10), ("bytes=1-2,4-5", 0..<10), ("bytes=4-2", 0..<10), ("bytes=x-", 0..<10),
        ("bytes", 0..<10), ("bytes=+1-2", 0..<10), ("bytes=7-99999999999999999999", 7..<10),
        ("bytes=-99999999999999999999", 0..<10),
    ])
    func partsAreClipped(field: String?, expected: Range<Int>) {
        #expect(ByteRange.parse(field, total: 10) == expected)
    }

    @Test(arguments: ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999999999999-"])
    func partsBeyondTheEndAreRefused(field: String) {
        #expect(ByteRange.parse(field, total: 10) == nil)
    }
}
