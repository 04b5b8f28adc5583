// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension NetworkConfiguration {
    /// A configuration over `URLSession`.
    ///
    ///     let configuration = NetworkConfiguration(
    ///         session: .shared, defaultDecoder: JSONDecoder(), defaultEncoder: JSONEncoder(), baseURL: url)
    ///
    /// - `session`: gives its configuration to the transport; see `URLSessionTransport.init(session:)`.
    /// - `defaultDecoder`: a `JSONDecoder` is one with the module `StrataEncoding`; likewise the encoder.
    /// - `interceptor`: changes each request right before it is sent.
    public init(
        session: URLSession, defaultDecoder: any ResponseBodyDecoder, defaultEncoder: any RequestBodyEncoder,
        baseURL: URL,
        interceptor: URLRequestInterceptor? = nil
    ) {
        self.init(
            baseURL: baseURL, transport: URLSessionTransport(session: session), defaultEncoder: defaultEncoder,
            defaultDecoder: defaultDecoder)
        if let interceptor { self.interceptor = Self.bridged(interceptor) }
    }

    /// A change to a request, in Foundation's terms.
    public typealias URLRequestInterceptor = @Sendable (URLRequest) -> URLRequest

    /// The session that the transport was made from; `nil` when it was made without one, or is another transport.
    public var session: URLSession? { (transport as? URLSessionTransport)?.session }

    /// Sets ``interceptor`` to a function over `URLRequest`, over any transport.
    ///
    /// What the function leaves alone is not touched: field names, repeated fields and streamed bodies pass as they are.
    /// User information in a URL that it sets becomes a Basic `Authorization` field where there is none.
    public mutating func intercept(_ change: @escaping URLRequestInterceptor) {
        interceptor = Self.bridged(change)
    }

    private static func bridged(_ change: @escaping URLRequestInterceptor) -> Interceptor {
        { request in try request.applying(change) }
    }
}
