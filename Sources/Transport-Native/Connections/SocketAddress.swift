// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An address that a socket can be connected to or bound to.
struct SocketAddress: Sendable {
    private var storage = sockaddr_storage()
    private let length: socklen_t
    /// As it stands in records, without a zone; `nil` for a Unix domain socket.
    let text: String?

    /// - Parameter text: an address of IPv4, or one of IPv6, perhaps with its zone behind `%`, or behind `%25` as in a URL
    ///   (RFC 6874): the name or the number of an interface of this computer.
    init?(_ text: String, port: UInt16) {
        let bare = text.prefix { $0 != "%" }
        let zone = text.dropFirst(bare.count)
        self.text = String(bare)
        var v4 = sockaddr_in()
        if inet_pton(AF_INET, text, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            #if canImport(Darwin)
            v4.sin_len = UInt8(length)
            #endif
            withUnsafeMutableBytes(of: &storage) { target in withUnsafeBytes(of: v4) { target.copyMemory(from: $0) } }
            return
        }
        var v6 = sockaddr_in6()
        guard inet_pton(AF_INET6, String(bare), &v6.sin6_addr) == 1 else { return nil }
        if !zone.isEmpty {
            guard let number = Self.interface(zone.hasPrefix("%25") ? zone.dropFirst(3) : zone.dropFirst()) else {
                return nil
            }
            v6.sin6_scope_id = number
        }
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        #if canImport(Darwin)
        v6.sin6_len = UInt8(length)
        #endif
        withUnsafeMutableBytes(of: &storage) { target in withUnsafeBytes(of: v6) { target.copyMemory(from: $0) } }
    }

    /// - Returns: `nil` for one that this computer does not have.
    private static func interface(_ zone: Substring) -> UInt32? {
        let number = if_nametoindex(String(zone))
        return number > 0 ? number : UInt32(zone)
    }

    /// A Unix domain socket; `nil` for a path that is empty, or longer than the system takes.
    init?(unixPath path: String) {
        text = nil
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        // With the NUL behind it.
        guard !bytes.isEmpty, bytes.count < capacity, !bytes.contains(0) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        #if canImport(Darwin)
        address.sun_len = UInt8(length)
        #endif
        withUnsafeMutableBytes(of: &storage) { target in withUnsafeBytes(of: address) { target.copyMemory(from: $0) } }
    }

    var family: Int32 { Int32(storage.ss_family) }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { start in
            start.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The addresses in the order in which they are tried: the families in turn, beginning with that of the first (RFC 8305 §4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first?.family else { return [] }
        let preferred = addresses.filter { $0.family == first }
        let others = addresses.filter { $0.family != first }
        var result: [SocketAddress] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { result.append(preferred[index]) }
            if index < others.count { result.append(others[index]) }
        }
        return result
    }
}

extension SocketAddress {
    static let v4 = AF_INET
    static let v6 = AF_INET6
}
