// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension NetworkConfiguration {
    /// With JSON in both directions, unless told otherwise.
    public init(
        baseURL: URL? = nil, transport: any NetworkTransport, middleware: [any NetworkMiddleware] = [],
        defaultEncoder: JSONEncoder = JSONEncoder(), defaultDecoder: JSONDecoder = JSONDecoder(),
        options: RequestOptions = RequestOptions(), defaultFields: HTTPFields = [:], interceptor: Interceptor? = nil,
        clock: any NetworkClock = SystemClock()
    ) {
        self.init(
            baseURL: baseURL, transport: transport, middleware: middleware,
            defaultEncoder: defaultEncoder as any RequestBodyEncoder,
            defaultDecoder: defaultDecoder as any ResponseBodyDecoder, options: options, defaultFields: defaultFields,
            interceptor: interceptor, clock: clock)
    }

    /// The same with the base URL as text. Each call throws `malformedURL` when it is not an absolute `http` or `https` URL.
    public init(
        baseURL: String, transport: any NetworkTransport, middleware: [any NetworkMiddleware] = [],
        defaultEncoder: JSONEncoder = JSONEncoder(), defaultDecoder: JSONDecoder = JSONDecoder(),
        options: RequestOptions = RequestOptions(), defaultFields: HTTPFields = [:], interceptor: Interceptor? = nil,
        clock: any NetworkClock = SystemClock()
    ) {
        self.init(
            baseURL: baseURL, transport: transport, middleware: middleware,
            defaultEncoder: defaultEncoder as any RequestBodyEncoder,
            defaultDecoder: defaultDecoder as any ResponseBodyDecoder, options: options, defaultFields: defaultFields,
            interceptor: interceptor, clock: clock)
    }

    /// Sends JSON, and decodes with a decoder of another kind.
    public init(
        baseURL: URL? = nil, transport: any NetworkTransport, middleware: [any NetworkMiddleware] = [],
        defaultDecoder: any ResponseBodyDecoder, options: RequestOptions = RequestOptions(),
        defaultFields: HTTPFields = [:], interceptor: Interceptor? = nil, clock: any NetworkClock = SystemClock()
    ) {
        self.init(
            baseURL: baseURL, transport: transport, middleware: middleware, defaultEncoder: JSONEncoder(),
            defaultDecoder: defaultDecoder, options: options, defaultFields: defaultFields, interceptor: interceptor,
            clock: clock)
    }

    /// Decodes JSON, and encodes with an encoder of another kind.
    public init(
        baseURL: URL? = nil, transport: any NetworkTransport, middleware: [any NetworkMiddleware] = [],
        defaultEncoder: any RequestBodyEncoder, options: RequestOptions = RequestOptions(),
        defaultFields: HTTPFields = [:], interceptor: Interceptor? = nil, clock: any NetworkClock = SystemClock()
    ) {
        self.init(
            baseURL: baseURL, transport: transport, middleware: middleware, defaultEncoder: defaultEncoder,
            defaultDecoder: JSONDecoder(), options: options, defaultFields: defaultFields, interceptor: interceptor,
            clock: clock)
    }
}
