// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// A proxy, and what one loop knows of it. Touched under the loop's lock alone.
final class ProxyServer {
    let address: ProxyAddress
    /// Where connections to it lead; `isSecure` when it is reached over TLS.
    let endpoint: Endpoint
    /// `nil` when there are no credentials for it.
    let login: ProxyLogin?

    init(_ address: ProxyAddress) {
        self.address = address
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        // As requests name hosts, so that overrides are found.
        let canonical = (try? URLAuthority(host))?.host ?? host
        endpoint = Endpoint(
            isSecure: address.isSecure, host: canonical.filter { $0 != "[" && $0 != "]" }, port: address.port)
        login = address.user.map { ProxyLogin(user: $0, password: address.password ?? "") }
    }
}

/// How requests get to their origin.
enum Route {
    case direct
    /// The proxy is asked for the URL, in the absolute form (RFC 9112 §3.2.2). Its connections carry requests to any origin.
    case forward(ProxyServer)
    /// The proxy is asked for a connection to the origin (RFC 9110 §9.3.6, RFC 1928), which nobody on the way reads then.
    case tunnel(ProxyServer)

    var proxy: ProxyServer? {
        switch self {
        case .direct: nil
        case .forward(let proxy), .tunnel(let proxy): proxy
        }
    }

    /// The proxy that reads the requests.
    var forwarder: ProxyServer? { if case .forward(let proxy) = self { proxy } else { nil } }

    var isTunnel: Bool { if case .tunnel = self { true } else { false } }
}
