// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

/// What the system has taken of a request and the peer has not. A server that reads slowly and without a pause may take minutes for
/// it, in which the socket takes nothing more: that is no silence. So it is looked at several times within the idle limit, and is
/// something that has happened when it has become less. Times are in nanoseconds.
struct Backlog {
    /// Of a body that is shorter all is gone at once, or the server takes nothing.
    static let leastSent: Int64 = 64 * 1024
    /// How often it is looked at within the idle limit.
    private static let looks: UInt64 = 8

    private var bytes = 0
    private var lookedAt: UInt64 = 0

    /// - Parameter activity: when something has happened last.
    func nextLook(since activity: UInt64, idleLimit: UInt64) -> UInt64 {
        max(lookedAt, activity).saturatingAdd(max(1, idleLimit / Self.looks))
    }

    /// - Returns: whether the peer has taken some of it since the last look.
    mutating func look(at bytes: Int, now: UInt64) -> Bool {
        defer { (self.bytes, lookedAt) = (bytes, now) }
        return bytes < self.bytes
    }
}
