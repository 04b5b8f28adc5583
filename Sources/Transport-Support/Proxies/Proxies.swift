// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StrataCore

/// What a ``ProxyPolicy`` comes to: the proxies for requests to `http` and to `https`, and the hosts that are reached without.
package struct Proxies: Hashable, Sendable {
    package private(set) var http = ProxyAddress()
    package private(set) var https = ProxyAddress()
    private var exceptions = ProxyExceptions("")

    /// No proxies.
    package init() {}

    /// - Parameter environment: where names are looked up.
    /// - Throws: ``NetworkClientError`` with `malformedURL`, which quotes nothing.
    package init(_ policy: ProxyPolicy, environment: (String) -> String?) throws(NetworkClientError) {
        switch policy.value {
        case .none: break
        case .url(let url, let user, let password, let exceptions):
            http = try ProxyAddress(url, user: user, password: password)
            https = http
            self.exceptions = ProxyExceptions(exceptions.joined(separator: ","))
        case .environment:
            // HTTP_PROXY in capitals may come from a request's `Proxy` field in CGI programs and is not read (httpoxy).
            let all = environment("all_proxy") ?? environment("ALL_PROXY") ?? ""
            http = try ProxyAddress(environment("http_proxy") ?? all)
            https = try ProxyAddress(environment("https_proxy") ?? environment("HTTPS_PROXY") ?? all)
            exceptions = ProxyExceptions(environment("no_proxy") ?? environment("NO_PROXY") ?? "")
        }
    }

    /// Which of the two a request goes through.
    package enum Choice: Sendable {
        case direct, http, https
    }

    package func choice(for head: HTTPRequest) -> Choice {
        choice(isSecure: head.scheme == "https", authority: head.authority ?? "")
    }

    package func choice(isSecure: Bool, authority: String) -> Choice {
        if (isSecure ? https : http).url.isEmpty { return .direct }
        if !exceptions.isEmpty, exceptions.contain(authority: authority, isSecure: isSecure) { return .direct }
        return isSecure ? .https : .http
    }

    package subscript(_ choice: Choice) -> ProxyAddress {
        switch choice {
        case .direct: ProxyAddress()
        case .http: http
        case .https: https
        }
    }

    /// Whether one of them is reached over TLS.
    package var haveSecure: Bool { http.isSecure || https.isSecure }
    /// Whether one of them can be asked for a URL.
    package var haveHTTP: Bool { http.isHTTP || https.isHTTP }
}
