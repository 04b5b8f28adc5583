// SPDX-License-Identifier: Apache-2.0

/// Proxies from Debian's packages, each with the same credentials. One of each for all tests of the process.
enum ProxyPeers {
    static let user = "aladdin"
    static let password = "open-sesame"

    /// HTTP and `CONNECT`, with Basic credentials.
    static func tinyproxy() async throws -> Peer { try await startTinyproxy.value }

    /// The same; the second port speaks TLS.
    static func squid() async throws -> Peer { try await startSquid.value }

    /// HTTP and `CONNECT`, with digests.
    static func squidWithDigest() async throws -> Peer { try await startSquidWithDigest.value }

    /// SOCKS5, with a user name and a password (RFC 1929).
    static func microsocks() async throws -> Peer { try await startMicrosocks.value }

    private static let startTinyproxy = Task { try await Peer.shared(.tinyproxy) }
    private static let startSquid = Task { try await Peer.shared(.squid, ports: 2) }
    private static let startSquidWithDigest = Task { try await Peer.started("squid-digest") }
    private static let startMicrosocks = Task { try await Peer.shared(.microsocks) }
}
