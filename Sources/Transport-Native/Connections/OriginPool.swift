// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// What a loop knows of one origin, or of a proxy that is asked for URLs of any: its idle connections, and the exchanges that wait for
/// one.
final class OriginPool {
    let endpoint: Endpoint
    let route: Route
    /// What its connections may speak.
    let protocols: ProtocolChoice
    /// Whether its last connection carries many exchanges; `nil` when there was none.
    var isShared: Bool?
    /// Whether its last connection over HTTP/2 takes upgrades (RFC 8441); `nil` when there was none.
    var takesUpgrades: Bool?
    /// Connections with exchanges that may take more of them.
    var shared: [Connection] = []
    /// How many connections are being made.
    var connecting = 0
    /// How many are asked for a sign of life before they are used.
    var probing = 0
    /// The one that was used last is at the end.
    var idle: [Connection] = []
    /// Those that wait, the oldest first.
    let waiting = WaitingExchanges()
    /// Connections that are being made and for which nobody waits any more: who comes next gets them.
    var spares: [Connector] = []
    /// Connections that there are or that are being made.
    var open = 0
    /// How many of those that wait have no connection under way for them.
    var needy = 0

    init(_ endpoint: Endpoint, _ route: Route, _ protocols: ProtocolChoice) {
        self.endpoint = endpoint
        self.route = route
        self.protocols = protocols
    }

    /// Whether what comes of a connection may be enough for all that wait.
    var mayShare: Bool { protocols != .http1 && isShared != false }

    /// Whether those that wait do so for something that is under way.
    var isExpecting: Bool {
        mayShare && (connecting > 0 || probing > 0 || shared.contains { $0.session?.hasSettings == false })
    }

    /// Whether somebody waits for a connection that nobody makes.
    var isStarving: Bool { needy > 0 && !isExpecting }

    /// The one that has waited longest of those.
    var firstNeedy: Exchange? {
        if needy == 0 { return nil }
        // Most often that is the one that has just come, and the others need not be looked at.
        if needy == 1, let last = waiting.last, last.connector == nil { return last }
        return waiting.first { $0.connector == nil }
    }

    var isUnused: Bool { open == 0 && waiting.isEmpty }
}

/// Exchanges in the order in which they came. Each is taken out in the same time wherever it stands.
final class WaitingExchanges: Sequence {
    private(set) var first: Exchange?
    private(set) var last: Exchange?

    var isEmpty: Bool { first == nil }

    func append(_ exchange: Exchange) {
        exchange.previous = last
        if let last { last.next = exchange } else { first = exchange }
        last = exchange
    }

    func remove(_ exchange: Exchange) {
        if let previous = exchange.previous { previous.next = exchange.next } else { first = exchange.next }
        if let next = exchange.next { next.previous = exchange.previous } else { last = exchange.previous }
        (exchange.previous, exchange.next) = (nil, nil)
    }

    struct Iterator: IteratorProtocol {
        fileprivate var current: Exchange?

        mutating func next() -> Exchange? {
            defer { current = current?.next }
            return current
        }
    }

    func makeIterator() -> Iterator { Iterator(current: first) }
}

/// The origins that a loop talks to.
struct OriginPools {
    private struct Key: Hashable {
        let isSecure: Bool
        /// As it is written.
        let authority: String
        let protocols: ProtocolChoice
        let needsTunnel: Bool
        let own: Proxies?
    }

    private struct Place: Hashable {
        let endpoint: Endpoint
        let proxy: ProxyAddress?
        let isTunnel: Bool
        let protocols: ProtocolChoice
    }

    private var byText: [Key: OriginPool] = [:]
    private var byPlace: [Place: OriginPool] = [:]
    private var servers: [ProxyAddress: ProxyServer] = [:]
    /// When there are this many, the unused ones are forgotten. A program that visits many origins, such as a crawler,
    /// sees few of them again.
    private var capacity = Self.kept

    private static let kept = 4096

    /// - Parameters:
    ///   - needsTunnel: whether a proxy must not read what is sent, because it is more than one request and its answer.
    ///   - own: the proxies of a request that has its own, instead of the others.
    /// - Throws: `malformedURL`.
    mutating func pool(
        isSecure: Bool, authority: String, _ protocols: ProtocolChoice, needsTunnel: Bool,
        own: Proxies? = nil, through proxies: @autoclosure () -> Proxies
    ) throws(NetworkClientError) -> OriginPool {
        let key = Key(
            isSecure: isSecure, authority: authority, protocols: protocols, needsTunnel: needsTunnel, own: own)
        if let pool = byText[key] { return pool }
        if byText.count >= capacity { forgetUnused() }
        var endpoint = try Endpoint(scheme: isSecure ? "https" : "http", authority: authority)
        let proxies = own ?? proxies()
        let route = route(proxies[proxies.choice(isSecure: isSecure, authority: authority)], isSecure || needsTunnel)
        if let proxy = route.forwarder {
            // Whether it is reached over TLS is the proxy's own affair.
            endpoint = Endpoint(isSecure: false, host: proxy.endpoint.host, port: proxy.endpoint.port)
        }
        let place = Place(
            endpoint: endpoint, proxy: route.proxy?.address, isTunnel: route.isTunnel, protocols: protocols)
        let pool = byPlace[place] ?? OriginPool(endpoint, route, protocols)
        byPlace[place] = pool
        byText[key] = pool
        return pool
    }

    private mutating func route(_ address: ProxyAddress, _ needsTunnel: Bool) -> Route {
        if address.url.isEmpty { return .direct }
        let proxy = servers[address] ?? ProxyServer(address)
        servers[address] = proxy
        return address.isHTTP && !needsTunnel ? .forward(proxy) : .tunnel(proxy)
    }

    private mutating func forgetUnused() {
        byText = byText.filter { !$0.value.isUnused }
        byPlace = byPlace.filter { !$0.value.isUnused }
        servers = Dictionary(
            byPlace.values.compactMap { $0.route.proxy.map { ($0.address, $0) } }, uniquingKeysWith: { one, _ in one })
        capacity = Swift.max(Self.kept, 2 * byText.count)
    }

    var all: some Collection<OriginPool> { byPlace.values }

    /// Those that lead to the same place, whatever they may speak.
    func siblings(of pool: OriginPool) -> [OriginPool] {
        let (proxy, isTunnel) = (pool.route.proxy?.address, pool.route.isTunnel)
        return ProtocolChoice.allCases.compactMap {
            byPlace[Place(endpoint: pool.endpoint, proxy: proxy, isTunnel: isTunnel, protocols: $0)]
        }
    }
}
