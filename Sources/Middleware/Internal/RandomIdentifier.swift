// SPDX-License-Identifier: Apache-2.0

/// Identifiers without meaning.
@usableFromInline
enum RandomIdentifier {
    /// A random UUID, version 4 (RFC 9562 §5.4), as text in upper case, as Foundation writes it.
    @usableFromInline
    static func uuid() -> String {
        var generator = SystemRandomNumberGenerator()
        let high = generator.next() & ~0xf000 | 0x4000
        let low = generator.next() & ~(0b11 << 62) | 0b10 << 62
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
