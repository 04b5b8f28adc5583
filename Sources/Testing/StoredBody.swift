// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Bodies that tell by themselves whether they are whole and the right ones: what a path is answered with.
package enum StoredBody {
    /// From nothing to 200 KB, most of them small.
    package static func make(for path: String) -> Data {
        let seed = path.utf8.reduce(into: UInt64(7)) { $0 = $0 &* 31 &+ UInt64($1) }
        var generator = SeededGenerator(seed: seed)
        let size = Int(generator.next() % 4 == 0 ? generator.next() % 200_000 : generator.next() % 5000)
        return bytes(size, from: &generator)
    }

    package static func bytes(_ size: Int, seed: UInt64) -> Data {
        var generator = SeededGenerator(seed: seed)
        return bytes(size, from: &generator)
    }

    private static func bytes(_ size: Int, from generator: inout SeededGenerator) -> Data {
        var data = Data(capacity: size + 8)
        while data.count < size { withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) } }
        return data.prefix(size)
    }
}
