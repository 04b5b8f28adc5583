// SPDX-License-Identifier: Apache-2.0

import NIOSSL

extension EchoServer.TLS {
    func nioConfiguration(authority: TestCertificateAuthority) throws -> TLSConfiguration {
        let identity = try authority.issue(certificate)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try .init(bytes: Array(identity.certificatePEM.utf8), format: .pem))],
            privateKey: .privateKey(try .init(bytes: Array(identity.privateKeyPEM.utf8), format: .pem)))
        configuration.applicationProtocols = ["http/1.1"]
        if isLimitedToTLS12 { configuration.maximumTLSVersion = .tlsv12 }
        if requiresClientCertificate {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([
                try .init(bytes: Array(authority.certificatePEM.utf8), format: .pem)
            ])
        }
        return configuration
    }
}
