// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How server and client prove who they are.
public struct TLSSettings: Sendable {
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Version: Sendable {
        case v1_2, v1_3
    }

    /// Authorities to trust, and no others.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Trust: Sendable {
        case system
        /// A file of PEM certificates.
        case file(String)
        /// PEM certificates.
        case pem(Data)
    }

    /// Default: the system's authorities.
    public var trust = Trust.system
    /// Default: TLS 1.2 (RFC 9325).
    public var minimumVersion = Version.v1_2
    /// PEM file with the client's certificate, and the chain after it (mutual TLS).
    public var clientCertificate: String?
    /// PEM file with the client's private key, when it is not in the certificate's.
    public var clientKey: String?
    /// The password of the client's private key. Default: `nil`, for a key that is not encrypted.
    public var clientKeyPassword: String?
    /// The client's certificate, the chain after it and its private key, as PEM in memory. It takes the place of ``clientCertificate`` and
    /// ``clientKey``; ``clientKeyPassword`` is its password.
    public var clientIdentity: Data?
    /// Whether a body whose length nobody announced has to end with TLS's `close_notify`. Default: yes. Else the body fails with
    /// `connectionLost`, because anyone on the way may have cut it short (RFC 9112 §9.8). Some old servers just close.
    public var requiresCloseNotify = true
    /// SHA-256 hashes of acceptable public keys, in base64, also after `sha256//` or `sha256/`. One has to match, in
    /// addition to the usual verification. Empty (default): any key. With one that is no such hash every request fails
    /// with `tlsFailed` before anything is sent.
    public var pinnedPublicKeys: [String] = []
    /// Accepts any certificate, so that anyone on the way can read and change what is sent. For tests against
    /// servers of your own.
    public var dangerouslySkipsVerification = false

    public init() {}
}

extension TLSSettings {
    /// What those should know who use a transport with these.
    ///
    /// - Parameter proxy: those of the connection to a proxy.
    package func remarks(proxy: TLSSettings, keyLogFile: String?) -> [String] {
        var remarks: [String] = []
        if dangerouslySkipsVerification {
            remarks.append(
                "TLS is not verified: anyone can read and change what is sent (dangerouslySkipsVerification).")
        }
        if proxy.dangerouslySkipsVerification {
            remarks.append("The proxy is not verified (proxyTLS.dangerouslySkipsVerification).")
        }
        if keyLogFile != nil {
            remarks.append("The secrets of TLS connections are written to a file: who reads it can read what is sent.")
        }
        return remarks
    }
}

extension TLSSettings: CustomReflectable {
    /// Everything but the client's key and its password.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "trust": trust, "minimumVersion": minimumVersion, "clientCertificate": clientCertificate as Any,
                "clientKey": clientKey as Any, "pinnedPublicKeys": pinnedPublicKeys,
                "requiresCloseNotify": requiresCloseNotify,
                "dangerouslySkipsVerification": dangerouslySkipsVerification,
            ])
    }
}
