// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Telling of connections, to whoever listens. While nobody does, each of these asks that, and no more. A connection is named at the
/// first exchange that somebody hears of.
extension Engine {
    private var connectionEvents: ConnectionEvents { settings.connectionEvents }

    /// An exchange has joined those that wait, and no connection is being made for it.
    func tellWaiting(_ exchange: Exchange) {
        guard connectionEvents.isListenedTo, let origin = exchange.request.origin else { return }
        connectionEvents.tell(.waiting, origin)
    }

    /// An exchange is about to be sent on a connection.
    func tellUse(of connection: Connection, by exchange: Exchange) {
        guard connectionEvents.isListenedTo, let origin = exchange.request.origin else { return }
        let name = connection.name ?? (origin, ConnectionEvents.nextNumber())
        connection.name = name
        connectionEvents.tell(connection.uses > 1 ? .reused : .opened, name.origin, name.number)
    }

    func tellIdle(_ connection: Connection) {
        guard connectionEvents.isListenedTo, let name = connection.name else { return }
        connectionEvents.tell(.idle, name.origin, name.number)
    }

    func tellClosed(_ connection: Connection, _ reason: ConnectionEvent.Reason) {
        guard connectionEvents.isListenedTo, let name = connection.name else { return }
        connectionEvents.tell(.closed(reason), name.origin, name.number)
    }
}
