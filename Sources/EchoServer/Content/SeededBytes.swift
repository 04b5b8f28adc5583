// SPDX-License-Identifier: Apache-2.0

/// Bytes that look random, the same for the same seed (SplitMix64). Not those of httpbin, which are Python's.
struct SeededBytes {
    private var state: UInt64

    /// - Parameter seed: `nil` draws one.
    init(seed: Int?) {
        state = seed.map { UInt64(bitPattern: Int64($0)) } ?? .random(in: .min ... .max)
    }

    mutating func next(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            withUnsafeBytes(of: nextWord().littleEndian) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }

    private mutating func nextWord() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
