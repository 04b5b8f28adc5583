// SPDX-License-Identifier: Apache-2.0

import Foundation

/// FIPS 180-4 §6.2, for comparing texts with the hashes of the fixtures.
enum SHA256 {
    static func hexDigest(of data: Data) -> String {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        var message = [UInt8](data) + [0x80]
        while message.count % 64 != 56 { message.append(0) }
        message += withUnsafeBytes(of: UInt64(data.count * 8).bigEndian) { Array($0) }
        for block in stride(from: 0, to: message.count, by: 64) {
            var words = (0..<16).map { index in
                message[(block + index * 4)..<(block + index * 4 + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            for index in 16..<64 {
                let (early, late) = (words[index - 15], words[index - 2])
                let first = rotated(early, 7) ^ rotated(early, 18) ^ (early >> 3)
                let second = rotated(late, 17) ^ rotated(late, 19) ^ (late >> 10)
                words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            for index in 0..<64 {
                let choice = (e & f) ^ (~e & g)
                let upper = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
                let first = h &+ upper &+ choice &+ constants[index] &+ words[index]
                let majority = (a & b) ^ (a & c) ^ (b & c)
                let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
                (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
            }
            state = zip(state, [a, b, c, d, e, f, g, h]).map { $0 &+ $1 }
        }
        return state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// The fractions of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { prime in
            let root = Foundation.cbrt(Double(prime))
            return UInt32((root - root.rounded(.down)) * 4_294_967_296)
        }
    }()
}
