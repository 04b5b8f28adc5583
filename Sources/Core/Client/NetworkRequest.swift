// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A call as a value: what is sent, and the type that the response is read as.
///
///     let request = NetworkRequest<VoidRequest, PostsResponse>(path: "/posts/bookmarks", method: .get)
///
/// What it leaves out comes from the client's ``NetworkConfiguration``.
public struct NetworkRequest<RequestModel, ResponseModel> where RequestModel: Encodable, ResponseModel: Decodable {
    /// Appended to the base URL with one slash between; a complete `http(s)` URL replaces it.
    ///
    ///     path: "users/\(name)"
    ///
    /// A literal is a ``RequestPath``, which encodes the values in it. A `String` is taken for text of a URL: escapes
    /// stay, characters that a URL does not allow are encoded, `#` too, `?` begins a query, and `..` goes up.
    public var path: RequestPath?
    public var method: HTTPMethod
    /// Added to the base URL's own query, each encoded once; items without a value are left out.
    public var queryItems: [URLQueryItem]?
    /// The body as a form. Wins over ``body``.
    public var formItems: [URLFormItem]?
    /// Overrides ``NetworkConfiguration/baseURL``.
    public var baseURL: URL?
    /// Encoded by ``encoder``; `Data`, `String`, ``RequestBody`` and other ``RequestBodyConvertible`` models are sent as they are.
    /// `nil` is no body, also where the model is an optional.
    public var body: RequestModel?
    /// Overrides ``NetworkConfiguration/defaultDecoder``.
    public var decoder: (any ResponseBodyDecoder)?
    /// Overrides ``NetworkConfiguration/defaultEncoder``.
    public var encoder: (any RequestBodyEncoder)?
    /// Fields as plain text; checked when the request is sent. Each replaces a field of the same name in ``headerFields``.
    public var additionalHeaders: [String: String]?
    /// Fields in order, repeats allowed.
    public var headerFields: HTTPFields
    /// Changes the client's options for this request, in either direction.
    public var options: RequestOptions.Override?
    /// Replaces the configuration's list when given.
    public var middleware: [any NetworkMiddleware]?
    /// Set where the response's model is known to be `Sendable`.
    package var concurrentDecoding: ConcurrentDecoding<ResponseModel>?

    public init(
        path: RequestPath? = nil, method: HTTPMethod, queryItems: [URLQueryItem]? = nil,
        formItems: [URLFormItem]? = nil,
        baseURL: URL? = nil, body: RequestModel?, decoder: (any ResponseBodyDecoder)? = nil,
        encoder: (any RequestBodyEncoder)? = nil, additionalHeaders: [String: String]? = nil,
        headerFields: HTTPFields = [:], middleware: [any NetworkMiddleware]? = nil,
        options: RequestOptions.Override? = nil
    ) {
        self.path = path
        self.method = method
        self.queryItems = queryItems
        self.formItems = formItems
        self.baseURL = baseURL
        self.body = body
        self.decoder = decoder
        self.encoder = encoder
        self.additionalHeaders = additionalHeaders
        self.headerFields = headerFields
        self.middleware = middleware
        self.options = options
    }

    /// The same with a path that is text of a URL already; see ``path``.
    @_disfavoredOverload
    public init(
        path: String?, method: HTTPMethod, queryItems: [URLQueryItem]? = nil, formItems: [URLFormItem]? = nil,
        baseURL: URL? = nil, body: RequestModel?, decoder: (any ResponseBodyDecoder)? = nil,
        encoder: (any RequestBodyEncoder)? = nil, additionalHeaders: [String: String]? = nil,
        headerFields: HTTPFields = [:], middleware: [any NetworkMiddleware]? = nil,
        options: RequestOptions.Override? = nil
    ) {
        self.init(
            path: path.map { RequestPath(text: $0) }, method: method, queryItems: queryItems, formItems: formItems,
            baseURL: baseURL, body: body, decoder: decoder, encoder: encoder, additionalHeaders: additionalHeaders,
            headerFields: headerFields, middleware: middleware, options: options)
    }

    /// The same with the body before the base URL.
    public init(
        path: RequestPath? = nil, method: HTTPMethod, queryItems: [URLQueryItem]? = nil,
        formItems: [URLFormItem]? = nil,
        body: RequestModel?, baseURL: URL?, decoder: (any ResponseBodyDecoder)? = nil,
        encoder: (any RequestBodyEncoder)? = nil, additionalHeaders: [String: String]? = nil,
        headerFields: HTTPFields = [:], middleware: [any NetworkMiddleware]? = nil,
        options: RequestOptions.Override? = nil
    ) {
        self.init(
            path: path, method: method, queryItems: queryItems, formItems: formItems, baseURL: baseURL, body: body,
            decoder: decoder, encoder: encoder, additionalHeaders: additionalHeaders, headerFields: headerFields,
            middleware: middleware, options: options)
    }
}

