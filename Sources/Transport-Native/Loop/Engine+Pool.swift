// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// Who gets which connection.
extension Engine {
    /// A connection that was used, or looked at, in the last tenth of a millisecond is taken without another look.
    private static let fresh: UInt64 = 100_000

    // MARK: - Idle connections

    /// An idle connection that can be used. Those that turn out to be of no use are closed.
    func takeIdle(_ pool: OriginPool) -> Connection? {
        while let connection = pool.idle.last {
            guard isUsable(connection) else {
                close(connection, reasonToLeave(connection))
                continue
            }
            pool.idle.removeLast()
            idleCount -= 1
            if isLongSilent(connection) { probe(connection) } else { return connection }
        }
        return nil
    }

    private func isUsable(_ connection: Connection) -> Bool {
        if isOverdue(connection) { return false }
        if max(connection.idleSince, lookedAt).saturatingAdd(Self.fresh) > now { return true }
        if let session = connection.session {
            if connection.socket.hasInput { receive(connection) }
            return !connection.isClosed && session.hasRoom
        }
        return !connection.socket.hasInput || isQuiet(connection)
    }

    /// Whether a connection must not be used any more, for its age.
    func isOverdue(_ connection: Connection) -> Bool {
        connection.expiry <= now || connection.idleSince.saturatingAdd(settings.idleAge) <= now
            || connection.opened.saturatingAdd(settings.maximumAge) <= now
    }

    /// Why an idle connection is closed that must not be used any more.
    func reasonToLeave(_ connection: Connection) -> ConnectionEvent.Reason {
        if connection.idleSince.saturatingAdd(settings.idleAge) <= now { return .idleLimit }
        return isOverdue(connection) ? .client : .peer
    }

    /// Whether nothing has come on an idle connection that concerns HTTP. TLS may have told something for itself, such as a ticket
    /// for its next session (RFC 8446 §4.6).
    func isQuiet(_ connection: Connection) -> Bool {
        guard connection.tls != nil else { return false }
        if case .wantsRead = connection.read(into: input) { return true }
        return false
    }

    /// A connection is of use for another exchange.
    func giveBack(_ connection: Connection) {
        let pool = connection.pool
        connection.idleSince = now
        if isStopped || isOverdue(connection) { return close(connection, isStopped ? .shutdown : .client) }
        if connection.session != nil, serve(connection) { return }
        if connection.session == nil, let next = pool.waiting.first(where: { !$0.needsNewConnection }) {
            tellIdle(connection)
            return begin(next, on: connection)
        }
        // It would be in the way of those that wait for a connection to somewhere else.
        if hasStarving || isInTheWay(pool) { return close(connection, .client) }
        pool.idle.append(connection)
        idleCount += 1
        sweeper.note(connection, self)
        tellIdle(connection)
    }

    /// An exchange is done with its connection.
    ///
    /// - Parameter reason: why it is of no use for another; `nil` when it is.
    func release(_ connection: Connection, closedFor reason: ConnectionEvent.Reason?) {
        connection.exchange = nil
        if let reason { close(connection, reason) } else { giveBack(connection) }
    }

    /// Closes a connection, wherever it is.
    func close(_ connection: Connection, _ reason: ConnectionEvent.Reason) {
        guard !connection.isClosed else { return }
        discard(connection, reason)
        connectionEnded(connection.pool)
    }

    func forget(_ socket: Socket, token: UInt64) {
        sockets.remove(token)
        queue?.remove(socket.descriptor)
        socket.close()
    }

    // MARK: - Those that wait

    /// An exchange waits for a connection.
    func wait(_ exchange: Exchange, in pool: OriginPool) {
        exchange.phase = .waiting
        exchange.isQueued = true
        pool.waiting.append(exchange)
        pool.needy += 1
        grow(pool)
        if exchange.isQueued, exchange.connector == nil { tellWaiting(exchange) }
    }

    /// An exchange waits no more. What was being made for it goes to another that waits; without one it is kept for the next, or ends.
    ///
    /// - Parameter keepsConnector: whether a connection that nobody waits for is made all the same.
    func leaveQueue(_ exchange: Exchange, keepsConnector: Bool) {
        guard exchange.isQueued, let pool = exchange.pool else { return }
        exchange.isQueued = false
        pool.waiting.remove(exchange)
        guard let connector = exchange.connector.take() else {
            pool.needy -= 1
            return
        }
        connector.exchange = nil
        if let heir = pool.firstNeedy {
            adopt(connector, heir)
        } else if keepsConnector {
            pool.spares.append(connector)
            connector.end = min(exchange.connectEnd, now.saturatingAdd(Self.spareTime))
            note(connector.slot, at: connector.end)
        } else {
            end(connector)
        }
    }

    /// How long a connection is being made for nobody, in nanoseconds.
    private static let spareTime: UInt64 = 30_000_000_000

    private func adopt(_ connector: Connector, _ exchange: Exchange) {
        (connector.exchange, exchange.connector) = (exchange, connector)
        connector.pool.needy -= 1
    }

    private func leave(_ exchange: Exchange, _ connector: Connector) {
        (connector.exchange, exchange.connector) = (nil, nil)
        connector.pool.needy += 1
    }

