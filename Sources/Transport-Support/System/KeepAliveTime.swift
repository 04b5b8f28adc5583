// SPDX-License-Identifier: Apache-2.0

/// The time for which a server keeps a connection open without a further request, as it says in `Keep-Alive`. In nanoseconds.
package enum KeepAliveTime {
    /// How long a connection is used of that time: a request that is on its way when the server closes would be lost.
    package static func usable(of promised: UInt64) -> UInt64 { promised - min(promised / 4, 1_000_000_000) }
}
