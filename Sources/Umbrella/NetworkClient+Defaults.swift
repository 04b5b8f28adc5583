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
    ///     let client = NetworkClient(baseURL: "https://api.example.com/v1")
    ///     let user: User = try await client.get("users/\(id)")
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

    /// The same with the base URL as text. Each call throws `malformedURL` when it is not an absolute `http` or `https` URL.
    public init(
        baseURL: String, transport: any NetworkTransport = PlatformTransport.shared,
        middleware: [any NetworkMiddleware] = [], encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder()
    ) {
        self.init(
            configuration: NetworkConfiguration(
                baseURL: baseURL, transport: transport, middleware: middleware, defaultEncoder: encoder,
                defaultDecoder: decoder))
    }
}