extension NetworkRequest where RequestModel == VoidRequest {
    /// A request without a body, whose type parameters can be inferred where the response's is known.
    ///
    ///     let post: Post = try await client.run(NetworkRequest(path: "posts/1", method: .get)).value
    public init(
        path: RequestPath? = nil, method: HTTPMethod, queryItems: [URLQueryItem]? = nil,
        formItems: [URLFormItem]? = nil,
        baseURL: URL? = nil, decoder: (any ResponseBodyDecoder)? = nil, encoder: (any RequestBodyEncoder)? = nil,
        additionalHeaders: [String: String]? = nil, headerFields: HTTPFields = [:],
        middleware: [any NetworkMiddleware]? = nil, options: RequestOptions.Override? = nil
    ) {
        self.init(
            path: path, method: method, queryItems: queryItems, formItems: formItems, baseURL: baseURL, body: nil,
            decoder: decoder, encoder: encoder, additionalHeaders: additionalHeaders, headerFields: headerFields,
            middleware: middleware, options: options)
    }
}

extension NetworkRequest where RequestModel == VoidRequest {
    /// The same with a path that is text of a URL already; see ``path``.
    @_disfavoredOverload
    public init(
        path: String?, method: HTTPMethod, queryItems: [URLQueryItem]? = nil, formItems: [URLFormItem]? = nil,
        baseURL: URL? = nil, decoder: (any ResponseBodyDecoder)? = nil, encoder: (any RequestBodyEncoder)? = nil,
        additionalHeaders: [String: String]? = nil, headerFields: HTTPFields = [:],
        middleware: [any NetworkMiddleware]? = nil, options: RequestOptions.Override? = nil
    ) {
        self.init(
            path: path, method: method, queryItems: queryItems, formItems: formItems, baseURL: baseURL, body: nil,
            decoder: decoder, encoder: encoder, additionalHeaders: additionalHeaders, headerFields: headerFields,
            middleware: middleware, options: options)
    }
}

extension NetworkRequest {
    /// A form, whatever the model of a body would be.
    @_disfavoredOverload
    public init(
        path: RequestPath? = nil, method: HTTPMethod, queryItems: [URLQueryItem]? = nil, formItems: [URLFormItem],
        baseURL: URL? = nil, decoder: (any ResponseBodyDecoder)? = nil, encoder: (any RequestBodyEncoder)? = nil,
        additionalHeaders: [String: String]? = nil, headerFields: HTTPFields = [:],
        middleware: [any NetworkMiddleware]? = nil, options: RequestOptions.Override? = nil
    ) {
        self.init(
            path: path, method: method, queryItems: queryItems, formItems: formItems, baseURL: baseURL, body: nil,
            decoder: decoder, encoder: encoder, additionalHeaders: additionalHeaders, headerFields: headerFields,
            middleware: middleware, options: options)
    }

    /// For the message alone.
    @_disfavoredOverload
    @available(
        *, unavailable,
        message:
            "a request with a model for its body needs the 'body'; one without a body has 'VoidRequest' as its model"
    )
    public init(
        path: RequestPath? = nil, method: HTTPMethod, queryItems: [URLQueryItem]? = nil, baseURL: URL? = nil,
        decoder: (any ResponseBodyDecoder)? = nil, encoder: (any RequestBodyEncoder)? = nil,
        additionalHeaders: [String: String]? = nil, headerFields: HTTPFields = [:],
        middleware: [any NetworkMiddleware]? = nil, options: RequestOptions.Override? = nil
    ) {
        self.init(path: path, method: method, body: nil)
    }
}

extension NetworkRequest: Sendable where RequestModel: Sendable {}

extension NetworkRequest: DumpedAsDescription {
    /// `GET https://api.example/users`, or `GET users` without a base URL of its own: without user information, query,
    /// fields and body.
    public var description: String {
        let base = baseURL.flatMap { try? RequestURL($0.absoluteString) }
        let url = try? RequestURL(base: base, path: path?.text)
        let text = (url?.text).map { URLReference($0).textWithoutSecrets } ?? path?.description
        return [method.rawValue, text].compactMap { $0 }.joined(separator: " ")
    }
}
