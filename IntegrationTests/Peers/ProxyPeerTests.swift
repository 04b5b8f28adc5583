// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
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
    ) async throws -> (inout CurlTransport.Configuration) -> Void {
        let url = try await kind.url()
        let authority = try PeerCertificates.shared.get().pem("authority.pem")
        return {
            $0.proxy = .url(url, user: user, password: password, except: except)
            $0.tls.trust = .pem(authority)
            $0.proxyTLS.trust = .pem(authority)
        }
    }

    @Test(arguments: Kind.allCases)
    func asksForPlainResources(_ kind: Kind) async throws {
        let nginx = try await Nginx.shared()
        try await withCurl(try await configure(kind)) { transport in
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

    @Test(arguments: Kind.allCases)
    func tunnelsWhatIsSecure(_ kind: Kind) async throws {
        let nginx = try await Nginx.shared()
        let setUp = try await configure(kind)
        #expect(try await text(of: nginx.url(.valid), setUp).hasPrefix("HTTP/2.0 TLSv1.3"))
        // The server behind the tunnel has to prove itself as without one.
        let error = try await failure(of: nginx.url(.expired), setUp)
        #expect(error.code == .tlsFailed)
        // Within TLS to a proxy libcurl loses the reason on its way out.
        if kind != .squidOverTLS { #expect(error.message.contains("expired")) }
    }

    @Test(arguments: Kind.allCases, ["https", "http"])
    func keepsCredentialsToItself(_ kind: Kind, _ scheme: String) async throws {
        let nginx = try await Nginx.shared()
        let url = nginx.url(scheme == "https" ? .valid : .plain)
        for user in [nil, "mallory"] {
            let setUp = try await configure(kind, user: user, password: user.map { _ in "hunter2" })
            if kind.isHTTP, scheme == "http" {
                // A proxy that is asked answers; only a tunnel fails.
                let response = try await withCurl(setUp) { try await $0.send(.get, url) }
                #expect([401, 407].contains(response.head.status.code))
            } else {
                let error = try await failure(of: url, setUp)
                #expect(error.code == .proxyFailed, "\(error)")
                #expect(!"\(error) \(String(describing: error.cause))".contains("hunter2"))
                #expect(!error.isUnprocessed)
            }
        }
    }

    @Test func takesCredentialsFromTheURLToo() async throws {
        let nginx = try await Nginx.shared()
        let proxy = try await Kind.tinyproxy.url()
            .replacing("://", with: "://\(ProxyPeers.user):\(ProxyPeers.password.replacing("-", with: "%2D"))@")
        expectEqual(try await text(of: nginx.url(.plain)) { $0.proxy = .url(proxy) }.hasPrefix("HTTP/1."), true)
    }

    @Test func verifiesAProxyOverTLS() async throws {
        let nginx = try await Nginx.shared()
        let setUp = try await configure(.squidOverTLS)
        let error = try await failure(of: nginx.url(.plain)) {
            setUp(&$0)
            $0.proxyTLS = .init()
        }
        #expect(error.code == .tlsFailed)
        #expect(error.message.contains("certificate"))
        let seen = try await text(of: nginx.url(.plain)) {
            setUp(&$0)
            $0.proxyTLS.trust = .system
            $0.proxyTLS.dangerouslySkipsVerification = true
        }
        #expect(seen.contains("127.0.0.1"))
    }

    @Test func resolvesNamesHereOrAtTheProxy() async throws {
        let here = try await failure(of: "http://nowhere.invalid/", try await configure(.socks5))
        #expect(here.code == .dnsFailed)
        let there = try await failure(of: "http://nowhere.invalid/", try await configure(.socks5h))
        #expect(there.code == .proxyFailed)
        // An override is for this side: the proxy is told the address.
        let nginx = try await Nginx.shared()
        let setUp = try await configure(.socks5)
        let seen = try await text(of: nginx.url(.plain, host: "strata.example")) {
            setUp(&$0)
            $0.addressOverrides = [
                .init(host: "strata.example", port: nginx.port(.plain), addresses: ["127.0.0.1"])
            ]
        }
        #expect(seen.contains("strata.example:"))
    }

    @Test(arguments: ["http", "https", "socks5", "socks5h"])
    func saysThatTheProxyIsNotThere(_ scheme: String) async throws {
        let nginx = try await Nginx.shared()
        let nobody = try RawServer.refusing()
        for site in [Nginx.Site.plain, .valid] {
            let error = try await failure(of: nginx.url(site)) {
                $0.proxy = .url("\(scheme)://aladdin:hunter2@127.0.0.1:\(nobody.port)")
            }
            #expect(error.code == .proxyFailed, "\(error)")
            #expect(error.isUnprocessed)
            #expect(!"\(error)".contains("hunter2"))
        }
        let lost = try await failure(of: nginx.url(.plain)) { $0.proxy = .url("\(scheme)://nowhere.invalid:1080") }
        #expect(lost.code == .proxyFailed)
        #expect(lost.isUnprocessed)
    }

    @Test func saysThatTheServerBehindItIsNotThere() async throws {
        let nobody = try RawServer.refusing()
        for kind in [Kind.tinyproxy, .squid, .socks5] {
            let error = try await failure(
                of: "https://127.0.0.1:\(nobody.port)/", try await configure(kind))
            #expect(error.code == .proxyFailed)
        }
    }

    // MARK: - Which requests take the proxy

    @Test(arguments: [
        ("127.0.0.1", true), ("localhost", false), ("*", true), ("10.0.0.0/8,127.0.0.0/8", true), ("", false),
    ])
    func reachesExceptionsDirectly(_ exceptions: String, _ isDirect: Bool) async throws {
        let nginx = try await Nginx.shared()
        let setUp = try await configure(
            .tinyproxy, except: exceptions.split(separator: ",").map(String.init))
        let response = try await withCurl(setUp) { try await $0.send(.get, nginx.url(.plain)) }
        #expect(response.head.headerFields.contains(.via) == !isDirect)
    }

    @Test func followsTheEnvironment() async throws {
        let nginx = try await Nginx.shared()
        let proxy = try await Kind.tinyproxy.url()
            .replacing("://", with: "://\(ProxyPeers.user):\(ProxyPeers.password)@")
        let environments: [(variables: [String: String], isDirect: Bool)] = [
            (["http_proxy": proxy], false), (["all_proxy": proxy], false), (["ALL_PROXY": proxy], false),
            (["https_proxy": proxy], true), (["http_proxy": proxy, "no_proxy": "127.0.0.1"], true),
            (["http_proxy": proxy, "NO_PROXY": "127.0.0.1"], true),
            (["http_proxy": proxy, "no_proxy": ".example"], false), ([:], true),
        ]
        for (variables, isDirect) in environments {
            let transport = CurlTransport(configuration: .init()) { variables[$0] }
            let response = try await transport.send(.get, nginx.url(.plain))
            #expect(response.head.headerFields.contains(.via) == !isDirect, "\(variables.keys)")
            await transport.shutdown()
        }
    }

    @Test func printsNoSecretOfAProxy() async throws {
        let request = try TransportRequest(
            url: "http://origin.example/", headerFields: [.proxyAuthorization: "Basic YWxhZGRpbjpvcGVu"])
        #expect(!request.curlCommand().contains("YWxhZGRpbjpvcGVu"))
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .url("http://aladdin:hunter2@127.0.0.1:1")
        let transport = CurlTransport(configuration: configuration)
        #expect(!"\(transport.capabilities) \(transport.configuration)".contains("hunter2"))
        await transport.shutdown()
    }
}

extension HTTPField.Name {
    fileprivate static let via = HTTPField.Name("Via")!
}
