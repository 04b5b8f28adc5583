// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension UInt8 {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let recordSeparator: UInt8 = 0x1E
    static let space: UInt8 = 0x20
    static let colon: UInt8 = 0x3A
}

extension UnsafeRawBufferPointer {
    /// The first place at or after `start` that holds `byte`; ``count`` where there is none.
    @inline(__always)
    func firstIndex(of byte: UInt8, from start: Int) -> Int {
        guard let base = baseAddress, start < count else { return count }
        guard let found = memchr(base + start, Int32(byte), count - start) else { return count }
        return UnsafeRawPointer(found) - base
    }

    /// Whether the buffer begins with `text`.
    @inline(__always)
    func starts(with text: StaticString) -> Bool {
        guard let base = baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(base, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Whether the bytes are the same.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
        return memcmp(base, otherBase, count) == 0
    }

    /// The bytes of `range`, which lies in the buffer.
    @inline(__always)
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// The bytes from `start` on.
    @inline(__always)
    func dropping(_ start: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[Swift.min(start, count)...])
    }

    /// The bytes as text, broken UTF-8 replaced (WHATWG Encoding §8.1.1: one U+FFFD per maximal subpart).
    @inline(__always)
    var text: String { String(decoding: self, as: UTF8.self) }
}
