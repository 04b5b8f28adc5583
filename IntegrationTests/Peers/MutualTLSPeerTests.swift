// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import Testing

/// Certificates of the client's (mutual TLS), against nginx, and against OpenSSL's own server.
@Suite(.peers(.nginx, .openssl))
struct MutualTLSPeerTests {
    @Test func provesWhoItIs() async throws {
        let nginx = try await Nginx.shared()
        let certificates = nginx.certificates
        let authority = try certificates.pem("authority.pem")
        let identities: [(certificate: String, key: String?, password: String?)] = [
            (certificates.path("client.pem"), certificates.path("client.key"), nil),
            (certificates.path("client.pem"), certificates.path("client-locked.key"), PeerCertificates.password),
            (certificates.path("client-both.pem"), nil, nil),
        ]
        for identity in identities {
            let seen = try await text(of: nginx.url(.mutual)) {
                $0.tls.trust = .pem(authority)
                $0.tls.clientCertificate = identity.certificate
                $0.tls.clientKey = identity.key
                $0.tls.clientKeyPassword = identity.password
            }
            #expect(seen.contains(" SUCCESS CN=client "))
        }
    }

    @Test func deliversTheAnswerOfAServerThatRefusesInHTTP() async throws {
        let nginx = try await Nginx.shared()
        let certificates = nginx.certificates
        let authority = try certificates.pem("authority.pem")
        for name in [nil, "client-of-stranger"] {
            try await withCurl({
                $0.tls.trust = .pem(authority)
                $0.tls.clientCertificate = name.map { certificates.path("\($0).pem") }
                $0.tls.clientKey = name.map { certificates.path("\($0).key") }
            }) { transport in
                expectEqual(try await transport.send(.get, nginx.url(.mutual)).head.status, 400)
            }
        }
    }

    @Test func failsBeforeItSendsWhenItsOwnFilesAreNoGood() async throws {
        let nginx = try await Nginx.shared()
        let certificates = nginx.certificates
        let authority = try certificates.pem("authority.pem")
        let identities: [(certificate: String, key: String, password: String?)] = [
            ("/nowhere/client.pem", certificates.path("client.key"), nil),
            (certificates.path("client.pem"), "/nowhere/client.key", nil),
            (certificates.path("client.pem"), certificates.path("valid.key"), nil),
            (certificates.path("client.pem"), certificates.path("client-locked.key"), "hunter2"),
        ]
        for identity in identities {
            let error = try await failure(of: nginx.url(.mutual)) {
                $0.tls.trust = .pem(authority)
                $0.tls.clientCertificate = identity.certificate
                $0.tls.clientKey = identity.key
                $0.tls.clientKeyPassword = identity.password
            }
            #expect(error.code == .tlsFailed)
            #expect(!error.description.contains("hunter2"))
        }
    }

    /// In TLS 1.3 the refusal comes after the client thinks that the handshake is over.
    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func saysThatTheServerWantsACertificate(_ version: String) async throws {
        let certificates = try PeerCertificates.shared.get()
        let openssl = try #require(PeerTool.openssl.path)
        let server = try await PeerProcess.start { ports in
            [
                openssl, "s_server", "-accept", "127.0.0.1:\(ports[0])", version, "-www", "-Verify", "1",
                "-verify_return_error",
                "-CAfile", certificates.path("authority.pem"), "-cert", certificates.path("valid.pem"),
                "-key", certificates.path("valid.key"),
            ]
        }
        defer { server.stop() }
        let url = "https://127.0.0.1:\(server.ports[0])/"
        let authority = try certificates.pem("authority.pem")
        let known = try await text(of: url) {
            $0.tls.trust = .pem(authority)
            $0.tls.clientCertificate = certificates.path("client.pem")
            $0.tls.clientKey = certificates.path("client.key")
        }
        #expect(known.contains("client"))
        for name in [nil, "client-of-stranger"] {
            let error = try await failure(of: url) {
                $0.tls.trust = .pem(authority)
                $0.tls.clientCertificate = name.map { certificates.path("\($0).pem") }
                $0.tls.clientKey = name.map { certificates.path("\($0).key") }
            }
            #expect(error.code == .tlsFailed, "\(error)")
            #expect(error.message.contains("alert"))
        }
    }
}
