// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// A configuration in libcurl's terms: set on a handle once, when it is made. Thousands of handles share it.
final class HandleOptions: Sendable {
    let configuration: CurlTransport.Configuration
    let highWaterMark: Int
    let httpProxy: ProxyAddress
    let httpsProxy: ProxyAddress
    /// Why no request can be carried with these options.
    let refusal: NetworkClientError?
    /// Hosts that are reached directly, separated by commas.
    let directHosts: String
    /// `HOST:PORT:ADDRESS,ADDRESS`.
    let addressOverrides: [String]

    init(_ configuration: CurlTransport.Configuration, environment: (String) -> String?) {
        self.configuration = configuration
        highWaterMark = max(1, configuration.highWaterMark)
        let proxies: (http: ProxyAddress, https: ProxyAddress)
        do throws(NetworkClientError) {
            proxies = try Self.proxies(configuration, environment)
            refusal = Self.refusal(configuration, [proxies.http, proxies.https], .current)
        } catch {
            (proxies, refusal) = ((ProxyAddress(), ProxyAddress()), error)
        }
        (httpProxy, httpsProxy) = proxies
        directHosts =
            switch configuration.proxy.value {
            case .none: "*"
            case .url(_, _, _, let exceptions): exceptions.joined(separator: ",")
            case .environment: environment("no_proxy") ?? environment("NO_PROXY") ?? ""
            }
        addressOverrides = configuration.addressOverrides.map { entry in
            let addresses = entry.addresses.map { $0.contains(":") ? "[\($0)]" : $0 }
            return "\(entry.host):\(entry.port):\(addresses.joined(separator: ","))"
        }
    }

    private static func proxies(
        _ configuration: CurlTransport.Configuration, _ environment: (String) -> String?
    ) throws(NetworkClientError) -> (http: ProxyAddress, https: ProxyAddress) {
        // A socket leads where it leads.
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
        for tls in [configuration.tls, configuration.proxyTLS] {
            if case .pem = tls.trust, version.number < 0x07_4D_00 { missing = "trusted certificates in memory" }
        }
        return missing.map {
            NetworkClientError(.unsupportedByTransport, "\(version.name) was built without \($0)")
        }
    }
}
