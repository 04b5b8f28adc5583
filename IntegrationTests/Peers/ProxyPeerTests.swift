// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataNative
import StrataTesting
import Testing

/// Proxies that others wrote, in front of nginx.
@Suite(.peers(.nginx, .openssl, .tinyproxy, .squid, .microsocks))
struct ProxyPeerTests {
    enum Kind: String, CaseIterable {
        case tinyproxy, squid, squidOverTLS, socks5, socks5h

        func url() async throws -> String {
            switch self {
            case .tinyproxy: "http://127.0.0.1:\(try await ProxyPeers.tinyproxy().ports[0])"
            case .squid: "http://127.0.0.1:\(try await ProxyPeers.squid().ports[0])"
            case .squidOverTLS: "https://127.0.0.1:\(try await ProxyPeers.squid().ports[1])"
            case .socks5, .socks5h: "\(rawValue)://127.0.0.1:\(try await ProxyPeers.microsocks().ports[0])"
            }
        }

        var isHTTP: Bool { self != .socks5 && self != .socks5h }
    }

    private func configure(
        _ kind: Kind, user: String? = ProxyPeers.user, password: String? = ProxyPeers.password,
        except: [String] = []
    ) async throws -> (inout OwnTransport.Configuration) -> Void {
        let url = try await kind.url()
        let authority = try PeerCertificates.shared.get().pem("authority.pem")
        return {
            $0.proxy = .url(url, user: user, password: password, except: except)
            $0.tls.trust = .pem(authority)
            $0.proxyTLS.trust = .pem(authority)
        }
    }

    @Test(arguments: Kind.allCases, OwnTransport.allCases)
    func asksForPlainResources(_ kind: Kind, _ own: OwnTransport) async throws {
        let nginx = try await Nginx.shared()
        try await own.with(try await configure(kind)) { transport in
            for _ in 0..<3 {
                let response = try await transport.send(.get, nginx.url(.plain))
                #expect(response.head.status == .ok)
                // HTTP proxies say that they were there; SOCKS is not seen.
                #expect(response.head.headerFields.contains(.via) == kind.isHTTP)
                let seen = String(decoding: try await response.body.collect(), as: UTF8.self)
                #expect(seen.contains("127.0.0.1:\(nginx.port(.plain))"))
                // The proxy's credentials are not the server's business.
                #expect(!seen.contains("Basic"))
            }
        }
    }

