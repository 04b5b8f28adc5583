// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's random numbers, several at a time: on Linux each of `SystemRandomNumberGenerator` is a system call.
struct BufferedRandomNumberGenerator: RandomNumberGenerator {
    private var system = SystemRandomNumberGenerator()

    #if canImport(Glibc) || canImport(Musl)
    private var words: [UInt64] = []

    mutating func next() -> UInt64 {
        if words.isEmpty { refill() }
        return words.popLast() ?? system.next()
    }

    private mutating func refill() {
        // `getentropy` gives 256 bytes at most, and either all or none.
        words = [UInt64](unsafeUninitializedCapacity: 32) { buffer, count in
            let size = buffer.count * MemoryLayout<UInt64>.size
            count = buffer.baseAddress.map { getentropy($0, size) } == 0 ? buffer.count : 0
        }
    }
    #else
    mutating func next() -> UInt64 { system.next() }
    #endif
}
