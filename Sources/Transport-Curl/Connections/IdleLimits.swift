// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

/// How many connections are kept that nothing is sent on, and how long. Times are in nanoseconds.
struct IdleLimits: Sendable {
    /// A connection without an exchange.
    struct Idle {
        let socket: Int32
        /// When its last exchange ended.
        let since: UInt64
        /// When its server closes it, as far as the server has said so.
        let expiry: UInt64
    }

    /// At the end of time for none.
    let age: UInt64
    let count: Int

    /// How long connections above the number may stay: they need not be counted more often.
    static let grace: UInt64 = 1_000_000_000

    init(age: UInt64?, count: Int?) {
        self.age = age ?? .max
        self.count = count.map { max(0, $0) } ?? .max
    }

    /// - Returns: the connections to end now, and when to look again.
    func overdue(_ idle: [Idle], now: UInt64) -> (sockets: [Int32], next: UInt64) {
        var overdue: [Int32] = []
        var kept: [Idle] = []
        for connection in idle {
            if end(of: connection) <= now { overdue.append(connection.socket) } else { kept.append(connection) }
        }
        if kept.count > count {
            kept.sort { $0.since > $1.since }
            overdue += kept[count...].map(\.socket)
            kept.removeSubrange(count...)
        }
        return (overdue, kept.lazy.map(end).min() ?? .max)
    }

    private func end(of connection: Idle) -> UInt64 { min(connection.since.saturatingAdd(age), connection.expiry) }
}
