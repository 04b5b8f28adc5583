// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import StrataCore
import StrataEncoding
import StrataPlatform
import Synchronization

/// Where the requests of ``Rest`` properties go, and how. Read when a request is sent, so that a change reaches every property.
///
/// There is one for the process, ``shared``, with static shortcuts:
///
///     RestConfiguration.host = "api.example.com"
///
/// A property may be given another, or be made inside of `withCurrent(_:operation:)`.
public final class RestConfiguration: Sendable {
    private struct State {
        var scheme = "https"
        var host = ""
        var port: Int?
        var client: any NetworkClientProtocol
        var tokenStore: any RestTokenStore = MemoryTokenStore()
        var sendsAnonymously = false
        var timeout: Duration?
        var dateEncodingStrategy = JSONEncoder.DateEncodingStrategy.deferredToDate
        var dateDecodingStrategy = JSONDecoder.DateDecodingStrategy.deferredToDate
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - scheme: `https` or `http`.
    ///   - host: without scheme and port. Empty: requests fail with ``RestQueryError/urlValidation``.
    ///   - port: the scheme's default when nil.
    ///   - client: carries the requests, through its middleware. Default: a client over the platform's shared transport.
    ///   - tokenStore: where the bearer token is kept. Default: in memory.
    public init(
        scheme: String = "https", host: String = "", port: Int? = nil, client: (any NetworkClientProtocol)? = nil,
        tokenStore: (any RestTokenStore)? = nil
    ) {
        let client =
            client
            ?? NetworkClient(
                configuration: NetworkConfiguration(baseURL: nil, transport: PlatformTransport.shared))
        state = Mutex(
            State(
                scheme: scheme, host: host, port: port, client: client, tokenStore: tokenStore ?? MemoryTokenStore()))
    }

    public var scheme: String {
        get { state.withLock(\.scheme) }
        set { state.withLock { $0.scheme = newValue } }
    }

    public var host: String {
        get { state.withLock(\.host) }
        set { state.withLock { $0.host = newValue } }
    }

    public var port: Int? {
        get { state.withLock(\.port) }
        set { state.withLock { $0.port = newValue } }
    }

    public var client: any NetworkClientProtocol {
        get { state.withLock(\.client) }
        set { state.withLock { $0.client = newValue } }
    }

    public var tokenStore: any RestTokenStore {
        get { state.withLock(\.tokenStore) }
        set { state.withLock { $0.tokenStore = newValue } }
    }

    /// Whether a request that wants a token goes out without one when none is stored. Default: no, it fails with
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

    public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy {
        get { state.withLock(\.dateEncodingStrategy) }
        set { state.withLock { $0.dateEncodingStrategy = newValue } }
    }

    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy {
        get { state.withLock(\.dateDecodingStrategy) }
        set { state.withLock { $0.dateDecodingStrategy = newValue } }
    }

    func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = dateEncodingStrategy
        return encoder
    }

    func makeDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dateDecodingStrategy
        return decoder
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

    /// The host of ``shared``.
    public static var host: String {
        get { shared.host }
        set { shared.host = newValue }
    }

    /// The time for a whole call of ``shared``, in seconds. `nil` (default), zero or less, 1e9 and more, and what is no
    /// number: what the client's options say.
    public static var timeoutInterval: TimeInterval? {
        get { shared.timeout.map { $0 / .seconds(1) } }
        set { shared.timeout = newValue.flatMap { $0.isFinite && $0 > 0 && $0 < 1e9 ? .seconds($0) : nil } }
    }

    public static var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy {
        get { shared.dateEncodingStrategy }
        set { shared.dateEncodingStrategy = newValue }
    }

    public static var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy {
        get { shared.dateDecodingStrategy }
        set { shared.dateDecodingStrategy = newValue }
    }
}
