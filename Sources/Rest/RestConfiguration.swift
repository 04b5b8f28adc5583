// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation
public import StrataCore
import StrataEncoding
import StrataPlatform
import Synchronization

/// Where the requests of ``Rest`` properties go, and how. Read when a request is sent, so that a change reaches every property.
///
/// There is one for the process, ``shared``, with static shortcuts:
///
///     RestConfiguration.baseURL = "https://api.example.com/v1"
///
/// A property may be given another, or be made inside of `withCurrent(_:operation:)`.
public final class RestConfiguration: Sendable {
    private struct State {
        var scheme = "https"
        var host = ""
        var port: Int?
        /// What stands behind the host in the base URL.
        var basePath = ""
        var client: any NetworkClientProtocol
        var tokenStore: any TokenStore = MemoryTokenStore()
        var sendsAnonymously = false
        var timeout: Duration?
        var deliveryQueue: DispatchQueue? = .main
        /// `nil`: the client's.
        var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy?
        var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy?

        /// What is no such URL is kept as the host of no scheme, and makes requests fail.
        var baseURL: String {
            get {
                guard !host.isEmpty, !scheme.isEmpty else { return host }
                return "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(basePath)"
            }
            set {
                (scheme, host, port, basePath) = (newValue.isEmpty ? "https" : "", newValue, nil, "")
                guard let url = try? RequestURL(newValue), url.userinfo == nil, url.query == nil,
                    let origin = Origin(scheme: url.scheme, authority: url.authority)
                else { return }
                (scheme, host) = (origin.scheme, origin.host)
                port = url.authority.hasSuffix(":\(origin.port)") ? origin.port : nil
                basePath = url.path == "/" ? "" : url.path
            }
        }

        /// - Returns: the old value, to end outside of the lock.
        mutating func replace<Value>(_ property: WritableKeyPath<State, Value>, by value: Value) -> Value {
            defer { self[keyPath: property] = value }
            return self[keyPath: property]
        }
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - baseURL: what the paths of properties are appended to.
    ///   - client: carries the requests, through its middleware. Its encoder and its decoder write and read the values.
    ///     Default: a client over the platform's shared transport.
    ///   - tokenStore: where the bearer token is kept. Default: in memory.
    public convenience init(
        baseURL: String, client: (any NetworkClientProtocol)? = nil, tokenStore: (any TokenStore)? = nil
    ) {
        self.init(client: client, tokenStore: tokenStore)
        self.baseURL = baseURL
    }

    /// The same for a `URL`.
    public convenience init(
        baseURL: URL, client: (any NetworkClientProtocol)? = nil, tokenStore: (any TokenStore)? = nil
    ) {
        self.init(baseURL: baseURL.absoluteString, client: client, tokenStore: tokenStore)
    }

    /// - Parameters:
    ///   - scheme: `https` or `http`. Anything else: requests fail with ``RestQueryError/urlValidation``.
    ///   - host: without scheme and port. Empty: the client's base URL counts.
    ///   - port: the scheme's default when nil.
    ///   - client: carries the requests, through its middleware. Its encoder and its decoder write and read the values.
    ///     Default: a client over the platform's shared transport.
    ///   - tokenStore: where the bearer token is kept. Default: in memory.
    public init(
        scheme: String = "https", host: String = "", port: Int? = nil, client: (any NetworkClientProtocol)? = nil,
        tokenStore: (any TokenStore)? = nil
    ) {
        let client =
            client
            ?? NetworkClient(
                configuration: NetworkConfiguration(baseURL: nil, transport: PlatformTransport.shared))
        state = Mutex(
            State(
                scheme: scheme, host: host, port: port, client: client, tokenStore: tokenStore ?? MemoryTokenStore()))
    }

    /// What the paths of properties are appended to, `scheme`, `host` and `port` in one, and a path if there is
    /// one. Empty (default): the base URL of the ``client``; when that has none either, requests fail with
    /// ``RestQueryError/urlValidation``, as they do after a text that is no such URL, or that has user information or a query.
    public var baseURL: String {
        get { state.withLock(\.baseURL) }
        set { state.withLock { $0.baseURL = newValue } }
    }

    /// `https` (default) or `http`. Anything else: requests fail with ``RestQueryError/urlValidation``.
    public var scheme: String {
        get { state.withLock(\.scheme) }
        set { state.withLock { $0.scheme = newValue } }
    }

    /// Without scheme and port. Empty (default): the base URL of the ``client`` counts.
    public var host: String {
        get { state.withLock(\.host) }
        set { state.withLock { $0.host = newValue } }
    }

    /// `nil` (default): that of the scheme.
    public var port: Int? {
        get { state.withLock(\.port) }
        set { state.withLock { $0.port = newValue } }
    }

    /// Carries the requests. Default: a client over the platform's shared transport.
    public var client: any NetworkClientProtocol {
        get { state.withLock(\.client) }
        set { _ = state.withLock { $0.replace(\.client, by: newValue) } }
    }