    @Test(arguments: Kind.allCases, OwnTransport.allCases)
    func tunnelsWhatIsSecure(_ kind: Kind, _ own: OwnTransport) async throws {
        let nginx = try await Nginx.shared()
        let setUp = try await configure(kind)
        try await own.with(setUp) { transport in
            let version = transport.capabilities.features.contains(.http2) ? "HTTP/2.0" : "HTTP/1.1"
            for _ in 0..<2 {
                expectEqual(try await transport.text(.get, nginx.url(.valid)).hasPrefix("\(version) TLSv1.3"), true)
            }
        }
        // The server behind the tunnel has to prove itself as without one.
        let error = try await own.failure(of: nginx.url(.expired), setUp)
        #expect(error.code == .tlsFailed)
        // Within TLS to a proxy libcurl loses the reason on its way out.
        if kind != .squidOverTLS || own == .native { #expect(error.message.contains("expired")) }
    }

    @Test(arguments: Kind.allCases, OwnTransport.allCases)
    func keepsCredentialsToItself(_ kind: Kind, _ own: OwnTransport) async throws {
        let nginx = try await Nginx.shared()
        for (user, site) in [(nil, Nginx.Site.valid), ("mallory", .valid), (nil, .plain), ("mallory", .plain)] {
            let setUp = try await configure(kind, user: user, password: user.map { _ in "hunter2" })
            let url = nginx.url(site)
            if kind.isHTTP, site == .plain {
                // A proxy that is asked answers; only a tunnel fails.
                let response = try await own.with(setUp) { try await $0.send(.get, url) }
                #expect([401, 407].contains(response.head.status.code))
            } else {
                let error = try await own.failure(of: url, setUp)
                #expect(error.code == .proxyFailed, "\(error)")
                #expect(!"\(error) \(String(describing: error.cause))".contains("hunter2"))
                #expect(!error.isUnprocessed)
            }
        }
    }

    @Test(arguments: OwnTransport.allCases) func takesCredentialsFromTheURLToo(_ own: OwnTransport) async throws {
        let nginx = try await Nginx.shared()
        let proxy = try await Kind.tinyproxy.url()
            .replacing("://", with: "://\(ProxyPeers.user):\(ProxyPeers.password.replacing("-", with: "%2D"))@")
        expectEqual(try await own.text(of: nginx.url(.plain)) { $0.proxy = .url(proxy) }.hasPrefix("HTTP/1."), true)
    }

    @Test(arguments: OwnTransport.allCases) func verifiesAProxyOverTLS(_ own: OwnTransport) async throws {
        let nginx = try await Nginx.shared()
        let setUp = try await configure(.squidOverTLS)
        let error = try await own.failure(of: nginx.url(.plain)) {
            setUp(&$0)
            $0.proxyTLS = .init()
        }
        #expect(error.code == .tlsFailed)
        #expect(error.message.contains("certificate"))
        let seen = try await own.text(of: nginx.url(.plain)) {
            setUp(&$0)
            $0.proxyTLS.trust = .system
            $0.proxyTLS.dangerouslySkipsVerification = true
        }
        #expect(seen.contains("127.0.0.1"))
    }

    @Test(arguments: OwnTransport.allCases) func resolvesNamesHereOrAtTheProxy(_ own: OwnTransport) async throws {
        let here = try await own.failure(of: "http://nowhere.invalid/", try await configure(.socks5))
        #expect(here.code == .dnsFailed)
        let there = try await own.failure(of: "http://nowhere.invalid/", try await configure(.socks5h))
        #expect(there.code == .proxyFailed)
        // An override is for this side: the proxy is told the address.
        let nginx = try await Nginx.shared()
        let setUp = try await configure(.socks5)
        let seen = try await own.text(of: nginx.url(.plain, host: "strata.example")) {
            setUp(&$0)
            $0.addressOverrides = [
                .init(host: "strata.example", port: nginx.port(.plain), addresses: ["127.0.0.1"])
            ]
        }
        #expect(seen.contains("strata.example:"))
    }

    @Test(arguments: ["http", "https", "socks5", "socks5h"], OwnTransport.allCases)
    func saysThatTheProxyIsNotThere(_ scheme: String, _ own: OwnTransport) async throws {
        let nginx = try await Nginx.shared()
        let nobody = try RawServer.refusing()
        for site in [Nginx.Site.plain, .valid] {
            let error = try await own.failure(of: nginx.url(site)) {
                $0.proxy = .url("\(scheme)://aladdin:hunter2@127.0.0.1:\(nobody.port)")
            }
            #expect(error.code == .proxyFailed, "\(error)")
            #expect(error.isUnprocessed)
            #expect(!"\(error)".contains("hunter2"))
        }
        let lost = try await own.failure(of: nginx.url(.plain)) { $0.proxy = .url("\(scheme)://nowhere.invalid:1080") }
        #expect(lost.code == .proxyFailed)
        #expect(lost.isUnprocessed)
    }

    @Test(arguments: OwnTransport.allCases) func saysThatTheServerBehindItIsNotThere(_ own: OwnTransport) async throws {
        let nobody = try RawServer.refusing()
        for kind in [Kind.tinyproxy, .squid, .socks5] {
            let error = try await own.failure(
                of: "https://127.0.0.1:\(nobody.port)/", try await configure(kind))
            #expect(error.code == .proxyFailed)
        }
    }

    // MARK: - Digests

    @Test(.enabled(if: PeerTool.squid.path != nil, "squid is not installed"))
    func answersTheDigestsOfSquid() async throws {
        let nginx = try await Nginx.shared()
        let authority = try PeerCertificates.shared.get().pem("authority.pem")
        let url = "http://127.0.0.1:\(try await ProxyPeers.squidWithDigest().ports[0])"
        func with(_ password: String, _ body: (any NetworkTransport) async throws -> Void) async throws {
            try await OwnTransport.native.with(
                {
                    $0.proxy = .url(url, user: ProxyPeers.user, password: password)
                    $0.tls.trust = .pem(authority)
                }, body)
        }
        try await with(ProxyPeers.password) { transport in
            // More than one nonce is good for.
            for _ in 0..<10 {
                let response = try await transport.send(.get, nginx.url(.plain))
                #expect(response.head.status == .ok)
                #expect(response.head.headerFields.contains(.via))
                let seen = String(decoding: try await response.body.collect(), as: UTF8.self)
                #expect(!seen.contains("Digest"))
            }
            for _ in 0..<10 {
                expectEqual(
                    try await transport.text(
                        .post, nginx.url(.valid), [.connection: "close"], body: .data(Data("x".utf8))
                    )
                    .contains(" TLSv1.3"), true)
            }
        }
        try await with("hunter2") { transport in
            expectEqual(try await transport.send(.get, nginx.url(.plain)).head.status.code, 407)
            await #expect { try await transport.send(.get, nginx.url(.valid)) } throws: { $0.stage == .proxyFailed }
        }
    }

    // MARK: - Which requests take the proxy

    @Test(arguments: OwnTransport.allCases) func reachesExceptionsDirectly(_ own: OwnTransport) async throws {
        let nginx = try await Nginx.shared()
        for (exceptions, isDirect) in [
            (["127.0.0.1"], true), (["localhost"], false), (["*"], true), (["10.0.0.0/8", "127.0.0.0/8"], true),
            (["127.0.0.1:1"], false), ([], false),
        ] {
            let setUp = try await configure(.tinyproxy, except: exceptions)
            let response = try await own.with(setUp) { try await $0.send(.get, nginx.url(.plain)) }
            #expect(response.head.headerFields.contains(.via) == !isDirect)
        }
    }

    @Test(arguments: OwnTransport.allCases) func followsTheEnvironment(_ own: OwnTransport) async throws {
        let nginx = try await Nginx.shared()
        let proxy = try await Kind.tinyproxy.url()
            .replacing("://", with: "://\(ProxyPeers.user):\(ProxyPeers.password)@")
        let environments: [(variables: [String: String], isDirect: Bool)] = [
            (["http_proxy": proxy], false), (["all_proxy": proxy], false), (["ALL_PROXY": proxy], false),
            (["https_proxy": proxy], true), (["http_proxy": proxy, "no_proxy": "127.0.0.1"], true),
            (["http_proxy": proxy, "NO_PROXY": "127.0.0.1"], true),
            (["http_proxy": proxy, "no_proxy": ".example"], false), ([:], true),
            // In CGI programs a request can set it.
            (["HTTP_PROXY": proxy, "REQUEST_METHOD": "GET"], true), (["HTTP_PROXY": proxy], true),
        ]
        for (variables, isDirect) in environments {
            try await own.with({ $0.proxy = .environment }, environment: variables) { transport in
                let response = try await transport.send(.get, nginx.url(.plain))
                #expect(response.head.headerFields.contains(.via) == !isDirect, "\(variables.keys)")
            }
        }
    }

    @Test func printsNoSecretOfAProxy() async throws {
        let request = try TransportRequest(
            url: "http://origin.example/", headerFields: [.proxyAuthorization: "Basic YWxhZGRpbjpvcGVu"])
        #expect(!request.curlCommand().contains("YWxhZGRpbjpvcGVu"))
        let proxy = ProxyPolicy.url("http://aladdin:hunter2@127.0.0.1:1")
        try await withCurl({ $0.proxy = proxy }) { transport in
            #expect(!"\(transport.capabilities) \(transport.configuration)".contains("hunter2"))
        }
        try await withNative({ $0.proxy = proxy }) { transport in
            #expect(!"\(transport.capabilities) \(transport.configuration)".contains("hunter2"))
        }
    }
}

extension HTTPField.Name {
    fileprivate static let via = HTTPField.Name("Via")!
}
