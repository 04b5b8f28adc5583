// SPDX-License-Identifier: Apache-2.0

/// Bytes that are to be sent, in memory that is used again.
struct ByteBuffer: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 1024) {
        self.capacity = max(64, capacity)
        memory = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// Valid until something is appended.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// - Parameter capacity: more memory than that is given back.
    mutating func removeAll(keeping capacity: Int = 64 * 1024) {
        count = 0
        guard self.capacity > capacity else { return }
        memory.deallocate()
        self.capacity = capacity
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (memory + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(number: UInt64, radix: UInt64) {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var (rest, start) = (number, digits.count)
            repeat {
                start -= 1
                let digit = UInt8(rest % radix)
                digits[start] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                rest /= radix
            } while rest > 0
            append(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }

    private mutating func reserve(_ more: Int) {
        guard capacity - count < more else { return }
        let larger = max(count + more, capacity * 2)
        let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        new.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        (memory, capacity) = (new, larger)
    }
}
