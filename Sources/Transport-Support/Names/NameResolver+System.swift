// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension NameResolver {
    /// One that asks the system for addresses of this family.
    package convenience init(family: AddressFamily) {
        self.init { Self.addresses(of: $0, family) }
    }

    /// In the order in which the system would have them tried (RFC 6724).
    private static func addresses(
        of name: String, _ family: AddressFamily
    ) -> Result<[String], LookupFailure> {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_family =
            switch family {
            case .any: AF_UNSPEC
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            }
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(name, nil, &hints, &list)
        guard status == 0 else { return .failure(LookupFailure(reason: String(cString: gai_strerror(status)))) }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var entry = list
        while let current = entry?.pointee {
            if let text = numericHost(current), !addresses.contains(text) { addresses.append(text) }
            entry = current.ai_next
        }
        return addresses.isEmpty ? .failure(LookupFailure(reason: "it has no usable address")) : .success(addresses)
    }

    /// Without those that need a zone, which an address in text cannot have.
    private static func numericHost(_ entry: addrinfo) -> String? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return address.contains("%") ? nil : address
    }
}
