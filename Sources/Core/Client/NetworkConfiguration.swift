// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a client is made of. `StrataEncoding` adds an initialiser with JSON as the default format.
public struct NetworkConfiguration: Sendable {
    /// What the paths of requests are appended to, e.g. `https://hostname.com/api/v3`. A query in it is kept.
    public var baseURL: URL? {
        didSet { parseBaseURL(baseURL?.absoluteString) }
    }
    public var transport: any NetworkTransport
    /// The layers around each exchange, outermost first.
    public var middleware: [any NetworkMiddleware]
    /// For requests that name no encoder of their own.
    public var defaultEncoder: any RequestBodyEncoder
    /// For requests that name no decoder of their own.
    public var defaultDecoder: any ResponseBodyDecoder
    /// ``defaultEncoder``, by the name that it has in requests and clients.
    public var encoder: any RequestBodyEncoder {
        get { defaultEncoder }
        set { defaultEncoder = newValue }
    }
    /// ``defaultDecoder``, by the name that it has in requests and clients.
    public var decoder: any ResponseBodyDecoder {
        get { defaultDecoder }
        set { defaultDecoder = newValue }
    }
    /// What a ``NetworkRequest`` starts from; each may override it. A ``TransportRequest`` has options of its own.
    public var options: RequestOptions
    /// Fields that a ``NetworkRequest`` carries unless it sets them itself.
    ///
    /// When there is a ``baseURL``, the sensitive ones, `Origin` and `Host` are sent only to its origin (to nobody when it is
    /// malformed). They are not sent where `pages(of:)` followed a link to another origin. A request that is exempt from
    /// authentication gets none of the sensitive ones.
    public var defaultFields: HTTPFields
    /// Runs innermost, once per attempt, right before the transport.
    ///
    /// The `Authorization`, `Cookie`, `Proxy-Authorization`, `Origin`, `Host` and sensitive fields that it sets are removed
    /// when a redirect, or a link that `pages(of:)` followed, led to another origin. What it puts into the URL stays: compare
    /// the request's ``TransportRequest/origin`` first.
    public var interceptor: Interceptor?
    /// Measures deadlines and the waits between attempts. Default: ``SystemClock``.
    public var clock: any NetworkClock
    /// Sent as `User-Agent` with each ``NetworkRequest`` that has none when it has passed all layers. Default:
    /// `Strata/` and the version; `nil` sends none.
    public var userAgent: String? = "Strata/\(StrataVersion.current)"
    /// Called for each body that could not be decoded, before the error is thrown.
    public var onDecodingFailure: (@Sendable (NetworkClientError) -> Void)?

    public typealias Interceptor = @Sendable (TransportRequest) async throws -> TransportRequest

    private var parsedBaseURL: Result<RequestURL, NetworkClientError>?
    /// The origin of ``baseURL``. For a malformed base URL it is one that no request has, so that no server counts as
    /// the client's own.
    private(set) package var baseOrigin: Origin?

    public init(
        baseURL: URL? = nil, transport: any NetworkTransport, middleware: [any NetworkMiddleware] = [],
        defaultEncoder: any RequestBodyEncoder, defaultDecoder: any ResponseBodyDecoder,
        options: RequestOptions = RequestOptions(), defaultFields: HTTPFields = [:], interceptor: Interceptor? = nil,
        clock: any NetworkClock = SystemClock()
    ) {
        self.baseURL = baseURL
        self.transport = transport
        self.middleware = middleware
        self.defaultEncoder = defaultEncoder
        self.defaultDecoder = defaultDecoder
        self.options = options
        self.defaultFields = defaultFields
        self.interceptor = interceptor
        self.clock = clock
        parseBaseURL(baseURL?.absoluteString)
    }

    /// The same with the base URL as text. Each call throws `malformedURL` when it is not an absolute `http` or `https` URL.
    public init(
        baseURL: String, transport: any NetworkTransport, middleware: [any NetworkMiddleware] = [],
        defaultEncoder: any RequestBodyEncoder, defaultDecoder: any ResponseBodyDecoder,
        options: RequestOptions = RequestOptions(), defaultFields: HTTPFields = [:], interceptor: Interceptor? = nil,
        clock: any NetworkClock = SystemClock()
    ) {
        self.init(
            baseURL: URL(string: baseURL), transport: transport, middleware: middleware,
            defaultEncoder: defaultEncoder, defaultDecoder: defaultDecoder, options: options,
            defaultFields: defaultFields, interceptor: interceptor, clock: clock)
        parseBaseURL(baseURL)
    }

    private mutating func parseBaseURL(_ text: String?) {
        parsedBaseURL = text.map { text in
            do throws(NetworkClientError) {
                return .success(try RequestURL(text))
            } catch {
                return .failure(error)
            }
        }
        baseOrigin = parsedBaseURL.map { result in
            (try? result.get()).flatMap { Origin(scheme: $0.scheme, authority: $0.authority) }
                ?? Origin(scheme: "", host: "")
        }
    }

    /// The base URL, taken apart once.
    package var base: RequestURL? {
        get throws { try parsedBaseURL?.get() }
    }

    /// The client's own server, to which its secrets may go: the origin of its base URL. Without one it is the origin
    /// where the call begins, unless a link led there.
    func homeServer(scheme: String?, authority: String?, options: RequestOptions) -> HomeServer {
        if let baseOrigin { return .origin(baseOrigin) }
        guard !options.isLedByLink, let scheme, let authority else { return .none }
        return .start(scheme: scheme, authority: authority)
    }
}

extension NetworkConfiguration: DumpedAsDescription {
    /// The base URL without user information and query.
    public var description: String {
        baseURL.map { URLReference($0.absoluteString).textWithoutSecrets } ?? "no base URL"
    }
}
