// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

@testable import StrataCurl

struct HandleOptionsTests {
    private func options(
        _ environment: [String: String] = [:], _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) -> HandleOptions {
        var configuration = CurlTransport.Configuration()
        change(&configuration)
        return HandleOptions(configuration) { environment[$0] }
    }

    private func head(_ url: String) -> HTTPRequest {
        guard let request = try? TransportRequest(url: url) else {
            return HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        }
        return request.head
    }

    @Test func takesProxiesFromTheEnvironment() {
        let options = options([
            "http_proxy": "http://a:1", "HTTPS_PROXY": "http://b:2", "no_proxy": "localhost,.example",
        ])
        #expect(options.httpProxy.url == "http://a:1")
        #expect(options.httpsProxy.url == "http://b:2")
        #expect(options.proxyChoice(for: head("http://localhost/")) == .direct)
        #expect(options.proxyChoice(for: head("https://a.example/")) == .direct)
        #expect(options.proxyChoice(for: head("http://a.test/")) == .http)
        #expect(options.proxyChoice(for: head("https://a.test/")) == .https)
    }

    @Test func fallsBackToTheProxyForAll() {
        let options = options(["ALL_PROXY": "socks5h://c:3", "https_proxy": "http://b:2"])
        #expect(options.httpProxy.url == "socks5h://c:3")
        #expect(options.httpsProxy.url == "http://b:2")
    }

    @Test func doesNotReadHTTP_PROXYInCapitals() {
        #expect(options(["HTTP_PROXY": "http://evil:1"]).httpProxy.url == "")
    }

    @Test func usesNoProxyWhenTold() {
        let options = options(["http_proxy": "http://a:1"]) { $0.proxy = .none }
        #expect(options.httpProxy.url == "")
        #expect(options.proxyChoice(for: head("http://a.example/")) == .direct)
    }

    @Test func usesTheGivenProxyForBothSchemes() {
        let options = options(["http_proxy": "http://a:1"]) {
            $0.proxy = .url("http://p:9", user: "u", password: "w", except: ["x", "y"])
        }
        #expect(options.httpProxy.url == "http://p:9")
        #expect(options.httpProxy.user == "u")
        #expect(options.httpProxy.password == "w")
        #expect(options.httpsProxy == options.httpProxy)
        #expect(options.proxyChoice(for: head("http://y/")) == .direct)
        #expect(options.proxyChoice(for: head("http://z/")) == .http)
    }

    @Test func writesAddressOverridesAsLibcurlReadsThem() {
        let options = options {
            $0.addressOverrides = [.init(host: "a.example", port: 443, addresses: ["127.0.0.1", "::1"])]
        }
        #expect(options.addressOverrides == ["a.example:443:127.0.0.1,[::1]"])
    }

    @Test func writesHostsOfAddressOverridesAsRequestsHaveThem() {
        let options = options {
            $0.addressOverrides = ["Bücher.Example", "127.1", "*"].map {
                .init(host: $0, port: 80, addresses: ["127.0.0.1"])
            }
        }
        #expect(
            options.addressOverrides == [
                "xn--bcher-kva.example:80:127.0.0.1", "127.0.0.1:80:127.0.0.1", "*:80:127.0.0.1",
            ])
    }

    @Test(arguments: [
        CurlTransport.AddressOverride(host: "a.example", port: 443, addresses: []),
        .init(host: "a.example", port: 443, addresses: ["b.example"]),
        .init(host: "a.example", port: 443, addresses: ["1.2.3"]),
        .init(host: "a.example", port: 443, addresses: ["+1.2.3.4"]),
        .init(host: "a.example", port: 443, addresses: ["1.2.3.04"]),
        .init(host: "a.example", port: 443, addresses: ["[::1]"]),
        .init(host: "a.example", port: 443, addresses: ["::x"]),
        .init(host: "a.example", port: 0, addresses: ["127.0.0.1"]),
        .init(host: "", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "a.example:443", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "::1", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "[::1]", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "a.example/", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "@a.example", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "-a.example", port: 443, addresses: ["127.0.0.1"]),
    ])
    func refusesAnAddressOverrideThatIsNone(_ override: CurlTransport.AddressOverride) {
        let options = options { $0.addressOverrides = [override] }
        #expect(options.refusal?.code == .malformedURL)
        #expect(options.addressOverrides.isEmpty)
    }

    @Test func needsNoProxyToReachASocket() {
        let options = options(["http_proxy": "http://a:1"]) { $0.unixSocketPath = "/run/x.sock" }
        #expect(options.httpProxy.url == "")
    }

    @Test(arguments: [
        "ftp://a:1", "http://", "http://:80", "http://a:port", "http://[::1", "http://a b:1", "http://a:0",
    ])
    func refusesAProxyThatIsNone(_ url: String) {
        let secret = url.replacing("://", with: "://aladdin:opensesame@")
        let refusal = options { $0.proxy = .url(secret) }.refusal
        #expect(refusal?.code == .malformedURL)
        #expect(refusal.map { "\($0)".contains("opensesame") } == false)
    }

    @Test func printsNoCredentials() {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .url("http://aladdin:opensesame@p:9", user: "ali", password: "hunter2")
        configuration.tls.clientKeyPassword = "swordfish"
        let transport = CurlTransport(configuration: configuration)
        var dumped = "\(configuration) \(String(reflecting: configuration)) \(transport)"
        dump(configuration, to: &dumped)
        dump(transport, to: &dumped)
        // What holds a transport, and what a transport holds.
        dump(["transport": transport as any NetworkTransport], to: &dumped)
        dump(HandleOptions(configuration) { _ in nil }, to: &dumped)
        dump(CurlLoop(HandleOptions(configuration) { _ in nil }), to: &dumped)
        #expect(dumped.contains("http://p:9"))
        for secret in ["opensesame", "hunter2", "swordfish"] { #expect(!dumped.contains(secret)) }
    }

    @Test(arguments: [
        "", "abc", "sha1/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hS",
    ])
    func aPinThatIsNoneRefusesEveryRequest(_ pin: String) {
        for options in [options { $0.tls.pinnedPublicKeys = [pin] }, options { $0.proxyTLS.pinnedPublicKeys = [pin] }] {
            #expect(options.refusal?.code == .tlsFailed)
            #expect(options.refusal?.message.contains("\"\(pin)\"") == true)
        }
    }

    @Test(arguments: ["", "sha256//", "sha256/"])
    func aPinMayHaveAPrefix(_ prefix: String) throws {
        let hash = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        #expect(options { $0.tls.pinnedPublicKeys = [prefix + hash] }.refusal == nil)
        #expect(try PublicKeyPin.text(prefix + hash) == "sha256//" + hash)
    }
}
