// SPDX-License-Identifier: Apache-2.0

import CStrataCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
import StrataTransportSupport
#endif

/// Sets options on one easy handle and remembers the first that was refused.
struct OptionSetter {
    let easy: UnsafeMutableRawPointer
    private(set) var failure: CURLcode = CURLE_OK

    init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

    mutating func note(_ code: CURLcode) {
        if failure == CURLE_OK, code != CURLE_OK { failure = code }
    }

    mutating func set(_ option: CURLoption, _ value: Int) { note(strata_set_long(easy, option, value)) }
    mutating func set(_ option: CURLoption, _ value: Bool) { note(strata_set_long(easy, option, value ? 1 : 0)) }
    mutating func set(_ option: CURLoption, size: Int64) { note(strata_set_size(easy, option, curl_off_t(size))) }
    mutating func set(_ option: CURLoption, _ value: String?) {
        if let value {
            note(value.withCString { strata_set_string(easy, option, $0) })
        } else {
            note(strata_set_string(easy, option, nil))
        }
    }
    mutating func set(_ option: CURLoption, pointer: UnsafeRawPointer?) {
        note(strata_set_pointer(easy, option, pointer))
    }

    /// Everything that is the same for all requests of a transport.
    mutating func apply(_ options: HandleOptions, resolve: UnsafeMutablePointer<curl_slist>?) {
        let configuration = options.configuration
        note(strata_set_http_only(easy))
        // Before 7.87 there is no such option, and a cancelled call waits for the end of its name lookup.
        _ = strata_set_quick_exit(easy)
        set(CURLOPT_NOSIGNAL, true)
        set(CURLOPT_FOLLOWLOCATION, false)
        set(CURLOPT_PATH_AS_IS, true)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        set(CURLOPT_HTTP_CONTENT_DECODING, false)
        // The buffer is allocated for uploads alone. With it a large body takes a fifth less CPU than with the default
        // of 64 KiB.
        set(CURLOPT_UPLOAD_BUFFERSIZE, 256 * 1024)
        // Idle connections are ended by the loop, also when nothing is sent.
        set(CURLOPT_MAXAGE_CONN, Int(Int32.max))
        if let age = configuration.maximumConnectionAge { set(CURLOPT_MAXLIFETIME_CONN, Self.seconds(age)) }
        set(CURLOPT_DNS_CACHE_TIMEOUT, configuration.dnsCacheTime.map { $0 > .zero ? Self.seconds($0) : 0 } ?? -1)
        if let url = configuration.dnsOverHTTPS { set(CURLOPT_DOH_URL, url.absoluteString) }
        if let file = configuration.alternativeServicesFile {
            let versions = CURLALTSVC_H1 | CURLALTSVC_H2 | (CurlVersion.current.hasHTTP3 ? CURLALTSVC_H3 : 0)
            set(CURLOPT_ALTSVC_CTRL, Int(versions))
            set(CURLOPT_ALTSVC, file)
        }
        if let log = options.keyLog { note(strata_set_tls_context(easy, onTLSContext, log.opaque)) }
        // Who is reached directly is decided for each request; libcurl would ask the environment.
        set(CURLOPT_NOPROXY, "")
        if let resolve { set(CURLOPT_RESOLVE, pointer: resolve) }
        if let path = configuration.unixSocketPath { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if let interface = configuration.localInterface { set(CURLOPT_INTERFACE, interface) }
        switch configuration.addressFamily {
        case .any: break
        case .ipv4: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .ipv6: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        }
        apply(configuration.tls, to: .server)
        // Needed to see whether the server's certificate has subject alternative names; see `Transfer.mayBeSent`.
        _ = strata_set_long(easy, CURLOPT_CERTINFO, configuration.tls.dangerouslySkipsVerification ? 0 : 1)
        if options.proxies.haveSecure { apply(configuration.proxyTLS, to: .proxy) }
    }

    /// Whole seconds, at least one.
    private static func seconds(_ duration: Duration) -> Int {
        Int(min(max(1, duration.components.seconds), Int64(Int32.max)))
    }

    private mutating func apply(_ tls: CurlTransport.TLS, to peer: SecurePeer) {
        switch tls.minimumVersion {
        case .v1_2: set(peer.version, Int(CURL_SSLVERSION_TLSv1_2))
        case .v1_3: set(peer.version, Int(CURL_SSLVERSION_TLSv1_3))
        }
        // In addition to the file, libcurl would go on trusting the system's folder of authorities.
        switch tls.trust {
        case .system: break
        case .file(let path):
            set(peer.authoritiesFolder, CurlVersion.emptyFolder(in: CurlVersion.current.number))
            set(peer.authorities, path)
        case .pem(let certificates):
            set(peer.authoritiesFolder, CurlVersion.emptyFolder(in: CurlVersion.current.number))
            note(
                certificates.withUnsafeBytes {
                    strata_set_blob(easy, peer.authoritiesBlob, $0.baseAddress, $0.count)
                })
        }
        if let identity = tls.clientIdentity {
            for option in [peer.certificateBlob, peer.keyBlob] {
                note(identity.withUnsafeBytes { strata_set_blob(easy, option, $0.baseAddress, $0.count) })
            }
        } else {
            if let certificate = tls.clientCertificate { set(peer.certificate, certificate) }
            if let key = tls.clientKey { set(peer.key, key) }
        }
        if let password = tls.clientKeyPassword { set(peer.keyPassword, password) }
        if !tls.pinnedPublicKeys.isEmpty {
            // One that is no pin has made the options refuse all requests.
            let pins = tls.pinnedPublicKeys.map { (try? PublicKeyPin($0).libcurlText) ?? "" }
            set(peer.pinnedKey, pins.joined(separator: ";"))
        }
        if tls.dangerouslySkipsVerification {
            set(peer.verifiesPeer, false)
            set(peer.verifiesHost, false)
        }
    }
}

/// The peer of a TLS connection, server or proxy. libcurl has each option of TLS once for either.
private enum SecurePeer {
    case server, proxy

