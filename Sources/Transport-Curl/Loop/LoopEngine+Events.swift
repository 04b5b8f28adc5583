// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Telling of connections, to whoever listens. While nobody does, each of these asks that, and no more.
///
/// A connection is named at the first exchange that somebody hears of. One of several that cannot be told apart, as over Unix
/// domain sockets, has no name, and nothing is told of it.
extension LoopEngine {
    private var connectionEvents: ConnectionEvents { options.connectionEvents }

    func tellWaiting(_ exchange: Exchange) {
        guard connectionEvents.isListenedTo, let origin = exchange.request.origin else { return }
        connectionEvents.tell(.waiting, origin)
    }

    /// libcurl has a bound for all connections, and does not say who waits for one.
    func noteBegun(_ transfer: Transfer) {
        guard connectionEvents.isListenedTo, options.configuration.maximumConnections > 0,
            options.configuration.dnsOverHTTPS == nil
        else { return }
        batch.begun.append(transfer.slot)
    }

    /// Those that have begun in this batch, and for which libcurl neither has a connection nor makes one.
    func tellThoseThatWait() {
        if batch.begun.isEmpty { return }
        for slot in batch.begun {
            guard let transfer = slots.busy(at: slot), let exchange = transfer.exchange,
                transfer.naming?.isUnderWay != true,
                transfer.connection.count == 0, transfer.connection.spokenOf < 0
            else { continue }
            tellWaiting(exchange)
        }
        batch.begun = []
    }

    /// An exchange is about to be sent on a connection.
    func tellUse(of socket: Int32, by transfer: Transfer) {
        guard connectionEvents.isListenedTo, let connection = sockets.connection(socket),
            let origin = transfer.exchange?.request.origin
        else { return }
        let name = connection.name ?? (origin, ConnectionEvents.nextNumber())
        sockets.name(socket, name)
        connectionEvents.tell(connection.hasCarried ? .reused : .opened, name.origin, name.number)
    }

    /// An exchange has left its connection, which is kept.
    func tellIdle(after transfer: Transfer) {
        let socket = transfer.connection.socket
        guard connectionEvents.isListenedTo, let connection = sockets.connection(socket), let name = connection.name,
            !connection.hasEnded,
            !slots.allBusy.contains(where: { $0.connection.isUnderWay && $0.connection.socket == socket })
        else { return }
        connectionEvents.tell(.idle, name.origin, name.number)
    }

    /// libcurl closes a connection. Why it closes one that an exchange is on is known when the exchange is over.
    func tellClosed(_ socket: Int32) {
        guard connectionEvents.isListenedTo, let connection = sockets.connection(socket), let name = connection.name
        else {
            return
        }
        if let transfer = slots.allBusy.first(where: { $0.connection.isUnderWay && $0.connection.socket == socket }) {
            closedUnderWay[transfer.slot] = name
        } else {
            connectionEvents.tell(.closed(reason(forClosing: connection)), name.origin, name.number)
        }
    }

    func tellClosed(under transfer: Transfer, _ reason: ConnectionEvent.Reason) {
        if closedUnderWay.isEmpty { return }
        guard let name = closedUnderWay.removeValue(forKey: transfer.slot) else { return }
        connectionEvents.tell(.closed(reason), name.origin, name.number)
    }

    private func reason(forClosing connection: Connection) -> ConnectionEvent.Reason {
        if isStopped { return .shutdown }
        if connection.wasIdleTooLong { return .idleLimit }
        if connection.isLeft { return .silence }
        // It was ended here for what had come on it: its end, or what nobody has asked for.
        return connection.hasEnded ? .peer : .client
    }
}
