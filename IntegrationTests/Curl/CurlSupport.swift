// SPDX-License-Identifier: Apache-2.0

import StrataCurl

/// A transport of the test's own that ignores the environment's proxies, and is shut down afterwards.
@discardableResult
func withCurl<Result>(
    _ configure: (inout CurlTransport.Configuration) -> Void = { _ in },
    _ body: (CurlTransport) async throws -> Result
) async throws -> Result {
    var configuration = CurlTransport.Configuration.direct
    configure(&configuration)
    return try await CurlTransport(configuration: configuration).thenShutDown(body)
}

extension CurlTransport.Configuration {
    /// Without the environment's proxies.
    static var direct: Self {
        var configuration = Self()
        configuration.proxy = .none
        return configuration
    }
}
