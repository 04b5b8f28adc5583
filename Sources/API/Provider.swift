// SPDX-License-Identifier: Apache-2.0

public import Logging
public import StrataCore
public import StrataEncoding
public import StrataPlatform

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the calls of an ``API(mock:)`` type go through: a client, and with it its base URL, middleware and transport.
///
///     let provider = Provider(baseURL: "https://www.example.com")
///     let user = try await UsersAPI(provider).getUser(id: "johne")
///
/// Interceptors for header fields, logging, authentication and the like are middleware:
///
///     let provider = Provider(baseURL: "https://www.example.com", middleware: [RetryMiddleware(), BearerAuthMiddleware(…)])
public struct Provider: Sendable {
    /// Where the calls go.
    public let client: any NetworkClientProtocol
    /// Told why a stream ended early when the endpoint returns an `AsyncStream`, which cannot throw. Default: the label
    /// `strata.api`.
    public var logger = Logger(label: "strata.api")
    /// How parameters become text: in queries, paths and header fields. Unless it has a key strategy, names in queries
    /// follow that of the encoder of JSON.
    public var queryEncoder = QueryEncoder()
    public init(_ client: any NetworkClientProtocol) {
        self.client = client
    }

    /// - Parameters:
    ///   - baseURL: what the paths of endpoints are appended to. One that is no URL makes every call throw
    ///     `NetworkClientError` with code `malformedURL`.
    ///   - transport: Default: the platform's, shared by the process.
    ///   - middleware: the layers around each exchange, outermost first.
    ///   - configure: changes anything else: options, default fields, coders.
    public init(
        baseURL: String, transport: any NetworkTransport = PlatformTransport.shared,
        middleware: [any NetworkMiddleware] = [],
        configure: (inout NetworkConfiguration) -> Void = { _ in }
    ) {
        var configuration = NetworkConfiguration(baseURL: baseURL, transport: transport, middleware: middleware)
        configure(&configuration)
        self.init(NetworkClient(configuration: configuration))
    }

    /// The same with a base URL that is one already.
    public init(
        baseURL: URL?, transport: any NetworkTransport = PlatformTransport.shared,
        middleware: [any NetworkMiddleware] = [],
        configure: (inout NetworkConfiguration) -> Void = { _ in }
    ) {
        var configuration = NetworkConfiguration(baseURL: baseURL, transport: transport, middleware: middleware)
        configure(&configuration)
        self.init(NetworkClient(configuration: configuration))
    }
}
