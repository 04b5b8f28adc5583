// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Telling of connections, to whoever listens. While nobody does, each of these asks that, and no more. A connection is named at the
/// first exchange that somebody hears of.
extension Engine {
    private var isHeard: Bool { settings.connectionEvents.isListenedTo }

    private func tell(_ kind: ConnectionEvent.Kind, _ origin: Origin, _ number: UInt64? = nil) {
        settings.connectionEvents.tell(
            ConnectionEvent(kind, origin: origin, connection: number, time: SystemClock().now))
    }

    /// An exchange has joined those that wait, and no connection is being made for it.
    func tellWaiting(_ exchange: Exchange) {
        guard isHeard, let origin = exchange.request.origin else { return }
        tell(.waiting, origin)
    }

    /// An exchange is about to be sent on a connection.
    func tellUse(of connection: Connection, by exchange: Exchange) {
        guard isHeard, let origin = exchange.request.origin else { return }
        let name = connection.name ?? (origin, ConnectionEvents.nextNumber())
        connection.name = name
        tell(connection.uses > 1 ? .reused : .opened, name.origin, name.number)
    }

    func tellIdle(_ connection: Connection) {
        guard isHeard, let name = connection.name else { return }
        tell(.idle, name.origin, name.number)
    }

    func tellClosed(_ connection: Connection, _ reason: ConnectionEvent.Reason) {
        guard isHeard, let name = connection.name else { return }
        tell(.closed(reason), name.origin, name.number)
    }
}
