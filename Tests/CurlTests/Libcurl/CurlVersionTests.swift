// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct CurlVersionTests {
    @Test(arguments: [
        ("OpenSSL/3.0.19", true), ("OpenSSL/3.0.19 (GnuTLS/3.7.9)", true), ("(SecureTransport) LibreSSL/3.3.6", true),
        ("GnuTLS/3.7.9", false), ("GnuTLS/3.7.9 (OpenSSL/3.0.19)", false), ("Schannel", false), ("", false),
    ])
    func knowsWhoseCertificatesShowTheirExtensions(_ backends: String, _ shows: Bool) {
        #expect(CurlVersion.showsExtensions(backends) == shows)
    }

    /// No folder at all is the system's in later versions, and authorities that nobody named would be trusted.
    @Test(
        arguments: [(0x07_51_00, nil), (0x07_58_01, nil), (0x08_0E_01, nil), (0x08_11_00, "/dev/null")]
            as [(UInt32, String?)])
    func anEmptyFolderOfAuthoritiesIsOne(_ number: UInt32, _ folder: String?) {
        #expect(CurlVersion.emptyFolder(in: number) == folder)
    }
}
