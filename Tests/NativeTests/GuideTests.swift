// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataNative
import TestSupport
import Testing

/// The samples of `Docs.docc/TLSAndProxies.md`.
struct GuideTests {
    @Test func theGuideIsCompiled() throws {
        #expect(try GuideSamples.missing(of: "TLSAndProxies.md", in: #filePath) == [])
    }

    @Test func configuresTLS() async throws {
        var configuration = NativeTransport.Configuration()
        configuration.tls.trust = .file("/etc/acme/authority.pem")
        configuration.tls.minimumVersion = .v1_3
        configuration.tls.clientCertificate = "/etc/acme/client.pem"
        configuration.tls.clientKey = "/etc/acme/client.key"
        configuration.tls.pinnedPublicKeys = ["47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]
        let transport = NativeTransport(configuration: configuration)
        #expect(transport.capabilities.features.contains(.publicKeyPinning))
        await transport.shutdown()
    }

    @Test func choosesItsWay() {
        var configuration = NativeTransport.Configuration()
        let password = "secret"
        configuration.proxy = .url(
            "http://proxy.acme.example:3128", user: "ada", password: password, except: ["localhost", ".acme.example"])
        configuration.proxyTLS.trust = .file("/etc/acme/authority.pem")

        configuration.addressOverrides = [
            .init(host: "api.acme.example", port: 443, addresses: ["10.0.0.7", "fd00::7"])
        ]
        configuration.addressFamily = .ipv4
        configuration.maximumConnectionsPerHost = 8
        configuration.unixSocketPath = "/run/acme/api.sock"
        #expect(!"\(configuration)".contains("secret"))
    }
}
