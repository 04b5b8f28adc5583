// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The addresses of this computer that connections go out from.
struct LocalAddresses {
    private let addresses: [SocketAddress]

    /// - Parameter name: an address of this computer, or the name of an interface. What is neither has no addresses.
    init(_ name: String) {
        addresses = SocketAddress(name, port: 0).map { [$0] } ?? Self.ofInterface(name)
    }

    subscript(family: Int32) -> SocketAddress? { addresses.first { $0.family == family } }

    private static func ofInterface(_ name: String) -> [SocketAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [SocketAddress] = []
        var entry = list
        while let current = entry?.pointee {
            entry = current.ifa_next
            guard String(cString: current.ifa_name) == name, let address = current.ifa_addr else { continue }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            if let local = SocketAddress(String(decoding: bytes, as: UTF8.self), port: 0) { found.append(local) }
        }
        return found
    }
}
