// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Settings of TLS in OpenSSL's terms, and the sessions that can be resumed under them. Shared by all loops.
final class TLSContext: @unchecked Sendable {
    // Unchecked: OpenSSL lets several threads use a context that is not changed any more; the rest guards itself.
    let context: OpaquePointer
    let pins: [PublicKeyPin]
    let sessions = ResumableSessions()
    private let keyLog: KeyLogFile?

    /// Before the first use of OpenSSL in the process. By default it frees its locks when the process exits, while other threads
    /// still use them (openssl #6214).
    private static let isInitialised: Bool = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// How OpenSSL gets to sockets.
    ///
    /// Unsafe in name alone: it is made once and never changed.
    nonisolated(unsafe) static let socketMethod: OpaquePointer? = strata_socket_method()
    /// How it gets through a connection of TLS. Unsafe as the other.
    nonisolated(unsafe) static let tunnelMethod: OpaquePointer? = strata_tls_method()

    /// - Throws: `tlsFailed` for authorities, certificates, keys and pins that cannot be used; `fileFailed` for the log.
    init(_ settings: TLSSettings, keyLogFile: String? = nil) throws(NetworkClientError) {
        pins = try settings.pinnedPublicKeys.map { text throws(NetworkClientError) in try PublicKeyPin(text) }
        keyLog = try keyLogFile.map { path throws(NetworkClientError) in try KeyLogFile(path) }
        guard Self.isInitialised, Self.socketMethod != nil, let context = SSL_CTX_new(TLS_client_method()) else {
            throw NetworkClientError(.internalFailure, "OpenSSL cannot be initialised")
        }
        self.context = context
        setUp(settings)
        try Self.trust(settings.trust, context)
        if let identity = try ClientIdentity(settings) { try identity.use(in: context) }
    }

    deinit { SSL_CTX_free(context) }

    private func setUp(_ settings: TLSSettings) {
        let minimum =
            switch settings.minimumVersion {
            case .v1_2: TLS1_2_VERSION
            case .v1_3: TLS1_3_VERSION
            }
        strata_ssl_set_versions(context, minimum, 0)
        strata_ssl_forbid_renegotiation_and_compression(context)
        // A write may be taken in part and go on from other memory; buffers of idle connections are given back.
        strata_ssl_set_mode(
            context, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS)
        )
        // Else each record takes two reads, one for its length.
        strata_ssl_set_read_ahead(context)
        SSL_CTX_set_verify(context, settings.dangerouslySkipsVerification ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nil)
        strata_ssl_keep_sessions_outside(context)
        SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
        SSL_CTX_sess_set_new_cb(context) { session, ticket in
            guard let session, let ticket, let owner = SSL_get_ex_data(session, 0) else { return 0 }
            return Unmanaged<TLSSession>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.keep(ticket) } ? 1 : 0
        }
        guard keyLog != nil else { return }
        SSL_CTX_set_keylog_callback(context) { session, line in
            guard let session, let line, let owner = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0) else { return }
            Unmanaged<TLSContext>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.keyLog?.write(String(cString: line)) }
        }
    }

    // MARK: - Whom to trust

    private static func trust(_ trust: TLSSettings.Trust, _ context: OpaquePointer) throws(NetworkClientError) {
        // As with libcurl, an intermediate authority that is trusted need not lead to a root.
        X509_STORE_set_flags(SSL_CTX_get_cert_store(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
        switch trust {
        case .system:
            // Not what the environment names in their place (`SSL_CERT_FILE`): libcurl does not ask it either. Not every system has
            // both.
            _ = SSL_CTX_load_verify_dir(context, X509_get_default_cert_dir())
            _ = SSL_CTX_load_verify_file(context, X509_get_default_cert_file())
            ERR_clear_error()
        case .file(let path):
            guard SSL_CTX_load_verify_locations(context, path, nil) == 1 else {
                throw unusable("no trusted authority can be read from the file \(path)")
            }
        case .pem(let certificates):
            let count = try PEM(certificates).certificates { certificate in
                X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1
            }
            guard count > 0 else { throw unusable("there is no certificate among the trusted authorities") }
        }
    }

    /// - Parameter problem: what OpenSSL says of it is added, which quotes no key.
    static func unusable(_ problem: String) -> NetworkClientError {
        let noted = TLSError.noted()
        let detail = noted.map { "\(problem): \($0.detail)" } ?? problem
        return .tls(TLSError(reason: .unusableSettings, detail: detail))
    }
}
