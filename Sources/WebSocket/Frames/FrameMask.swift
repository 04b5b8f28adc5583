// SPDX-License-Identifier: Apache-2.0

/// The key by which the payload of a frame is masked (RFC 6455 §5.3).
package struct FrameMask: Hashable, Sendable {
    package let bytes: [UInt8]

    /// - Parameter bytes: four.
    package init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    /// A key that nobody can foresee (RFC 6455 §10.3), of the system's random numbers.
    package static func random() -> FrameMask {
        let number = UInt32.random(in: .min ... .max)
        return FrameMask((0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    /// Masks, or takes the mask off.
    ///
    /// - Parameter offset: where in the frame's payload the bytes begin.
    package func apply(to payload: UnsafeMutableRawBufferPointer, at offset: Int = 0) {
        let key = (0..<8).map { bytes[(offset + $0) & 3] }
        let word = key.withUnsafeBytes { $0.load(as: UInt64.self) }
        var index = 0
        while index + 8 <= payload.count {
            let masked = payload.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
            payload.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < payload.count {
            payload[index] ^= key[index & 7]
            index += 1
        }
    }
}
