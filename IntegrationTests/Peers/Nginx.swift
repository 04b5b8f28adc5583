// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An nginx with a virtual server for each way in which TLS may go right or wrong.
struct Nginx {
    /// What a virtual server does, and how its port is found.
    enum Site: String, CaseIterable {
        case plain, valid, expired, notYetValid, wrongHost, selfSigned, unknownAuthority
        /// Wants a certificate of the client's.
        case mutual
        case onlyTLS11, onlyTLS12, onlyTLS13

        fileprivate var certificate: String? {
            switch self {
            case .plain: nil
            case .expired: "expired"
            case .notYetValid: "not-yet-valid"
            case .wrongHost: "wrong-host"
            case .selfSigned: "self-signed"
            case .unknownAuthority: "unknown-authority"
            case .valid, .mutual, .onlyTLS11, .onlyTLS12, .onlyTLS13: "valid"
            }
        }

        fileprivate var directives: String {
            switch self {
            case .plain: ""
            case .mutual: "ssl_client_certificate AUTHORITY; ssl_verify_client on;"
            // Forbidden by RFC 8996, and by OpenSSL's default level of security.
            case .onlyTLS11: "ssl_protocols TLSv1.1; ssl_ciphers ALL:@SECLEVEL=0;"
            case .onlyTLS12: "ssl_protocols TLSv1.2;"
            case .onlyTLS13: "ssl_protocols TLSv1.3;"
            default: "ssl_protocols TLSv1.2 TLSv1.3;"
            }
        }
    }

    let peer: PeerProcess
    let certificates: PeerCertificates

    /// One for all tests of the process.
    static func shared() async throws -> Nginx { try await start.value }

    private static let start = Task {
        let certificates = try PeerCertificates.shared.get()
        let peer = try await PeerProcess.start(.nginx, ports: Site.allCases.count) { folder, ports in
            let text = configuration(folder: folder.path, ports: ports, certificates)
            try Data(text.utf8).write(to: folder.appending(path: "nginx.conf"))
            return ["-p", folder.path, "-c", "nginx.conf", "-e", "error.log"]
        }
        return Nginx(peer: peer, certificates: certificates)
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
        try data.write(to: peer.folder.appending(path: name))
        return "/\(name)"
    }

    private static func configuration(
        folder: String, ports: [Int], _ certificates: PeerCertificates
    ) -> String {
        let addresses = ["127.0.0.1"] + (LoopbackPort.hasIPv6 ? ["[::1]"] : [])
        let servers = zip(Site.allCases, ports).map { site, port in
            let tls = site.certificate.map { name in
                """
                ssl_certificate \(certificates.path("\(name).pem"));
                ssl_certificate_key \(certificates.path("\(name).key"));
                """
            }
            var listen = addresses.map { "listen \($0):\(port)\(tls == nil ? "" : " ssl http2");" }
            if site == .plain { listen.append("listen unix:\(folder)/socket;") }
            return """
                server {
                    \(listen.joined(separator: " "))
                    \(tls ?? "")
                    \(site.directives.replacingOccurrences(of: "AUTHORITY", with: certificates.path("authority.pem")))
                    default_type text/plain;
                    root \(folder);
                    location = /seen {
                        return 200 "$server_protocol $ssl_protocol $ssl_client_verify $ssl_client_s_dn $http_host $http_proxy_authorization";
                    }
                    location = /address { return 200 $remote_addr; }
                    # Answers when the body has come whole, where a mere return would not wait for it.
                    location = /length { proxy_pass http://127.0.0.1:\(ports[0])/counted; }
                    location = /counted { return 200 $content_length; }
                }
                """
        }
        let scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: " ")
        return """
            daemon off;
            master_process off;
            pid nginx.pid;
            events {}
            http {
                access_log off;
                client_max_body_size 0;
                \(scratch)
                \(servers.joined(separator: "\n"))
            }
            """
    }
}