    /// Where the bearer token is kept, as JSON of a ``RestBearerToken``. Default: in memory. What it throws is the request's failure,
    /// as ``RestQueryError/other(_:)``.
    public var tokenStore: any TokenStore {
        get { state.withLock(\.tokenStore) }
        set { _ = state.withLock { $0.replace(\.tokenStore, by: newValue) } }
    }

    /// Whether a request that wants a token is sent without one when none is stored. Default: no, it fails with
    /// ``RestQueryError/bearer``.
    public var sendsAnonymously: Bool {
        get { state.withLock(\.sendsAnonymously) }
        set { state.withLock { $0.sendsAnonymously = newValue } }
    }

    /// The time for a whole call. `nil` (default): what the client's options say.
    public var timeout: Duration? {
        get { state.withLock(\.timeout) }
        set { state.withLock { $0.timeout = newValue } }
    }

    /// Where subscribers get values, and `success` and `failure` call back. Default: the main queue, as views want it, and code of
    /// the main actor. `nil`: wherever the request ended, outside of any actor, for a program whose main thread is busy with
    /// something else.
    public var deliveryQueue: DispatchQueue? {
        get { state.withLock(\.deliveryQueue) }
        set { _ = state.withLock { $0.replace(\.deliveryQueue, by: newValue) } }
    }

    /// How dates are posted. Default: as the client's JSON encoder writes them, which is `.deferredToDate`, seconds
    /// since 2001, when it was not told otherwise. An encoder of another format has its own notation.
    public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy {
        get { (encoder as? JSONEncoder ?? JSONEncoder()).dateEncodingStrategy }
        set { state.withLock { $0.dateEncodingStrategy = newValue } }
    }

    /// How dates are read. Default: as the client's JSON decoder reads them, which is `.deferredToDate`, seconds since
    /// 2001, when it was not told otherwise. A decoder of another format has its own notation.
    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy {
        get { (decoder as? JSONDecoder ?? JSONDecoder()).dateDecodingStrategy }
        set { state.withLock { $0.dateDecodingStrategy = newValue } }
    }

    /// The client's, with the strategy for dates that is set here.
    var encoder: any RequestBodyEncoder {
        let (client, dates) = state.withLock { ($0.client, $0.dateEncodingStrategy) }
        let encoder = client.configuration.defaultEncoder
        guard let dates, let json = encoder as? JSONEncoder else { return encoder }
        return json.writing(dates: dates)
    }

    /// The client's, with the strategy for dates that is set here.
    var decoder: any ResponseBodyDecoder {
        let (client, dates) = state.withLock { ($0.client, $0.dateDecodingStrategy) }
        let decoder = client.configuration.defaultDecoder
        guard let dates, let json = decoder as? JSONDecoder else { return decoder }
        return json.reading(dates: dates)
    }

    /// The body of a response as a model, read by the client.
    ///
    /// - Throws: `decodingFailed`, of which the client's hook is told.
    func decode<Model: Decodable>(_ type: Model.Type, from response: NetworkResponse<Data>) throws -> Model {
        try client.decodeValue(type, in: response, decoder: decoder)
    }
}

extension RestConfiguration {
    /// The one for the process.
    public static let shared = RestConfiguration()

    @TaskLocal private static var local: RestConfiguration?

    /// What properties made now are given: the one of `withCurrent(_:operation:)`, else ``shared``.
    public static var current: RestConfiguration { local ?? shared }

    /// Properties that `operation` makes belong to this configuration: for tests, and for previews.
    public static func withCurrent<Result>(
        _ configuration: RestConfiguration, operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $local.withValue(configuration, operation: operation)
    }

    /// The same for code that does not wait.
    public static func withCurrent<Result>(
        _ configuration: RestConfiguration, operation: () throws -> Result
    ) rethrows -> Result {
        try $local.withValue(configuration, operation: operation)
    }

    /// The base URL of ``shared``.
    public static var baseURL: String {
        get { shared.baseURL }
        set { shared.baseURL = newValue }
    }

    /// The host of ``shared``.
    public static var host: String {
        get { shared.host }
        set { shared.host = newValue }
    }

    /// The time for a whole call of ``shared``, in seconds. `nil` (default), zero or less, 1e9 and more, and what is no
    /// number: what the client's options say.
    public static var timeoutInterval: TimeInterval? {
        get { shared.timeout.map { $0 / .seconds(1) } }
        set { shared.timeout = newValue.flatMap(Duration.limit(seconds:)) }
    }

    /// That of ``shared``.
    public static var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy {
        get { shared.dateEncodingStrategy }
        set { shared.dateEncodingStrategy = newValue }
    }

    /// That of ``shared``.
    public static var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy {
        get { shared.dateDecodingStrategy }
        set { shared.dateDecodingStrategy = newValue }
    }
}