    /// A connection has been made.
    func connected(_ connector: Connector, _ connection: Connection) {
        let pool = connection.pool
        let times = (connector.nameLookup, connector.connected, connector.secured)
        let maker = connector.exchange
        if let maker { leave(maker, connector) } else { pool.spares.removeAll { $0 === connector } }
        pool.isShared = connection.session != nil
        guard let next = pool.waiting.first else { return giveBack(connection) }
        guard pool.isShared == false else {
            (next.times.nameLookup, next.times.connected, next.times.secured) = times
            return giveBack(connection)
        }
        // The one that has waited longest gets it, and the one for which it was made waits for that one's.
        if next !== maker, let maker, let other = next.connector {
            leave(next, other)
            adopt(other, maker)
        }
        (next.times.nameLookup, next.times.connected, next.times.secured) = times
        begin(next, on: connection)
        // They have waited to see whether it can be shared.
        if pool.protocols != .http1 { grow(pool) }
    }

    /// No connection could be made.
    func failed(_ connector: Connector, _ error: NetworkClientError) {
        connector.pool.spares.removeAll { $0 === connector }
        if let exchange = connector.exchange {
            leave(exchange, connector)
            end(exchange, error)
        }
        endThoseThatShare(connector.pool, error)
        connectionEnded(connector.pool)
    }

    // MARK: - Limits

    /// Whether exchanges wait because as many connections are open as there may be.
    private var hasStarving: Bool {
        let limit = settings.configuration.maximumConnections
        return limit > 0 && openCount >= limit && pools.all.contains { mayGrow($0) }
    }

    private func mayGrow(_ pool: OriginPool) -> Bool {
        pool.isStarving && !isFull(pools.siblings(of: pool))
    }

    /// Whether there are as many connections to a host as there may be, whatever they speak.
    private func isFull(_ siblings: @autoclosure () -> [OriginPool]) -> Bool {
        let limit = settings.configuration.maximumConnectionsPerHost
        return limit > 0 && siblings().reduce(0) { $0 + $1.open } >= limit
    }

    /// Whether an idle connection would keep others from one to the same host that speaks something else.
    private func isInTheWay(_ pool: OriginPool) -> Bool {
        guard settings.configuration.maximumConnectionsPerHost > 0 else { return false }
        let siblings = pools.siblings(of: pool)
        return siblings.contains { $0 !== pool && $0.isStarving } && isFull(siblings)
    }

    /// Closes an idle connection to the same host that speaks something else, where the number of them is what is in the way.
    private func makeRoom(amongSiblingsOf pool: OriginPool) {
        guard settings.configuration.maximumConnectionsPerHost > 0, pool.isStarving else { return }
        let siblings = pools.siblings(of: pool)
        guard isFull(siblings), let other = siblings.first(where: { $0 !== pool && !$0.idle.isEmpty }) else { return }
        discard(other.idle[0], .idleLimit)
        (openCount, other.open) = (openCount - 1, other.open - 1)
    }

    /// Begins to make connections for those that wait, as many as there may be.
    func grow(_ pool: OriginPool) {
        while !pool.spares.isEmpty, let exchange = pool.firstNeedy {
            let spare = pool.spares.removeLast()
            spare.end = .max
            adopt(spare, exchange)
        }
        makeRoom(amongSiblingsOf: pool)
        while mayGrow(pool), !isStopped, makeRoom(besides: pool),
            let exchange = pool.firstNeedy
        {
            openCount += 1
            pool.open += 1
            pool.connecting += 1
            let connector = Connector(pool)
            adopt(connector, exchange)
            begin(connector)
        }
    }

    /// Whether there may be one connection more, if need be after an idle one to elsewhere has been closed.
    private func makeRoom(besides pool: OriginPool) -> Bool {
        let limit = settings.configuration.maximumConnections
        guard limit > 0, openCount >= limit else { return true }
        return closeOldestIdle(besides: pool) || endSpare(besides: pool)
    }

    /// Ends a connection that is being made for nobody, for one that takes its place.
    private func endSpare(besides pool: OriginPool) -> Bool {
        guard let other = pools.all.first(where: { $0 !== pool && !$0.spares.isEmpty }) else { return false }
        let spare = other.spares.removeFirst()
        discard(spare)
        (openCount, other.open) = (openCount - 1, other.open - 1)
        return true
    }

    /// Closes the connection that has been idle for longest, for one that takes its place.
    ///
    /// - Returns: whether there was one.
    func closeOldestIdle(besides pool: OriginPool?) -> Bool {
        guard idleCount > 0 else { return false }
        let oldest = pools.all.lazy.filter { $0 !== pool }.compactMap(\.idle.first)
            .min { $0.idleSince < $1.idleSince }
        guard let oldest else { return false }
        discard(oldest, .idleLimit)
        (openCount, oldest.pool.open) = (openCount - 1, oldest.pool.open - 1)
        return true
    }

    private func discard(_ connection: Connection, _ reason: ConnectionEvent.Reason) {
        tellClosed(connection, reason)
        connection.isClosed = true
        if connection.session != nil { endSession(of: connection) }
        if let index = connection.pool.idle.lastIndex(where: { $0 === connection }) {
            connection.pool.idle.remove(at: index)
            idleCount -= 1
        }
        connection.tls?.close()
        connection.tls?.outer?.close()
        forget(connection.socket, token: connection.token)
    }

    /// There may be one connection more: the exchange that has waited longest gets it.
    func connectionEnded(_ pool: OriginPool) {
        openCount -= 1
        pool.open -= 1
        guard settings.configuration.maximumConnections > 0 else {
            if settings.configuration.maximumConnectionsPerHost <= 0 { return grow(pool) }
            return pools.siblings(of: pool).forEach(grow)
        }
        let next = pools.all.filter(mayGrow).min {
            ($0.waiting.first?.number ?? .max) < ($1.waiting.first?.number ?? .max)
        }
        if let next { grow(next) }
    }
}
