// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Proxies from Debian's packages, each with the same credentials. One of each for all tests of the process.
enum ProxyPeers {
    static let user = "aladdin"
    static let password = "open-sesame"

    /// HTTP and `CONNECT`, with Basic credentials.
    static func tinyproxy() async throws -> PeerProcess { try await startTinyproxy.value }

    /// The same; the second port speaks TLS.
    static func squid() async throws -> PeerProcess { try await startSquid.value }

    /// SOCKS5, with a user name and a password (RFC 1929).
    static func microsocks() async throws -> PeerProcess { try await startMicrosocks.value }

    private static let startTinyproxy = Task {
        try await PeerProcess.start(.tinyproxy) { folder, ports in
            let text = """
                Port \(ports[0])
                Listen 127.0.0.1
                Timeout 20
                MaxClients 50
                BasicAuth \(user) \(password)
                ViaProxyName "strata-peer"

                """
            try Data(text.utf8).write(to: folder.appending(path: "tinyproxy.conf"))
            return ["-d", "-c", "tinyproxy.conf"]
        }
    }

    private static let startSquid = Task {
        let certificates = try PeerCertificates.shared.get()
        return try await PeerProcess.start(.squid, ports: 2) { folder, ports in
            let helper = ["/usr/lib/squid", "/usr/lib64/squid", "/usr/libexec/squid"].map { "\($0)/basic_ncsa_auth" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
            // crypt(3) of the password, so that no other tool is needed to make it.
            let hash = "$1$strata$ZSVBVccaGx9lcwbpoJJZW/"
            try Data("\(user):\(hash)\n".utf8).write(to: folder.appending(path: "users"))
            let text = """
                http_port 127.0.0.1:\(ports[0])
                https_port 127.0.0.1:\(ports[1]) tls-cert=\(certificates.path("valid.pem")) \
                tls-key=\(certificates.path("valid.key"))
                auth_param basic program \(helper ?? "basic_ncsa_auth") \(folder.path)/users
                auth_param basic children 1
                acl known proxy_auth REQUIRED
                http_access allow known
                http_access deny all
                cache deny all
                access_log none
                cache_log \(folder.path)/cache.log
                pid_filename none
                coredump_dir none
                netdb_filename none
                shutdown_lifetime 0
                via on

                """
            try Data(text.utf8).write(to: folder.appending(path: "squid.conf"))
            // It goes on as another user when it is started by root.
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
            return ["-N", "-f", "\(folder.path)/squid.conf"]
        }
    }

    private static let startMicrosocks = Task {
        try await PeerProcess.start(.microsocks) { _, ports in
            ["-i", "127.0.0.1", "-p", String(ports[0]), "-u", user, "-P", password]
        }
    }
}
