// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Certificates and keys as text (RFC 7468), in memory.
struct PEM {
    private let text: Data

    init(_ text: Data) { self.text = text }

    /// - Parameter what: for the error.
    /// - Throws: `tlsFailed`, which names the file.
    init(file path: String, _ what: String) throws(NetworkClientError) {
        guard let text = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw TLSContext.unusable("the file \(path) with \(what) cannot be read")
        }
        self.text = text
    }

    /// Hands out one certificate after the other.
    ///
    /// - Parameter use: whether it can be used. It has to take a reference if it keeps the certificate.
    /// - Returns: how many could be.
    func certificates(_ use: (OpaquePointer) -> Bool) throws(NetworkClientError) -> Int {
        var count = 0
        withSource { source in
            while let certificate = PEM_read_bio_X509(source, nil, Self.password, nil) {
                if use(certificate) { count += 1 }
                X509_free(certificate)
            }
        }
        // There is no next one: that is how it ends.
        ERR_clear_error()
        return count
    }

    /// The first private key; the caller frees it.
    func privateKey(password: String?) -> OpaquePointer? {
        withSource { source in
            guard var password else { return PEM_read_bio_PrivateKey(source, nil, Self.password, nil) }
            return password.withUTF8 { bytes in
                var bytes = bytes
                return withUnsafeMutablePointer(to: &bytes) { PEM_read_bio_PrivateKey(source, nil, Self.password, $0) }
            }
        }
    }

    private func withSource<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
        text.withUnsafeBytes { bytes in
            let source = BIO_new_mem_buf(
                bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1), Int32(clamping: bytes.count))
            defer { BIO_free(source) }
            return body(source)
        }
    }

    /// OpenSSL would ask the terminal for a password that it is not given.
    private static let password:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
            target, capacity, _, context in
            guard let target, let context else { return -1 }
            let bytes = context.assumingMemoryBound(to: UnsafeBufferPointer<UInt8>.self).pointee
            guard bytes.count <= Int(capacity) else { return -1 }
            UnsafeMutableRawBufferPointer(start: target, count: Int(capacity)).copyBytes(from: bytes)
            return Int32(bytes.count)
        }
}
