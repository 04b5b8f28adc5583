// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct BrotliStoreTests {
    /// Both were read back by the reference decoder.
    @Test func streamsAreThoseOfTheFormat() {
        #expect(BrotliStore.encode([]) == [0x06])
        #expect(BrotliStore.encode([0x61]) == [0x00, 0x00, 0x10, 0x61, 0x03])
    }

    @Test(arguments: [(65535, 1), (65536, 1), (65537, 2), (200_000, 4)])
    func contentIsStoredInBlocksOf64KiB(count: Int, blocks: Int) {
        let content = SeededBytes.fixed(count)
        let encoded = BrotliStore.encode(content)
        // Three bytes before each block, the bit that begins the stream among them, and one at the end.
        #expect(encoded.count == count + 3 * blocks + 1)
        #expect(Array(encoded.dropFirst(3).prefix(min(count, 65536))) == Array(content.prefix(65536)))
        #expect(encoded.last == 0x03)
    }
}

extension SeededBytes {
    static func fixed(_ count: Int) -> [UInt8] {
        var bytes = SeededBytes(seed: 1)
        return bytes.next(count)
    }
}
