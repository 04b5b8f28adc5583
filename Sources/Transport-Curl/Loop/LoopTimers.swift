// SPDX-License-Identifier: Apache-2.0

/// When the loop wakes up though nothing has come, in nanoseconds.
struct LoopTimers {
    /// When the system's timer is to go off.
    var armed = UInt64.max
    /// When the idle connections are looked at.
    var idleCheck = UInt64.max

    mutating func checkIdle(at time: UInt64) { idleCheck = min(idleCheck, time) }

    /// - Returns: whether the system's timer has to be set anew. One that goes off too early does no harm.
    mutating func arm(at time: UInt64) -> Bool {
        guard time < armed else { return false }
        armed = time
        return true
    }
}
