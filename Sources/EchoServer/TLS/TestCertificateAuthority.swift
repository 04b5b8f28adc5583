// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate authority that lives as long as the value, and what it issues. Made for tests: nobody else trusts it.
package struct TestCertificateAuthority: Sendable {
    /// What is wrong with a server's certificate, if anything.
    package enum ServerCertificate: String, Sendable, CaseIterable {
        /// For `localhost`, `127.0.0.1` and `::1`, for a day.
        case valid
        /// Ran out yesterday.
        case expired
        /// Begins tomorrow.
        case notYetValid = "not-yet-valid"
        /// For `wrong.example` alone.
        case wrongHost = "wrong-host"
        /// From an authority of the same name that is another one.
        case untrusted
        /// Signed with its own key.
        case selfSigned = "self-signed"
        /// Names `localhost` in the old way alone, which RFC 9525 §6.3 forbids clients to look at.
        case commonNameOnly = "common-name-only"
    }

    /// A certificate and its key, both PEM.
    package struct Identity: Sendable {
        package let certificatePEM: String
        package let privateKeyPEM: String
    }

    /// The authority's certificate: what a client must trust.
    package let certificatePEM: String

    private let certificate: Certificate
    private let key: P256.Signing.PrivateKey

    package init() throws {
        let key = P256.Signing.PrivateKey()
        certificate = try Self.makeAuthority(key)
        certificatePEM = try certificate.serializeAsPEM().pemString
        self.key = key
    }

    /// A server's certificate.
    package func issue(_ kind: ServerCertificate = .valid) throws -> Identity {
        let validity: Range<Date> =
            switch kind {
            case .expired: Date(timeIntervalSinceNow: -2 * day)..<Date(timeIntervalSinceNow: -day)
            case .notYetValid: Date(timeIntervalSinceNow: day)..<Date(timeIntervalSinceNow: 2 * day)
            default: Self.today
            }
        let names: [GeneralName] =
            switch kind {
            case .wrongHost: [.dnsName("wrong.example")]
            case .commonNameOnly: []
            default:
                [
                    .dnsName("localhost"), Self.address([127, 0, 0, 1]),
                    Self.address([UInt8](repeating: 0, count: 15) + [1]),
                ]
            }
        let subject = kind == .wrongHost ? "wrong.example" : "localhost"
        let issuer = kind == .untrusted ? try TestCertificateAuthority() : self
        return try issuer.issue(
            to: subject, names: names, usage: .serverAuth, validity: validity, selfSigned: kind == .selfSigned)
    }

    /// A certificate that a client may show to a server that asks for one.
    package func issueClient(named name: String = "strata-client") throws -> Identity {
        try issue(to: name, names: [], usage: .clientAuth, validity: Self.today, selfSigned: false)
    }

    private func issue(
        to subject: String, names: [GeneralName], usage: ExtendedKeyUsage.Usage, validity: Range<Date>, selfSigned: Bool
    ) throws -> Identity {
        let leafKey = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(leafKey.publicKey)
        let name = try DistinguishedName { CommonName(subject) }
        let identifier = try? certificate.extensions.subjectKeyIdentifier?.keyIdentifier
        let leaf = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: publicKey,
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound,
            issuer: selfSigned ? name : certificate.subject, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([usage])
                SubjectKeyIdentifier(hash: publicKey)
                if !selfSigned { AuthorityKeyIdentifier(keyIdentifier: identifier) }
                if !names.isEmpty { SubjectAlternativeNames(names) }
            },
            issuerPrivateKey: Certificate.PrivateKey(selfSigned ? leafKey : key))
        return Identity(
            certificatePEM: try leaf.serializeAsPEM().pemString, privateKeyPEM: leafKey.pemRepresentation)
    }

    private static func makeAuthority(_ key: P256.Signing.PrivateKey) throws -> Certificate {
        let publicKey = Certificate.PublicKey(key.publicKey)
        let name = try DistinguishedName {
            OrganizationName("Strata")
            CommonName("Strata test authority")
        }
        return try Certificate(
            version: .v3, serialNumber: .init(), publicKey: publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -30 * day), notValidAfter: Date(timeIntervalSinceNow: 30 * day),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
    }

    private static func address(_ bytes: [UInt8]) -> GeneralName {
        .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }

    /// From an hour ago, for clocks that differ, to tomorrow.
    private static var today: Range<Date> {
        Date(timeIntervalSinceNow: -3600)..<Date(timeIntervalSinceNow: day)
    }
}

private let day: Double = 86_400
