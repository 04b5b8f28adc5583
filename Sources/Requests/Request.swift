// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
public import StrataEncoding

public import Foundation

/// A request as a value: to a URL, or below a ``Service`` or ``Endpoint``, from which it inherits whatever it does not
/// set itself.
///
///     let request = Request(.get, url: url) {
///         Headers { Header.accept(.applicationJSON) }
///         QueryItems { ("name", "firstname") }
///     }
///     let users: [User] = try await request.send()
///
/// It is `Sendable`, so it can be a `static let`. It is sent through its ``client``, or without one through a client over
/// its ``session``. Copies with changes are made by `setting(_:)`, `adding(_:)` and the like.
///
/// Two requests are equal when method, URL, properties, configuration and session are; clients, decoders and options do
/// not count.
public struct Request: Sendable {
    public typealias HTTPMethod = StrataCore.HTTPMethod

    public var httpMethod: HTTPMethod
    public var configuration: Configuration
    /// What the request is sent through when it has no ``client``.
    ///
    /// When none was named, this is `URLSession.shared`; on Linux the request is then sent through the platform's
    /// transport, because a server's answer can end the process in a session of FoundationNetworking.
    public var session: URLSession {
        get { namedSession ?? .shared }
        set { namedSession = newValue }
    }
    /// The session that was named, for the request or in a service; `nil` when none was.
    var namedSession: URLSession?
    /// What the request is sent through. Wins over ``session``.
    public var client: (any NetworkClientProtocol)?
    /// Reads the models of responses. Default: a `JSONDecoder`.
    public var decoder: any ResponseBodyDecoder

    /// The URL before path components and query items are added.
    var baseURL: URL
    /// What comes after the path components.
    var path: RequestPath?
    var properties: Properties
    var options: RequestOptions.Override?
    /// What an error that carries this request came from; see ``RequestError/underlyingError``.
    var failure: (any Error)?

    /// A request to a URL. Its query stays; ``QueryItems`` are added to it.
    ///
    /// - `session`: `nil` is the platform's transport; see ``session``.
    /// - `client`: wins over the session.
    public init(
        _ httpMethod: HTTPMethod, url: URL, configuration: Configuration = .default, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil, decoder: any ResponseBodyDecoder = JSONDecoder(),
        @Properties.Builder properties: () -> Properties = { .empty }
    ) {
        self.httpMethod = httpMethod
        self.configuration = configuration
        namedSession = session
        self.client = client
        self.decoder = decoder
        baseURL = url
        self.properties = properties()
    }

    /// A request to a URL that is written here: values in it are encoded.
    ///
    ///     Request(.get, url: "https://api.example.com/users/\(name)")
    ///
    /// What is no complete URL fails with `malformedURL` when it is sent.
    public init(
        _ httpMethod: HTTPMethod, url: RequestPath, configuration: Configuration = .default,
        session: URLSession? = nil, client: (any NetworkClientProtocol)? = nil,
        decoder: any ResponseBodyDecoder = JSONDecoder(), @Properties.Builder properties: () -> Properties = { .empty }
    ) {
        let parsed = (try? url.text).flatMap { URL(string: $0) }
        self.init(
            httpMethod, url: parsed ?? URL(filePath: "/"), configuration: configuration, session: session,
            client: client, decoder: decoder, properties: properties)
        // Its failure is thrown when the request is sent.
        if parsed == nil { path = url }
    }

    /// A request below a service or an endpoint: to its base URL, with its properties and then its own.
    ///
    ///     Request(.get, parent: GitHub.self, path: "repos/\(owner)/\(name)")
    ///
    /// `path` comes after all path components. What is `nil` comes from the parent. A client, also the parent's, wins over a session.
    public init(
        _ httpMethod: HTTPMethod, parent: any APIComponent.Type, path: RequestPath? = nil,
        configuration: Configuration? = nil,
        session: URLSession? = nil, client: (any NetworkClientProtocol)? = nil,
        decoder: (any ResponseBodyDecoder)? = nil, @Properties.Builder properties: () -> Properties = { .empty }
    ) {
        self.init(
            httpMethod, url: RequestPath(raw: parent.baseURL.urlText),
            configuration: configuration ?? parent.configuration, session: session ?? parent.namedSession,
            client: client ?? parent.namedClient, decoder: decoder ?? parent.namedDecoder)
        if self.path == nil { self.path = path }
        self.properties = properties().inheriting(from: parent.allProperties)
    }
}

extension Request {
    /// Names and values; a list that was set in several places is joined by commas.
    public var headers: [String: String] { properties.headers.value }

    public var queryItems: [URLQueryItem] { properties.queryItems.value }

    public var pathComponents: [String] { properties.pathComponents.value }

    /// The bytes of the body; `nil` for none, for a stream and for what could not be encoded.
    public var body: Data? { properties.body.value }
}

extension Request: Hashable {
    @_documentation(visibility: internal)
    public static func == (left: Request, right: Request) -> Bool {
        left.httpMethod == right.httpMethod && left.baseURL == right.baseURL && left.path == right.path
            && left.properties == right.properties && left.configuration == right.configuration
            && left.session === right.session
    }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) {
        hasher.combine(httpMethod)
        hasher.combine(baseURL)
        hasher.combine(path)
        hasher.combine(properties)
        hasher.combine(configuration)
        hasher.combine(ObjectIdentifier(session))
    }
}

extension Request: DumpedAsDescription {
    /// Method and URL without user information, query and fragment: nothing secret.
    public var description: String { "\(httpMethod.rawValue) \(URLReference(url.absoluteString).textWithoutSecrets)" }
}
