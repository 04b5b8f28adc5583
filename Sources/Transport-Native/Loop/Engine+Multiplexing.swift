// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// Who gets a stream of which connection, and how connections over HTTP/2 are kept alive and ended.
extension Engine {
    /// - Throws: when HTTP/2 cannot be spoken.
    func makeSession(_ protocols: ProtocolChoice, _ tls: TLSSession?) throws(NetworkClientError) -> HTTP2Session? {
        guard protocols.isHTTP2(tls?.chosenProtocol) else { return nil }
        return try HTTP2Session(settings.sessionLimits, fields: fields)
    }

    // MARK: - Streams to be had

    /// A connection with exchanges that takes one more.
    func sharedConnection(_ pool: OriginPool) -> Connection? {
        pool.shared.first { $0.session?.hasRoom == true && !isTooOld($0) }
    }

    private func isTooOld(_ connection: Connection) -> Bool {
        connection.opened.saturatingAdd(settings.maximumAge) <= now
    }

    /// Gives a connection to those that wait, as far as it has streams.
    ///
    /// - Returns: whether it has got any.
    func serve(_ connection: Connection) -> Bool {
        guard let session = connection.session else { return false }
        while session.hasRoom, !isTooOld(connection),
            let next = connection.pool.waiting.first(where: { !$0.needsNewConnection || connection.uses == 0 })
        {
            begin(next, on: connection)
        }
        return session.live > 0
    }

    /// There are more streams to be had.
    func serveThoseThatWait(_ pool: OriginPool) {
        for connection in pool.shared where !connection.isClosed { _ = serve(connection) }
        grow(pool)
    }

    /// No connection could be made for one of those that have waited for the same.
    func endThoseThatShare(_ pool: OriginPool, _ error: NetworkClientError) {
        guard pool.mayShare, pool.shared.isEmpty, pool.probing == 0, pool.connecting == 0 else { return }
        while let exchange = pool.waiting.first, exchange.connector == nil { end(exchange, error) }
    }

    /// A connection has its first exchange, or has one again.
    func becameBusy(_ connection: Connection) {
        connection.pool.shared.append(connection)
        connection.heardAt = max(connection.heardAt, connection.pingedAt)
        watch(connection)
    }

    /// The last exchange of a connection has left it.
    func becameIdle(_ connection: Connection) {
        connection.pool.shared.removeAll { $0 === connection }
        guard !connection.isClosed, let session = connection.session else { return }
        let isReusable =
            !connection.isSpent && !session.isGoingAway && session.failure == nil && connection.sendFailure == nil
            && !session.isExhausted
        guard isReusable else { return close(connection, session.isGoingAway ? .peer : .client) }
        giveBack(connection)
        if session.live == 0, session.outgoing.isEmpty { session.shrink() }
    }

    /// A connection takes no more exchanges, and ends with the last that it has.
    func retire(_ connection: Connection, _ session: HTTP2Session) {
        connection.isSpent = true
        connection.pool.shared.removeAll { $0 === connection }
        if session.live == 0 { close(connection, session.isGoingAway ? .peer : .silence) }
    }

    // MARK: - Signs of life

    func isLongSilent(_ connection: Connection) -> Bool {
        connection.session != nil && connection.heardAt.saturatingAdd(settings.pings.silence) <= now
    }

    /// Asks a connection for a sign of life before it carries an exchange.
    func probe(_ connection: Connection) {
        connection.isProbing = true
        connection.pool.probing += 1
        ping(connection)
        watch(connection)
    }

    /// It lives, or it has ended.
    func endProbe(of connection: Connection) {
        guard connection.isProbing else { return }
        connection.isProbing = false
        connection.pool.probing -= 1
        if !connection.isClosed { giveBack(connection) }
    }

    private func ping(_ connection: Connection) {
        connection.session?.ping()
        connection.pingedAt = now
        connection.pings += 1
        markDirty(connection)
    }

    /// Looks whether a connection answers, as long as something waits for it.
    func watch(_ connection: Connection) {
        guard !connection.isClosed, let session = connection.session else { return }
        if connection.slot < 0 { connection.slot = timers.insert(connection) }
        if !session.isPingAnswered {
            let end = connection.pingedAt.saturatingAdd(settings.pings.patience)
            guard end <= now else { return note(connection.slot, at: end) }
            return lost(
                connection, session,
                NetworkClientError(.connectionLost, "the connection answers nothing: a PING was not acknowledged"),
                isSilent: true)
        }
        guard session.live > 0 else { return }
        let limits = settings.pings
        let wait = connection.pings < 2 ? limits.after : limits.laterAfter
        let next = max(connection.heardAt, connection.pingedAt).saturatingAdd(wait)
        guard next <= now else { return note(connection.slot, at: next) }
        ping(connection)
        note(connection.slot, at: now.saturatingAdd(limits.patience))
    }

    // MARK: - The end

    /// A connection is closed: the peer is told, as far as the socket takes it at once.
    func endSession(of connection: Connection) {
        guard let session = connection.session else { return }
        connection.pool.shared.removeAll { $0 === connection }
        endProbe(of: connection)
        if connection.slot >= 0 { timers.remove(connection.slot) }
        connection.slot = -1
        guard connection.output.isEmpty, connection.sendFailure == nil else { return }
        if session.failure == nil { session.goAway() }
        session.produce(atMost: 16 * 1024)
        _ = connection.write(session.outgoing.bytes)
        session.removeOutgoing()
    }
}
