// SPDX-License-Identifier: Apache-2.0

import StrataNative

/// A transport of the test's own that ignores the environment's proxies, and is shut down afterwards.
@discardableResult
func withNative<Result>(
    _ configure: (inout NativeTransport.Configuration) -> Void = { _ in },
    _ body: (NativeTransport) async throws -> Result
) async throws -> Result {
    var configuration = NativeTransport.Configuration()
    configuration.proxy = .none
    configure(&configuration)
    return try await NativeTransport(configuration: configuration).thenShutDown(body)
}
