// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import StrataCore
import StrataTransportSupport

/// By what a client proves who it is (mutual TLS): a certificate, the chain after it, and the private key.
struct ClientIdentity {
    private let chain: PEM
    private let key: PEM
    private let password: String?

    /// - Returns: `nil` when the settings have none.
    init?(_ settings: TLSSettings) throws(NetworkClientError) {
        password = settings.clientKeyPassword
        if let identity = settings.clientIdentity {
            guard !identity.isEmpty else { throw TLSContext.unusable("the client's identity is empty") }
            (chain, key) = (PEM(identity), PEM(identity))
        } else if let certificate = settings.clientCertificate {
            chain = try PEM(file: certificate, "the client's certificate")
            key =
                try settings.clientKey.map { path throws(NetworkClientError) in try PEM(file: path, "the client's key")
                } ?? chain
        } else {
            return nil
        }
    }

    func use(in context: OpaquePointer) throws(NetworkClientError) {
        var isFirst = true
        var isUsable = true
        let count = try chain.certificates { certificate in
            if isFirst {
                isUsable = SSL_CTX_use_certificate(context, certificate) == 1
            } else {
                // The context takes over a reference of its own.
                X509_up_ref(certificate)
                if strata_ssl_add_chain(context, certificate) != 1 {
                    X509_free(certificate)
                    isUsable = false
                }
            }
            isFirst = false
            return true
        }
        guard count > 0 else { throw TLSContext.unusable("there is no client's certificate where it is to be") }
        guard isUsable else { throw TLSContext.unusable("the client's certificate cannot be used") }
        guard let key = key.privateKey(password: password) else {
            throw TLSContext.unusable(
                "the client's private key cannot be read: there is none, or its password is another one")
        }
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_PrivateKey(context, key) == 1, SSL_CTX_check_private_key(context) == 1 else {
            throw TLSContext.unusable("the client's private key does not belong to its certificate")
        }
    }
}
