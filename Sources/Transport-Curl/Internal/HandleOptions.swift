// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A configuration in libcurl's terms: set on a handle once, when it is made.
struct HandleOptions: Sendable {
    struct Proxy: Sendable, Equatable {
        var url = ""
        var user: String?
        var password: String?
    }

    let configuration: CurlTransport.Configuration
    let httpProxy: Proxy
    let httpsProxy: Proxy
    /// Why no request can be carried with these options, by what libcurl was built with: what is missing.
    let refusal: String?
    /// Hosts that are reached directly, separated by commas.
    let directHosts: String
    /// `HOST:PORT:ADDRESS,ADDRESS`.
    let addressOverrides: [String]

    init(_ configuration: CurlTransport.Configuration, environment: (String) -> String? = environmentVariable) {
        self.configuration = configuration
        switch configuration.proxy.value {
        case .none:
            (httpProxy, httpsProxy, directHosts) = (Proxy(), Proxy(), "*")
        case .url(let url, let user, let password, let exceptions):
            httpProxy = Proxy(url: url, user: user, password: password)
            httpsProxy = httpProxy
            directHosts = exceptions.joined(separator: ",")
        case .environment:
            // HTTP_PROXY in capitals may come from a request's `Proxy` field in CGI programs and is not read (httpoxy).
            let all = environment("all_proxy") ?? environment("ALL_PROXY") ?? ""
            httpProxy = Proxy(url: environment("http_proxy") ?? all)
            httpsProxy = Proxy(url: environment("https_proxy") ?? environment("HTTPS_PROXY") ?? all)
            directHosts = environment("no_proxy") ?? environment("NO_PROXY") ?? ""
        }
        addressOverrides = configuration.addressOverrides.map { entry in
            let addresses = entry.addresses.map { $0.contains(":") ? "[\($0)]" : $0 }
            return "\(entry.host):\(entry.port):\(addresses.joined(separator: ","))"
        }
        refusal = Self.refusal(configuration, [httpProxy, httpsProxy], .current)
    }

    private static func refusal(
        _ configuration: CurlTransport.Configuration, _ proxies: [Proxy], _ version: CurlVersion
    ) -> String? {
        if configuration.unixSocketPath != nil, !version.hasUnixSockets { return "Unix domain sockets" }
        let isSecureProxy = proxies.contains { $0.url.lowercased().hasPrefix("https://") }
        if isSecureProxy, !version.hasHTTPSProxy { return "proxies over TLS" }
        if case .pem = configuration.tls.trust, version.number < 0x07_4D_00 { return "trusted certificates in memory" }
        return nil
    }
}

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
        // Absent in old versions, where a cancelled call waits for its name lookup.
        _ = strata_set_quick_exit(easy)
        set(CURLOPT_NOSIGNAL, true)
        set(CURLOPT_FOLLOWLOCATION, false)
        set(CURLOPT_PATH_AS_IS, true)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        set(CURLOPT_HTTP_CONTENT_DECODING, false)
        set(CURLOPT_NOPROXY, options.directHosts)
        if let resolve { set(CURLOPT_RESOLVE, pointer: resolve) }
        if let path = configuration.unixSocketPath { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if let interface = configuration.localInterface { set(CURLOPT_INTERFACE, interface) }
        switch configuration.addressFamily {
        case .any: break
        case .ipv4: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .ipv6: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        }
        apply(configuration.tls)
    }

    private mutating func apply(_ tls: CurlTransport.TLS) {
        switch tls.minimumVersion {
        case .v1_2: set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        case .v1_3: set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3))
        }
        switch tls.trust {
        case .system: break
        case .file(let path): set(CURLOPT_CAINFO, path)
        case .pem(let certificates):
            note(certificates.withUnsafeBytes { strata_set_ca_blob(easy, $0.baseAddress, $0.count) })
        }
        if let certificate = tls.clientCertificate { set(CURLOPT_SSLCERT, certificate) }
        if let key = tls.clientKey { set(CURLOPT_SSLKEY, key) }
        if let password = tls.clientKeyPassword { set(CURLOPT_KEYPASSWD, password) }
        if !tls.pinnedPublicKeys.isEmpty {
            let pins = tls.pinnedPublicKeys.map { $0.hasPrefix("sha256//") ? $0 : "sha256//\($0)" }
            set(CURLOPT_PINNEDPUBLICKEY, pins.joined(separator: ";"))
        }
        // Only to see whether the server's certificate names hosts in the modern way; see `Transfer.lacksHostNames`.
        _ = strata_set_long(easy, CURLOPT_CERTINFO, tls.dangerouslySkipsVerification ? 0 : 1)
        if tls.dangerouslySkipsVerification {
            set(CURLOPT_SSL_VERIFYPEER, false)
            set(CURLOPT_SSL_VERIFYHOST, false)
        }
    }
}
