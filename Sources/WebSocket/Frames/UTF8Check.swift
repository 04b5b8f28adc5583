// SPDX-License-Identifier: Apache-2.0

/// Whether bytes are UTF-8 (RFC 3629 §4), found out piece by piece: the first byte that cannot be right is noticed when it comes.
struct UTF8Check {
    /// How many bytes the character that has begun still needs.
    private var missing = 0
    /// What the next of them may be: the second one of some characters has less choice.
    private var allowed: ClosedRange<UInt8> = 0x80...0xbf

    /// Whether the text may end here.
    var isComplete: Bool { missing == 0 }

    /// - Returns: `false` when the bytes cannot go on what came before.
    mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            if missing == 0 {
                while index + 8 <= count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                guard index < count else { return true }
                let byte = bytes[index]
                index += 1
                if byte < 0x80 { continue }
                guard begins(byte) else { return false }
            } else {
                guard allowed.contains(bytes[index]) else { return false }
                allowed = 0x80...0xbf
                missing -= 1
                index += 1
            }
        }
        return true
    }

    private mutating func begins(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xc2...0xdf: missing = 1
        case 0xe0...0xef: missing = 2
        case 0xf0...0xf4: missing = 3
        default: return false
        }
        switch byte {
        case 0xe0: allowed = 0xa0...0xbf
        case 0xed: allowed = 0x80...0x9f
        case 0xf0: allowed = 0x90...0xbf
        case 0xf4: allowed = 0x80...0x8f
        default: allowed = 0x80...0xbf
        }
        return true
    }
}
