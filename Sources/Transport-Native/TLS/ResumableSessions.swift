// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import Synchronization

/// What servers have given to make the next handshake shorter (RFC 8446 §2.2), by host and port.
///
/// They belong to one context, so that a session is resumed under the settings alone under which it was made.
final class ResumableSessions: Sendable {
    /// One reference to a session of OpenSSL's.
    private final class Ticket: @unchecked Sendable {
        // Unchecked: OpenSSL's references are counted, and sessions that are kept are not changed.
        let session: OpaquePointer

        init(_ session: OpaquePointer) { self.session = session }
        deinit { SSL_SESSION_free(session) }

        /// A ticket of TLS 1.3 that is used twice shows that both connections are one client's (RFC 8446 §C.4).
        var isForOnce: Bool { SSL_SESSION_get_protocol_version(session) == TLS1_3_VERSION }
    }

    private struct State {
        var tickets: [String: [Ticket]] = [:]
        /// The servers, those first whose first ticket is the oldest.
        var servers: [String] = []
    }

    private let state = Mutex(State())

    /// How many servers' are kept, and how many of one: as many as connections that are likely to be opened at once.
    private static let maximumServers = 1000
    private static let maximumTickets = 8

    /// Takes over a reference.
    func keep(_ session: OpaquePointer, of server: String) {
        let ticket = Ticket(session)
        state.withLock { state in
            if state.tickets[server] == nil {
                if state.servers.count >= Self.maximumServers { state.tickets[state.servers.removeFirst()] = nil }
                state.servers.append(server)
            }
            var tickets = ticket.isForOnce ? state.tickets[server] ?? [] : []
            if tickets.count >= Self.maximumTickets { tickets.removeFirst() }
            state.tickets[server] = tickets + [ticket]
        }
    }

    /// Has a connection that is not open yet try to resume the newest.
    func resume(_ connection: OpaquePointer, to server: String) {
        let ticket = state.withLock { state in
            guard let newest = state.tickets[server]?.last else { return nil as Ticket? }
            if newest.isForOnce { state.tickets[server]?.removeLast() }
            return newest
        }
        if let ticket { SSL_set_session(connection, ticket.session) }
    }

    /// The server's are no good.
    func forget(_ server: String) {
        state.withLock { $0.tickets[server]?.removeAll() }
    }

    /// How many there are of a server.
    func count(of server: String) -> Int { state.withLock { $0.tickets[server]?.count ?? 0 } }
}
