// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The hosts that are reached without a proxy: what `no_proxy` and `ProxyPolicy.url(_:user:password:except:)` name.
///
/// There is no standard for the list. This is what curl, Go, .NET and Python agree on, with the forms that only some of them
/// know; libcurl's own reading (7.88) knows neither `*.` nor ports.
struct ProxyExceptions: Hashable, Sendable {
    private enum Pattern: Hashable, Sendable {
        case everything
        case network(IPAddress, bits: Int)
        /// In lower case, without dots at its ends.
        case domain(Substring, includesItself: Bool)
    }

    private struct Entry: Hashable, Sendable {
        let pattern: Pattern
        /// `nil`: every port.
        let port: Int?
    }

    private let entries: [Entry]

    /// - Parameter list: entries separated by commas or blanks. One that cannot be read is passed over.
    init(_ list: String) {
        entries = list.split { $0 == "," || $0.isWhitespace }.compactMap(Self.entry)
    }

    var isEmpty: Bool { entries.isEmpty }

    /// - Parameter authority: of a request: the host in canonical form, and perhaps a port.
    func contain(authority: String, isSecure: Bool) -> Bool {
        guard let parts = try? URLAuthority(authority) else { return false }
        let port = parts.port ?? (isSecure ? 443 : 80)
        let name = parts.host.hasSuffix(".") ? parts.host.dropLast() : parts.host[...]
        let address = IPAddress(name)
        return entries.contains { entry in
            (entry.port == nil || entry.port == port) && Self.matches(entry.pattern, name, address)
        }
    }

    private static func matches(_ pattern: Pattern, _ name: Substring, _ address: IPAddress?) -> Bool {
        switch pattern {
        case .everything: return true
        case .network(let network, let bits): return address?.isIn(network, bits: bits) == true
        case .domain(let domain, let includesItself):
            // An address is no name below another.
            guard address == nil else { return false }
            if name == domain { return includesItself }
            return name.hasSuffix(domain) && name.dropLast(domain.count).last == "."
        }
    }

    private static func entry(_ text: Substring) -> Entry? {
        if text == "*" { return Entry(pattern: .everything, port: nil) }
        if let address = IPAddress(text) {
            return Entry(pattern: .network(address, bits: address.bits), port: nil)
        }
        if let slash = text.firstIndex(of: "/") {
            guard let address = IPAddress(text[..<slash]), let bits = Int(text[text.index(after: slash)...]),
                (0...address.bits).contains(bits)
            else { return nil }
            return Entry(pattern: .network(address, bits: bits), port: nil)
        }
        // `*.corp.example` is what is below the domain; a leading dot alone means the domain too, as in curl and .NET.
        let isBelow = text.hasPrefix("*.")
        let rest = text.drop { isBelow && $0 == "*" || $0 == "." }
        guard let parts = try? URLAuthority(String(rest)) else { return nil }
        let host = parts.host.hasSuffix(".") ? parts.host.dropLast() : parts.host[...]
        if let address = IPAddress(host) {
            return Entry(pattern: .network(address, bits: address.bits), port: parts.port)
        }
        return Entry(pattern: .domain(host, includesItself: !isBelow), port: parts.port)
    }
}
