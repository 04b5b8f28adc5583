// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An address of IPv4 or IPv6, as bytes in the order of the network.
package struct IPAddress: Hashable, Sendable {
    package let bytes: [UInt8]

    /// - Parameter text: with or without the brackets that an IPv6 address has in a URL, and without its zone or with it.
    package init?(_ text: some StringProtocol) {
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
        var storage = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, inner, &storage) == 1 {
            bytes = Array(storage.prefix(4))
            return
        }
        let address = inner.prefix { $0 != "%" }
        guard inet_pton(AF_INET6, String(address), &storage) == 1 else { return nil }
        // The same host, whichever way it is written (RFC 4291 §2.5.5.2).
        let isMapped = storage.prefix(10).allSatisfy { $0 == 0 } && storage[10] == 0xff && storage[11] == 0xff
        bytes = isMapped ? Array(storage.suffix(4)) : storage
    }

    /// How many bits it has.
    var bits: Int { bytes.count * 8 }

    /// - Parameter bits: how many of the first bits are the network's.
    func isIn(_ network: IPAddress, bits: Int) -> Bool {
        guard bytes.count == network.bytes.count else { return false }
        let whole = bits / 8
        guard bytes.prefix(whole) == network.bytes.prefix(whole) else { return false }
        let rest = bits % 8
        return rest == 0 || (bytes[whole] ^ network.bytes[whole]) >> (8 - rest) == 0
    }
}
