// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport
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

    @Test(arguments: ["-a.example", "+a.example", "a.example/"])
    func refusesAnAddressOverrideThatLibcurlWouldMisread(_ host: String) {
        let options = options { $0.addressOverrides = [.init(host: host, port: 443, addresses: ["127.0.0.1"])] }
        #expect(options.refusal?.code == .malformedURL)
        #expect(options.addressOverrides.isEmpty)
    }

    @Test func aProxyThatIsNoneRefusesEveryRequest() {
        #expect(options { $0.proxy = .url("ftp://a:1") }.refusal?.code == .malformedURL)
    }

    @Test func needsNoProxyToReachASocket() {
        let options = options(["http_proxy": "http://a:1"]) { $0.unixSocketPath = "/run/x.sock" }
        #expect(options.proxies.http.url == "")
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
        #expect(try PublicKeyPin(prefix + hash).libcurlText == "sha256//" + hash)
    }
}
