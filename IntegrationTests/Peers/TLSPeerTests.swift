// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataURLSession
import Testing

/// TLS against nginx, with certificates made for the run.
@Suite(.peers(.nginx, .openssl))
struct TLSPeerTests {
    @Test func trustsTheAuthorityThatItIsGiven() async throws {
        let nginx = try await Nginx.shared()
        let authority = try nginx.certificates.pem("authority.pem")
        let path = nginx.certificates.path("authority.pem")
        for trust in [CurlTransport.TLS.Trust.pem(authority), .file(path)] {
            for name in ["localhost", "127.0.0.1"] {
                let seen = try await text(of: nginx.url(.valid, host: name)) {
                    $0.tls.trust = trust
                    $0.addressFamily = .ipv4
                }
                #expect(seen.hasPrefix("HTTP/2.0 TLSv1.3 "))
            }
        }
    }

    /// What is wrong, and the words that say so.
    private static let refusals: [(site: Nginx.Site, reason: String)] = [
        (.expired, "expired"), (.notYetValid, "not yet valid"), (.wrongHost, "match"),
        (.selfSigned, "self-signed"), (.unknownAuthority, "local issuer"),
    ]

    @Test(arguments: refusals)
    func saysWhyItRefusesACertificate(_ site: Nginx.Site, _ reason: String) async throws {
        let nginx = try await Nginx.shared()
        let authority = try nginx.certificates.pem("authority.pem")
        let error = try await failure(of: nginx.url(site) + "?token=hunter2") { $0.tls.trust = .pem(authority) }
        #expect(error.code == .tlsFailed)
        // Older versions of OpenSSL write it without the hyphen.
        #expect(error.message.replacing("self signed", with: "self-signed").contains(reason))
        #expect(!error.description.contains("hunter2"))
    }

    @Test func trustsNobodyWithoutTheAuthority() async throws {
        let nginx = try await Nginx.shared()
        for trust in [CurlTransport.TLS.Trust.system, .pem(Data()), .pem(Data("no certificate".utf8))] {
            let error = try await failure(of: nginx.url(.valid)) { $0.tls.trust = trust }
            #expect(error.code == .tlsFailed)
        }
        let error = try await failure(of: nginx.url(.valid)) { $0.tls.trust = .file("/nowhere/authority.pem") }
        #expect(error.code == .tlsFailed)
        #expect(error.message.contains("/nowhere/authority.pem"))
    }

    @Test(arguments: refusals.map(\.site))
    func talksToAnybodyWhenVerificationIsSwitchedOffByName(_ site: Nginx.Site) async throws {
        let nginx = try await Nginx.shared()
        let seen = try await text(of: nginx.url(site)) { $0.tls.dangerouslySkipsVerification = true }
        #expect(seen.hasPrefix("HTTP/2.0 TLSv1.3 "))
        try await withCurl({ $0.tls.dangerouslySkipsVerification = true }) { transport in
            #expect(transport.capabilities.remarks.contains { $0.contains("dangerouslySkipsVerification") })
        }
    }

    // MARK: - Versions

    @Test func keepsToTheMinimumVersion() async throws {
        let nginx = try await Nginx.shared()
        let authority = try nginx.certificates.pem("authority.pem")
        func seen(_ site: Nginx.Site, _ minimum: CurlTransport.TLS.Version) async throws -> String {
            try await text(of: nginx.url(site)) {
                $0.tls.trust = .pem(authority)
                $0.tls.minimumVersion = minimum
            }
        }
        expectEqual(try await seen(.onlyTLS12, .v1_2).contains(" TLSv1.2 "), true)
        expectEqual(try await seen(.onlyTLS13, .v1_2).contains(" TLSv1.3 "), true)
        expectEqual(try await seen(.onlyTLS13, .v1_3).contains(" TLSv1.3 "), true)
        let error = try await failure(of: nginx.url(.onlyTLS12)) {
            $0.tls.trust = .pem(authority)
            $0.tls.minimumVersion = .v1_3
        }
        #expect(error.code == .tlsFailed)
        #expect(error.message.contains("version"))
    }

    @Test func refusesWhatIsForbiddenUnlessToldOtherwise() async throws {
        let nginx = try await Nginx.shared()
        let authority = try nginx.certificates.pem("authority.pem")
        let error = try await failure(of: nginx.url(.onlyTLS11)) { $0.tls.trust = .pem(authority) }
        #expect(error.code == .tlsFailed)
        #expect(error.message.contains("version") || error.message.contains("protocol"))
    }

    /// Tickets come behind the handshake (RFC 8446 §4.6.1), and are nothing that nobody asked for.
    @Test(arguments: [Nginx.Site.onlyTLS12, .onlyTLS13])
    func usesAConnectionAgain(_ site: Nginx.Site) async throws {
        let nginx = try await Nginx.shared()
        let authority = try nginx.certificates.pem("authority.pem")
        let paths = ["/seen", "/seen", try nginx.publish(Data(count: 300_000)), "/nowhere", "/seen"]
        try await withCurl({ $0.tls.trust = .pem(authority) }) { transport in
            for (number, path) in paths.enumerated() {
                let response = try await transport.send(.get, nginx.url(site, path)) { $0.httpVersion = .http1 }
                _ = try await response.body.collect()
                #expect(response.metrics?.httpVersion == "HTTP/1.1")
                #expect(response.metrics?.isConnectionReused == (number > 0))
            }
        }
    }

    // MARK: - Pins

    @Test func keepsToThePinnedKeys() async throws {
        let nginx = try await Nginx.shared()
        let certificates = nginx.certificates
        let authority = try certificates.pem("authority.pem")
        let (right, wrong) = (try certificates.pin(of: "valid"), try certificates.pin(of: "expired"))
        for pins in [[right], [wrong, right], ["sha256//" + right]] {
            let seen = try await text(of: nginx.url(.valid)) {
                $0.tls.trust = .pem(authority)
                $0.tls.pinnedPublicKeys = pins
            }
            #expect(seen.contains("TLSv1.3"))
        }
        // Also with verification off, for what is pinned is checked apart.
        for skips in [false, true] {
            let error = try await failure(of: nginx.url(.valid)) {
                $0.tls.trust = .pem(authority)
                $0.tls.pinnedPublicKeys = [wrong]
                $0.tls.dangerouslySkipsVerification = skips
            }
            #expect(error.code == .tlsFailed)
            #expect(error.message.contains("pinned"))
        }
        // A pin stands beside verification, not in its place.
        let error = try await failure(of: nginx.url(.expired)) {
            $0.tls.trust = .pem(authority)
            $0.tls.pinnedPublicKeys = [wrong]
        }
        #expect(error.message.contains("expired"))
    }

    // MARK: - URLSession

    @Test(arguments: refusals.map(\.site) + [.valid])
    func urlSessionRefusesWhomTheSystemDoesNotTrust(_ site: Nginx.Site) async throws {
        let nginx = try await Nginx.shared()
        let transport = URLSessionTransport()
        #expect(!transport.capabilities.features.contains(.customTrust))
        #expect(!transport.capabilities.features.contains(.clientCertificates))
        #expect(!transport.capabilities.features.contains(.publicKeyPinning))
        let request = try TransportRequest(url: nginx.url(site) + "?token=hunter2")
        let error = await #expect(throws: NetworkClientError.self) { try await transport.send(request) }
        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("certificate") == true)
        #expect(error.map { "\($0) \(String(describing: $0.cause))".contains("hunter2") } == false)
        await transport.shutdown()
    }
}
