// SPDX-License-Identifier: Apache-2.0

extension UnsafeRawBufferPointer {
    /// Eight bytes at a time.
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else { return elementsEqual(other) }
        var offset = 0
        while offset < count {
            // The last eight may overlap those before.
            let start = Swift.min(offset, count - 8)
            guard
                loadUnaligned(fromByteOffset: start, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            else { return false }
            offset += 8
        }
        return true
    }
}
