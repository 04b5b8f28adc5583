// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Which proxy carries the requests. Its description has no credentials.
public struct ProxyPolicy: Sendable {
    package enum Value: Sendable {
        case environment
        case none
        case url(String, user: String?, password: String?, except: [String])
    }

    package let value: Value

    /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, read when the transport is made.
    public static let environment = ProxyPolicy(value: .environment)
    /// No proxy, whatever the environment says.
    public static let none = ProxyPolicy(value: .none)

    /// One proxy for everything.
    ///
    /// A request to `http` is sent to the proxy, one to `https` goes through a tunnel (`CONNECT`). The credentials
    /// appear in no error and in no description.
    ///
    /// - `url`: `http://`, `https://`, `socks5://` (names resolved here) or `socks5h://` (names resolved by the proxy),
    ///   with the port: without one it is 1080, and 443 for `https`. Credentials may stand in it.
    /// - `user`: instead of what stands in the URL.
    /// - `exceptions`: host names and domains that are reached directly; `*` for all.
    public static func url(
        _ url: String, user: String? = nil, password: String? = nil, except exceptions: [String] = []
    ) -> ProxyPolicy {
        ProxyPolicy(value: .url(url, user: user, password: password, except: exceptions))
    }
}

extension ProxyPolicy: DumpedAsDescription {
    public var description: String {
        switch value {
        case .environment: "environment"
        case .none: "none"
        case .url(let url, _, _, _): (try? ProxyAddress(url))?.url ?? "a malformed URL"
        }
    }
}
