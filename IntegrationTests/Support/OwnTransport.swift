// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataCurl
import StrataNative
import Testing

/// The transports that bring their own connections, with what both can be told about them.
enum OwnTransport: String, CaseIterable, CustomTestStringConvertible {
    case curl, native

    struct Configuration {
        /// Not that of the environment.
        var proxy = ProxyPolicy.none
        var tls = TLSSettings()
        var proxyTLS = TLSSettings()
        var addressOverrides: [AddressOverride] = []
    }

    var testDescription: String { rawValue }

    /// A transport for the time of `body`.
    @discardableResult
    func with<Result>(
        _ configure: (inout Configuration) -> Void = { _ in }, environment: [String: String] = [:],
        _ body: (any NetworkTransport) async throws -> Result
    ) async throws -> Result {
        var own = Configuration()
        configure(&own)
        return try await make(own, environment: environment).thenShutDown(body)
    }

    /// For whom shuts it down.
    func make(_ own: Configuration, environment: [String: String] = [:]) -> any NetworkTransport {
        switch self {
        case .curl:
            var configuration = CurlTransport.Configuration()
            (configuration.proxy, configuration.tls, configuration.proxyTLS) = (own.proxy, own.tls, own.proxyTLS)
            configuration.addressOverrides = own.addressOverrides
            return CurlTransport(configuration: configuration) { environment[$0] }
        case .native:
            var configuration = NativeTransport.Configuration()
            (configuration.proxy, configuration.tls, configuration.proxyTLS) = (own.proxy, own.tls, own.proxyTLS)
            configuration.addressOverrides = own.addressOverrides
            return NativeTransport(configuration: configuration) { environment[$0] }
        }
    }

    /// Sends a request, and returns the response's text.
    func text(of url: String, _ configure: (inout Configuration) -> Void = { _ in }) async throws -> String {
        try await with(configure) { try await $0.text(.get, url) }
    }

    /// Sends a request that has to fail, and returns the failure.
    func failure(
        of url: String, _ configure: (inout Configuration) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> NetworkClientError {
        try await with(configure) { transport in
            let error = await #expect(throws: NetworkClientError.self, sourceLocation: sourceLocation) {
                try await transport.text(.get, url)
            }
            return try #require(error, sourceLocation: sourceLocation)
        }
    }
}
