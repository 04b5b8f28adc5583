// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import StrataEncoding
public import StrataPlatform

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension NetworkClient {
    /// A client that speaks JSON, through the platform's shared transport unless told otherwise.
    ///
    ///     let client = NetworkClient(baseURL: URL(string: "https://api.example.com/v1"))
    ///     let user = try await client.run(NetworkRequest<VoidRequest, User>(path: "users/1", method: .get)).value
    ///
    /// - `baseURL`: what the paths of requests are appended to; `nil` when every request names a complete URL.
    /// - `middleware`: outermost first.
    public init(
        baseURL: URL? = nil, transport: any NetworkTransport = PlatformTransport.shared,
        middleware: [any NetworkMiddleware] = [], encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder()
    ) {
        self.init(
            configuration: NetworkConfiguration(
                baseURL: baseURL, transport: transport, middleware: middleware, defaultEncoder: encoder,
                defaultDecoder: decoder))
    }
}
