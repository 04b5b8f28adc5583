// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Identifiers without meaning.
@usableFromInline
enum RandomIdentifier {
    private static let generator = Mutex(BufferedRandomNumberGenerator())

    /// A random UUID, version 4 (RFC 9562 §5.4), as text in upper case, as Foundation writes it.
    @usableFromInline
    static func uuid() -> String {
        let random = generator.withLock { (high: $0.next(), low: $0.next()) }
        let high = random.high & ~0xf000 | 0x4000
        let low = random.low & ~(0b11 << 62) | 0b10 << 62
        return String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for shift in stride(from: 60, through: -64, by: -4) {
                if end == 8 || end == 13 || end == 18 || end == 23 {
                    text[end] = UInt8(ascii: "-")
                    end += 1
                }
                let digit = UInt8(truncatingIfNeeded: (shift < 0 ? low >> (shift + 64) : high >> shift) & 15)
                text[end] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
                end += 1
            }
            return end
        }
    }
}
