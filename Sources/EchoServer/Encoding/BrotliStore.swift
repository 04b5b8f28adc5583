// SPDX-License-Identifier: Apache-2.0

/// A Brotli stream (RFC 7932) that stores its content: legal, and readable by every decoder, but not smaller.
enum BrotliStore {
    static func encode(_ content: [UInt8]) -> [UInt8] {
        var bits = BitWriter()
        // WBITS = 16 (§9.1).
        bits.write(0, count: 1)
        var rest = content[...]
        while !rest.isEmpty {
            let block = rest.prefix(1 << 16)
            // ISLAST = 0, MNIBBLES = 4, MLEN - 1, ISUNCOMPRESSED = 1, then zero bits to the byte's end (§9.2).
            bits.write(0, count: 1)
            bits.write(0, count: 2)
            bits.write(UInt32(block.count - 1), count: 16)
            bits.write(1, count: 1)
            bits.append(block)
            rest = rest.dropFirst(block.count)
        }
        // ISLAST = 1, ISLASTEMPTY = 1.
        bits.write(0b11, count: 2)
        return bits.finish()
    }

    /// Packs bits into bytes, the first into the lowest place.
    private struct BitWriter {
        private var bytes: [UInt8] = []
        private var pending: UInt32 = 0
        private var pendingCount = 0

        mutating func write(_ value: UInt32, count: Int) {
            pending |= value << UInt32(pendingCount)
            pendingCount += count
            while pendingCount >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: pending))
                pending >>= 8
                pendingCount -= 8
            }
        }

        mutating func append(_ content: ArraySlice<UInt8>) {
            align()
            bytes += content
        }

        mutating func finish() -> [UInt8] {
            align()
            return bytes
        }

        private mutating func align() {
            guard pendingCount > 0 else { return }
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending = 0
            pendingCount = 0
        }
    }
}
