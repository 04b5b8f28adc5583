// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

/// A configuration in the terms of the engine; shared by all loops.
final class Settings: Sendable {
    let configuration: NativeTransport.Configuration
    let connectionEvents = ConnectionEvents()
    let resolver: NameResolver
    let tcp: TCPSettings
    /// In nanoseconds; at the end of time for none.
    let idleAge, maximumAge: UInt64
    let maximumIdle: Int
    let highWaterMark: Int
    let readerLimits: ResponseReader.Limits
    let sessionLimits: HTTP2Session.Limits
    let pings: HTTP2Pings
    /// For how long a batch of a loop reads what has come, in nanoseconds; see ``Engine/runBatch(_:looked:)``.
    let batchShare: UInt64
    let unixSocket: SocketAddress?
    let localAddresses: LocalAddresses?
    /// With the servers, and with proxies that are reached over TLS.
    let tls, proxyTLS: TLSProvider
    /// By host and port.
    private let overrides: [String: [String]]
    let proxies: Proxies
    private let haveSecureProxies: Bool
    /// Whether the configuration asks for something of TLS that has to be there for each request.
    private let needsTLS: Bool
    private let environmentProxies: Proxies
    private let environmentRefusal: NetworkClientError?
    /// Why no request can be carried with this configuration.
    let refusal: NetworkClientError?

    /// - Parameters:
    ///   - environment: where the names of ``ProxyPolicy/environment`` are looked up.
    ///   - lookup: gives the addresses of hosts; `nil`: the system is asked.
    ///   - batchShare: for how long a batch reads what has come.
    init(
        _ configuration: NativeTransport.Configuration, environment: (String) -> String?, lookup: NameResolver.Lookup?,
        batchShare: Duration = .milliseconds(5)
    ) {
        self.configuration = configuration
        self.batchShare = UInt64(nanosecondsOf: batchShare)
        resolver = lookup.map { NameResolver(lookup: $0) } ?? NameResolver(family: configuration.addressFamily)
        tcp = TCPSettings(configuration)
        idleAge = configuration.idleConnectionTimeout.map(UInt64.init(nanosecondsOf:)) ?? .max
        maximumIdle = configuration.maximumIdleConnections.map { max(0, $0) } ?? .max
        maximumAge = configuration.maximumConnectionAge.map(UInt64.init(nanosecondsOf:)) ?? .max
        highWaterMark = max(1, configuration.highWaterMark)
        var limits = ResponseReader.Limits()
        limits.head = max(0, configuration.maximumHeadBytes)
        readerLimits = limits
        var sessionLimits = HTTP2Session.Limits()
        sessionLimits.head = limits.head
        sessionLimits.streamWindow = min(max(highWaterMark, 16 * 1024), sessionLimits.largestStreamWindow)
        self.sessionLimits = sessionLimits
        pings = configuration.pings
        localAddresses = configuration.localInterface.map { LocalAddresses($0) }
        unixSocket = configuration.unixSocketPath.flatMap { SocketAddress(unixPath: $0) }
        tls = TLSProvider(configuration.tls, keyLogFile: configuration.tlsKeyLogFile)
        proxyTLS = TLSProvider(configuration.proxyTLS, keyLogFile: configuration.tlsKeyLogFile)
        var overrides: [String: [String]] = [:]
        var proxies = Proxies()
        var refusal: NetworkClientError?
        do throws(NetworkClientError) {
            for entry in configuration.addressOverrides {
                let entry = try entry.checked()
                let key = Self.overrideKey(entry.host, entry.port)
                if overrides[key] == nil { overrides[key] = entry.addresses }
            }
            // A Unix domain socket replaces any proxy.
            if configuration.unixSocketPath == nil {
                proxies = try Proxies(configuration.proxy, environment: environment)
            }
            if configuration.unixSocketPath != nil, unixSocket == nil {
                throw NetworkClientError(
                    .cannotConnect, "the path of the Unix domain socket is empty, or longer than the system takes")
            }
        } catch {
            refusal = error
        }
        (self.overrides, self.proxies, self.refusal) = (overrides, proxies, refusal)
        haveSecureProxies = proxies.haveSecure
        needsTLS = !configuration.tls.pinnedPublicKeys.isEmpty || configuration.tlsKeyLogFile != nil
        do throws(NetworkClientError) {
            (environmentProxies, environmentRefusal) = (try Proxies(.environment, environment: environment), nil)
        } catch {
            (environmentProxies, environmentRefusal) = (Proxies(), error)
        }
    }

    private static func overrideKey(_ host: String, _ port: Int) -> String { "\(host):\(port)" }

    /// Where the configuration says that a host leads; `nil` when it says nothing.
    func override(of endpoint: Endpoint) -> [String]? {
        if overrides.isEmpty { return nil }
        return overrides[Self.overrideKey(endpoint.host, Int(endpoint.port))]
            ?? overrides[Self.overrideKey("*", Int(endpoint.port))]
    }

    /// The proxies of a request that has its own; `nil` when a Unix domain socket replaces them.
    private func proxies(_ policy: ProxyPolicy) throws(NetworkClientError) -> Proxies? {
        if configuration.unixSocketPath != nil { return nil }
        guard case .environment = policy.value else { return try Proxies(policy) { _ in nil } }
        if let environmentRefusal { throw environmentRefusal }
        return environmentProxies
    }

    /// - Returns: the proxies of a request that has its own; `nil` for those of the transport.
    /// - Throws: what keeps a request from being sent.
    func check(_ request: borrowing TransportRequest) throws -> Proxies? {
        if let refusal { throw refusal }
        if needsTLS || request.head.scheme == "https" { try tls.check() }
        if let policy = request.options.proxy, let own = try proxies(policy) {
            if own.haveSecure { try checkProxyTLS(own, request.head) }
            return own
        }
        if haveSecureProxies { try checkProxyTLS(proxies, request.head) }
        return nil
    }

    private func checkProxyTLS(_ proxies: Proxies, _ head: HTTPRequest) throws {
        if proxies[proxies.choice(for: head)].isSecure { try proxyTLS.check() }
    }
}
