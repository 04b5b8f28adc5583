// SPDX-License-Identifier: Apache-2.0

package import StrataCore

/// Where a host name leads, whatever the resolver says.
public struct AddressOverride: Hashable, Sendable {
    /// As in URLs, but no IPv6 address; `*` for every host.
    public var host: String
    public var port: Int
    /// IPv4 or IPv6, without brackets; tried in order.
    public var addresses: [String]

    public init(host: String, port: Int, addresses: [String]) {
        self.host = host
        self.port = port
        self.addresses = addresses
    }
}

extension AddressOverride {
    /// With its host in the form that requests have.
    ///
    /// - Throws: ``NetworkClientError`` with `malformedURL`.
    package func checked() throws(NetworkClientError) -> AddressOverride {
        guard (1...65535).contains(port), !addresses.isEmpty, addresses.allSatisfy(Self.isAddress),
            let host = host == "*" ? "*" : Self.canonicalHost(host), !host.contains(":")
        else { throw Self.malformed }
        return AddressOverride(host: host, port: port, addresses: addresses)
    }

    package static let malformed = NetworkClientError(
        .malformedURL, "an address override needs a host name, a port and at least one address of IPv4 or IPv6")

    /// The canonical form of what is a host and nothing else.
    private static func canonicalHost(_ text: String) -> String? {
        let parts = try? URLAuthority(text)
        return parts?.userinfo == nil && parts?.port == nil ? parts?.host : nil
    }

    private static func isAddress(_ text: String) -> Bool {
        if text.contains(":") { return canonicalHost("[\(text)]") != nil }
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        // No signs and no leading zeros, which not everyone reads in the same way.
        return numbers.count == 4 && numbers.allSatisfy { "\(UInt8($0) ?? 0)" == $0 }
    }
}
