// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import SwiftASN1
import Testing
import X509

struct TestCertificateAuthorityTests {
    private let authority: TestCertificateAuthority
    private let root: Certificate

    init() throws {
        authority = try TestCertificateAuthority()
        root = try Certificate(pemEncoded: authority.certificatePEM)
    }

    private func certificate(_ kind: TestCertificateAuthority.ServerCertificate) throws -> Certificate {
        try Certificate(pemEncoded: authority.issue(kind).certificatePEM)
    }

    /// Whether a chain to the authority holds at this moment.
    private func isTrusted(_ certificate: Certificate) async -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore([root])) {
            RFC5280Policy()
        }
        let result = await verifier.validate(leaf: certificate, intermediates: CertificateStore([]))
        if case .validCertificate = result { return true }
        return false
    }

    @Test func validCertificatesAreTrustedAndNameTheLoopbackHosts() async throws {
        let certificate = try certificate(.valid)
        #expect(await isTrusted(certificate))
        let names = try #require(try certificate.extensions.subjectAlternativeNames)
        #expect(names.contains(.dnsName("localhost")))
        #expect(names.contains(.ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1]))))
        #expect(names.contains(.ipAddress(ASN1OctetString(contentBytes: ArraySlice(repeating: 0, count: 15) + [1]))))
    }

    @Test(arguments: [TestCertificateAuthority.ServerCertificate.expired, .notYetValid, .untrusted, .selfSigned])
    func otherCertificatesAreNotTrusted(kind: TestCertificateAuthority.ServerCertificate) async throws {
        #expect(await !isTrusted(try certificate(kind)))
    }

    @Test func wrongHostDiffersInTheNameAlone() async throws {
        let certificate = try certificate(.wrongHost)
        #expect(await isTrusted(certificate))
        let names = try #require(try certificate.extensions.subjectAlternativeNames)
        #expect(Array(names) == [.dnsName("wrong.example")])
    }

    @Test func datesAreWhatTheKindSays() throws {
        let now = Date()
        #expect(try certificate(.expired).notValidAfter < now)
        #expect(try certificate(.notYetValid).notValidBefore > now)
    }

    @Test func clientCertificatesComeFromTheAuthorityWithTheirKey() async throws {
        let identity = try authority.issueClient(named: "someone")
        let certificate = try Certificate(pemEncoded: identity.certificatePEM)
        #expect(await isTrusted(certificate))
        #expect(certificate.subject.description.contains("someone"))
        let key = try Certificate.PrivateKey(pemEncoded: identity.privateKeyPEM)
        #expect(key.publicKey == certificate.publicKey)
    }
}
