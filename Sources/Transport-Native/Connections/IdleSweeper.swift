// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// Closes connections that have been idle for long, and those above the number that may be.
final class IdleSweeper: TimerOwner {
    var slot = -1

    /// How long connections above the number may stay: they need not be counted more often. In nanoseconds.
    private static let grace: UInt64 = 1_000_000_000

    /// A connection has become idle.
    func note(_ connection: Connection, _ engine: Engine) {
        engine.note(slot, at: end(of: connection, engine))
        if engine.idleCount > engine.settings.maximumIdle {
            engine.note(slot, at: engine.now.saturatingAdd(Self.grace))
        }
    }

    func timeIsUp(_ engine: Engine) {
        var kept: [Connection] = []
        for connection in engine.pools.all.flatMap(\.idle) {
            if end(of: connection, engine) <= engine.now {
                engine.close(connection, engine.reasonToLeave(connection))
            } else {
                kept.append(connection)
            }
        }
        if kept.count > engine.settings.maximumIdle {
            kept.sort { $0.idleSince > $1.idleSince }
            for connection in kept[engine.settings.maximumIdle...] { engine.close(connection, .idleLimit) }
            kept.removeSubrange(engine.settings.maximumIdle...)
        }
        if let next = kept.lazy.map({ self.end(of: $0, engine) }).min() { engine.note(slot, at: next) }
    }

    private func end(of connection: Connection, _ engine: Engine) -> UInt64 {
        let settings = engine.settings
        return min(
            connection.idleSince.saturatingAdd(settings.idleAge), connection.expiry,
            connection.opened.saturatingAdd(settings.maximumAge))
    }
}
