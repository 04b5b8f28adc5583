// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport

/// The connections that are given up: those that have ended, those that do not answer, and those that have been idle for long.
extension LoopEngine {
    // MARK: - Another connection

    /// Sends the request, whose body is at its beginning, over a new connection.
    func sendAfresh(_ transfer: Transfer) {
        curl_multi_remove_handle(multi, transfer.easy)
        leaveConnection(transfer)
        transfer.startAfresh()
        add(transfer)
    }

    /// Sends the request once more, over a new connection, when the reused one has ended without an answer (RFC 9112 §9.3.1).
    ///
    /// - Returns: whether it does; not where the server may have acted on it and must not do so twice.
    func sendsAgain(_ transfer: Transfer) -> Bool {
        guard transfer.isUnansweredOnReuse, transfer.mayBeRepeated(isUnprocessed: false, after: transfer.uses),
            transfer.rewind()
        else { return false }
        sendAfresh(transfer)
        return true
    }

    // MARK: - Silent connections

    /// For how long a connection has to be silent when the caller gives an exchange up: what was given up sooner says nothing.
    private static let patience: UInt64 = 100_000_000

    /// An exchange is given up, by a limit or by its caller. When its connection has brought nothing since the request was
    /// written, it carries no further one: behind an address translator that has forgotten it, or with a server that hangs, the
    /// next would wait in vain, too. Over HTTP/1 the connection ends with the exchange anyway.
    func leaveIfSilent(_ transfer: Transfer, _ error: any Error) {
        let use = transfer.connection
        guard use.isUnderWay, let connection = sockets.connection(use.socket), connection.version != .http1,
            Self.isGivenUp(error), !transfer.isSilenceOurs, !transfer.head.isComplete || Self.isIdleTimeout(error)
        else { return }
        let waited = now - min(now, transfer.lastActivity)
        guard waited >= Self.patience || Self.isIdleTimeout(error), isSilent(use.socket, for: waited) else { return }
        sockets.abandon(use.socket)
        // The last exchange to leave it has libcurl close it.
        for other in slots.allBusy where other.connection.isUnderWay && other.connection.socket == use.socket {
            other.settings.forbidReuse(other.easy)
        }
    }

    private static func isGivenUp(_ error: any Error) -> Bool {
        error is CancellationError || (error as? NetworkClientError)?.code == .timedOut
    }

    private static func isIdleTimeout(_ error: any Error) -> Bool { (error as? NetworkClientError)?.timeout == .idle }

    /// Whether nothing has come on a connection for so long, not even for other exchanges.
    private func isSilent(_ socket: Int32, for time: UInt64) -> Bool {
        let milliseconds = strata_silence(socket)
        // The system counts in steps of up to ten milliseconds.
        if milliseconds >= 0 { return UInt64(milliseconds) + 10 >= time / 1_000_000 }
        return !slots.allBusy.contains { other in
            other.connection.isUnderWay && other.connection.socket == socket
                && now - min(now, other.lastActivity) < time
        }
    }

    // MARK: - Idle connections

    /// An exchange has left its connection, which may be idle now.
    func noteIdle(expiry: UInt64) {
        timers.checkIdle(at: min(expiry, now.saturatingAdd(options.idleLimits.age)))
        if connectionLimit.openSockets - inboxLive > options.idleLimits.count {
            timers.checkIdle(at: now.saturatingAdd(IdleLimits.grace))
        }
    }

    /// Ends the connections that have been idle for too long, or are too many.
    func endIdleConnections() {
        guard timers.idleCheck <= now else { return }
        let used = Set(slots.allBusy.lazy.filter(\.connection.isUnderWay).map(\.connection.socket))
        let (overdue, next) = options.idleLimits.overdue(sockets.idleConnections(besides: used), now: now)
        for socket in overdue { sockets.endIdle(socket) }
        timers.idleCheck = next
        guard sockets.hasEndedConnections else { return }
        pruner.start(multi)
        schedule.request()
        // libcurl does not look at them more than once a second.
        timers.checkIdle(at: now.saturatingAdd(1_100_000_000))
    }

    /// The exchange has no connection any more, or not yet another one.
    ///
    /// - Parameter reason: why the connection was closed, if it was.
    func leaveConnection(_ transfer: Transfer, _ reason: ConnectionEvent.Reason = .peer) {
        tellClosed(under: transfer, reason)
        guard transfer.connection.isUnderWay else { return }
        if transfer.connection.isUnknown {
            sockets.unknownUseEnded()
        } else {
            let expiry = transfer.head.keepAlive.map { now.saturatingAdd(KeepAliveTime.usable(of: $0)) } ?? .max
            sockets.leave(transfer.connection.socket, by: transfer.slot, at: now, expiry: expiry)
            noteIdle(expiry: expiry)
        }
        transfer.connection.end()
        tellIdle(after: transfer)
    }

    func startReleased() {
        while let exchange = origins.nextReleased() {
            if let transfer = transfer(of: exchange) { add(transfer) }
        }
    }
}
