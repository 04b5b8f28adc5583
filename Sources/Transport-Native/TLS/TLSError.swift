// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import StrataCore

/// Why TLS failed, as OpenSSL or the server has it: the cause of a `NetworkClientError` from ``NativeTransport``.
public struct TLSError: Error, Hashable, Sendable {
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Hashable, Sendable {
        case certificateExpired, certificateNotYetValid
        /// The certificate is another host's.
        case wrongHost
        /// Nobody who is trusted has signed it.
        case unknownAuthority
        /// It has signed itself, or its authority is not among those that are trusted.
        case selfSigned
        case certificateRevoked
        /// Anything else that is wrong with the certificate.
        case invalidCertificate
        /// The key is none of the pinned ones.
        case pinMismatch
        /// Both sides have no version of TLS in common.
        case protocolVersion
        /// What answered is no TLS.
        case notTLS
        /// The server refused: the number of its alert (RFC 8446 §6).
        case alert(UInt8)
        /// The connection ended.
        case connectionLost
        /// What the configuration names cannot be used: authorities, the client's certificate or key.
        case unusableSettings
        case other
    }

    public let reason: Reason
    /// In a few words of OpenSSL's, such as `certificate has expired`. It quotes nothing that was sent.
    public let detail: String
}

extension TLSError: CustomStringConvertible {
    public var description: String { "TLS: \(detail)" }
}

// MARK: - From OpenSSL

extension TLSError {
    /// What is wrong with a certificate: the code of OpenSSL's verification.
    init(verification code: Int) {
        detail = X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "error \(code)"
        reason =
            switch Int32(truncatingIfNeeded: code) {
            case X509_V_ERR_CERT_HAS_EXPIRED: .certificateExpired
            case X509_V_ERR_CERT_NOT_YET_VALID: .certificateNotYetValid
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongHost
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
                .unknownAuthority
            case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .selfSigned
            case X509_V_ERR_CERT_REVOKED: .certificateRevoked
            default: .invalidCertificate
            }
    }

    /// The first of the errors that OpenSSL has noted on this thread, which forgets them.
    static func noted() -> TLSError? {
        var first: UInt = 0
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            if first == 0
                || strata_err_library(first) != strata_ssl_library() && strata_err_library(code) == strata_ssl_library()
            {
                first = code
            }
        }
        return first == 0 ? nil : TLSError(noted: first)
    }

    /// Alerts of the server's are noted as this and the alert's number.
    private static let alertBase: Int32 = 1000

    private init(noted code: UInt) {
        let text = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
        let number = strata_err_reason(code)
        guard strata_err_library(code) == strata_ssl_library() else {
            (reason, detail) = (.other, text)
            return
        }
        if let alert = UInt8(exactly: number - Self.alertBase) {
            let name = SSL_alert_desc_string_long(Int32(alert)).map { String(cString: $0) } ?? "\(alert)"
            (reason, detail) = (
                Int32(alert) == SSL_AD_PROTOCOL_VERSION ? .protocolVersion : .alert(alert), "alert \(name)"
            )
            return
        }
        detail = text
        reason =
            switch number {
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH,
                SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_INAPPROPRIATE_FALLBACK:
                .protocolVersion
            case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST,
                SSL_R_PACKET_LENGTH_TOO_LONG,
                SSL_R_RECORD_LENGTH_MISMATCH, SSL_R_UNKNOWN_PROTOCOL:
                .notTLS
            case SSL_R_UNEXPECTED_EOF_WHILE_READING: .connectionLost
            default: .other
            }
    }
}

extension NetworkClientError {
    /// The error of a handshake that failed, or that was refused once it had ended.
    static func tls(_ error: TLSError) -> NetworkClientError {
        let text: String
        switch error.reason {
        case .certificateExpired, .certificateNotYetValid, .wrongHost, .unknownAuthority, .selfSigned,
            .certificateRevoked,
            .invalidCertificate:
            text = "the server's certificate is not accepted: \(error.detail)"
        case .pinMismatch, .unusableSettings: text = error.detail
        case .protocolVersion: text = "no version of TLS is allowed by both sides: \(error.detail)"
        case .notTLS: text = "the server does not answer in TLS: \(error.detail): the port may speak plain HTTP"
        case .alert: text = "the server refused the connection: TLS \(error.detail)"
        case .connectionLost: text = "the connection was lost during the TLS handshake: \(error.detail)"
        case .other: text = "TLS failed: \(error.detail)"
        }
        var failure = NetworkClientError(.tlsFailed, text, cause: error)
        // The request comes after the handshake.
        failure.isUnprocessed = error.reason == .connectionLost
        return failure
    }
}
