// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A configuration in libcurl's terms: set on a handle once, when it is made. Thousands of handles share it.
final class HandleOptions: Sendable {
    let configuration: CurlTransport.Configuration
    let highWaterMark: Int
    /// Shared by all loops, and stopped with them.
    let resolver: NameResolver
    let idleLimits: IdleLimits
    /// In seconds; 0 for none.
    let tcpKeepAlive: Int32
    let keyLog: KeyLog?
    let httpProxy: ProxyAddress
    let httpsProxy: ProxyAddress
    /// Why no request can be carried with these options.
    let refusal: NetworkClientError?
    /// The hosts that no proxy is used for.
    let exceptions: ProxyExceptions
    /// `HOST:PORT:ADDRESS,ADDRESS`.
    let addressOverrides: [String]

    /// - Parameter lookup: asks for a name's addresses, in place of the system.
    init(
        _ configuration: CurlTransport.Configuration, environment: (String) -> String?,
        lookup: NameResolver.Lookup? = nil
    ) {
        self.configuration = configuration
        resolver = lookup.map { NameResolver(lookup: $0) } ?? NameResolver(family: configuration.addressFamily)
        highWaterMark = max(1, configuration.highWaterMark)
        idleLimits = IdleLimits(
            age: configuration.idleConnectionTimeout.map(UInt64.init(nanosecondsOf:)),
            count: configuration.maximumIdleConnections)
        tcpKeepAlive = configuration.tcpKeepAlive.map { Int32(clamping: max(1, $0.components.seconds)) } ?? 0
        var proxies = (http: ProxyAddress(), https: ProxyAddress())
        var overrides: [String] = []
        var refusal: NetworkClientError?
        var keyLog: KeyLog?
        do throws(NetworkClientError) {
            proxies = try Self.proxies(configuration, environment)
            overrides = try configuration.addressOverrides.map(Self.line)
            for pin in configuration.tls.pinnedPublicKeys + configuration.proxyTLS.pinnedPublicKeys {
                _ = try PublicKeyPin.text(pin)
            }
            refusal = Self.refusal(configuration, [proxies.http, proxies.https], .current)
            keyLog = try configuration.tlsKeyLogFile.map { file throws(NetworkClientError) in try KeyLog(file) }
        } catch {
            refusal = error
        }
        (httpProxy, httpsProxy) = proxies
        addressOverrides = overrides
        self.keyLog = keyLog
        self.refusal = refusal
        let exceptions =
            switch configuration.proxy.value {
            case .none: ""
            case .url(_, _, _, let exceptions): exceptions.joined(separator: ",")
            case .environment: environment("no_proxy") ?? environment("NO_PROXY") ?? ""
            }
        self.exceptions = ProxyExceptions(exceptions)
    }

    /// Which of the two proxies a request goes through.
    enum ProxyChoice: Sendable {
        case direct, http, https
    }

    func proxyChoice(for head: HTTPRequest) -> ProxyChoice {
        let isSecure = head.scheme == "https"
        if (isSecure ? httpsProxy : httpProxy).url.isEmpty { return .direct }
        if !exceptions.isEmpty, exceptions.contain(authority: head.authority ?? "", isSecure: isSecure) {
            return .direct
        }
        return isSecure ? .https : .http
    }

    func proxy(_ choice: ProxyChoice) -> ProxyAddress {
        switch choice {
        case .direct: ProxyAddress()
        case .http: httpProxy
        case .https: httpsProxy
        }
    }

    /// As libcurl reads it, which takes the first colon for the end of the host; the host as requests have it.
    private static func line(_ entry: CurlTransport.AddressOverride) throws(NetworkClientError) -> String {
        guard (1...65535).contains(entry.port), !entry.addresses.isEmpty, entry.addresses.allSatisfy(isAddress),
            let host = entry.host == "*" ? "*" : canonicalHost(entry.host), !host.contains(":"),
            // libcurl takes a line that begins with a sign for one of another kind.
            !host.hasPrefix("-"), !host.hasPrefix("+")
        else {
            throw NetworkClientError(
                .malformedURL, "an address override needs a host name, a port and at least one address of IPv4 or IPv6")
        }
        let addresses = entry.addresses.map { $0.contains(":") ? "[\($0)]" : $0 }
        return "\(host):\(entry.port):\(addresses.joined(separator: ","))"
    }

    /// The canonical form of what is a host and nothing else.
    private static func canonicalHost(_ text: String) -> String? {
        let parts = try? URLAuthority(text)
        return parts?.userinfo == nil && parts?.port == nil ? parts?.host : nil
    }

    private static func isAddress(_ text: String) -> Bool {
        if text.contains(":") { return canonicalHost("[\(text)]") != nil }
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        // No signs and no leading zeros, which libcurl does not accept.
        return numbers.count == 4 && numbers.allSatisfy { "\(UInt8($0) ?? 0)" == $0 }
    }

    private static func proxies(
        _ configuration: CurlTransport.Configuration, _ environment: (String) -> String?
    ) throws(NetworkClientError) -> (http: ProxyAddress, https: ProxyAddress) {
        // A Unix domain socket replaces any proxy.
        if configuration.unixSocketPath != nil { return (ProxyAddress(), ProxyAddress()) }
        switch configuration.proxy.value {
        case .none:
            return (ProxyAddress(), ProxyAddress())
        case .url(let url, let user, let password, _):
            let proxy = try ProxyAddress(url, user: user, password: password)
            return (proxy, proxy)
        case .environment:
            // HTTP_PROXY in capitals may come from a request's `Proxy` field in CGI programs and is not read (httpoxy).
            let all = environment("all_proxy") ?? environment("ALL_PROXY") ?? ""
            return (
                try ProxyAddress(environment("http_proxy") ?? all),
                try ProxyAddress(environment("https_proxy") ?? environment("HTTPS_PROXY") ?? all)
            )
        }
    }

    private static func refusal(
        _ configuration: CurlTransport.Configuration, _ proxies: [ProxyAddress], _ version: CurlVersion
    ) -> NetworkClientError? {
        var missing: String?
        if configuration.unixSocketPath != nil, !version.hasUnixSockets { missing = "Unix domain sockets" }
        if proxies.contains(where: \.isSecure), !version.hasHTTPSProxy { missing = "proxies over TLS" }
        if configuration.alternativeServicesFile != nil, !version.hasAlternativeServices { missing = "Alt-Svc" }
        if [configuration.tls, configuration.proxyTLS].contains(where: { $0.clientIdentity?.isEmpty == true }) {
            return NetworkClientError(.tlsFailed, "the client's identity is empty")
        }
        if let url = configuration.dnsOverHTTPS, url.scheme?.lowercased() != "https" {
            return NetworkClientError(.malformedURL, "DNS over HTTPS needs an https URL")
        }
        if version.isTooOld {
            return NetworkClientError(
                .unsupportedByTransport, "\(version.name) is too old: it takes \(CurlVersion.oldestName) or newer")
        }
        return missing.map {
            NetworkClientError(.unsupportedByTransport, "\(version.name) was built without \($0)")
        }
    }
}

extension HandleOptions: CustomReflectable {
    /// The configuration, which shows no secrets.
    var customMirror: Mirror { Mirror(self, children: ["configuration": configuration]) }
}
