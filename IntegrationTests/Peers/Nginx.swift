// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An nginx with a virtual server for each way in which TLS may go right or wrong.
struct Nginx {
    /// What a virtual server does, in the order of `nginx.conf`.
    enum Site: String, CaseIterable {
        case plain, valid, expired, notYetValid, wrongHost, selfSigned, unknownAuthority
        /// Wants a certificate of the client's.
        case mutual
        case onlyTLS11, onlyTLS12, onlyTLS13
    }

    let peer: Peer
    let certificates: PeerCertificates

    /// One for all tests of the process.
    static func shared() async throws -> Nginx { try await start.value }

    private static let start = Task {
        Nginx(
            peer: try await Peer.shared(.nginx, ports: Site.allCases.count),
            certificates: try PeerCertificates.shared.get())
    }

    func port(_ site: Site) -> Int { peer.ports[Site.allCases.firstIndex(of: site) ?? 0] }

    /// - Parameter host: how it is called: `127.0.0.1` (default), `localhost`, `[::1]`, or a name that is no secret to the
    ///   client alone.
    func url(_ site: Site, _ path: String = "/seen", host: String = "127.0.0.1") -> String {
        "\(site == .plain ? "http" : "https")://\(host):\(port(site))\(path)"
    }

    /// Where the plain server listens, too.
    var socketPath: String { peer.folder.appending(path: "socket").path }

    /// A file for the server to serve, at this path.
    func publish(_ data: Data, as name: String = UUID().uuidString) throws -> String {
        try data.write(to: peer.folder.appending(path: "files/\(name)"))
        return "/files/\(name)"
    }
}
