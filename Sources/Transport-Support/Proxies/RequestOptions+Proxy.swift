// SPDX-License-Identifier: Apache-2.0

public import StrataCore

extension RequestOptions {
    /// The proxy for this request, instead of that of its transport. Default: `nil`, which is also what `.none` means here: a request that
    /// is to go without a proxy has `ProxyPolicy.none`.
    ///
    /// `.environment` is what the environment said when the transport was made. TLS with the proxy is as the transport has it. A Unix domain
    /// socket replaces this proxy too. A URL that cannot be used fails the request with `malformedURL`. Transports need the feature
    /// `TransportCapabilities.Features.requestProxies`; without it the request fails with `unsupportedByTransport`.
    public var proxy: ProxyPolicy? {
        get { ownProxy as? ProxyPolicy }
        set { ownProxy = newValue }
    }
}