    var version: CURLoption { self == .server ? CURLOPT_SSLVERSION : CURLOPT_PROXY_SSLVERSION }
    var authorities: CURLoption { self == .server ? CURLOPT_CAINFO : CURLOPT_PROXY_CAINFO }
    var authoritiesFolder: CURLoption { self == .server ? CURLOPT_CAPATH : CURLOPT_PROXY_CAPATH }
    var authoritiesBlob: CURLoption { self == .server ? CURLOPT_CAINFO_BLOB : CURLOPT_PROXY_CAINFO_BLOB }
    var certificate: CURLoption { self == .server ? CURLOPT_SSLCERT : CURLOPT_PROXY_SSLCERT }
    var key: CURLoption { self == .server ? CURLOPT_SSLKEY : CURLOPT_PROXY_SSLKEY }
    var certificateBlob: CURLoption { self == .server ? CURLOPT_SSLCERT_BLOB : CURLOPT_PROXY_SSLCERT_BLOB }
    var keyBlob: CURLoption { self == .server ? CURLOPT_SSLKEY_BLOB : CURLOPT_PROXY_SSLKEY_BLOB }
    var keyPassword: CURLoption { self == .server ? CURLOPT_KEYPASSWD : CURLOPT_PROXY_KEYPASSWD }
    var pinnedKey: CURLoption { self == .server ? CURLOPT_PINNEDPUBLICKEY : CURLOPT_PROXY_PINNEDPUBLICKEY }
    var verifiesPeer: CURLoption { self == .server ? CURLOPT_SSL_VERIFYPEER : CURLOPT_PROXY_SSL_VERIFYPEER }
    var verifiesHost: CURLoption { self == .server ? CURLOPT_SSL_VERIFYHOST : CURLOPT_PROXY_SSL_VERIFYHOST }
}

extension PublicKeyPin {
    var libcurlText: String { "sha256//\(hash.base64EncodedString())" }
}
