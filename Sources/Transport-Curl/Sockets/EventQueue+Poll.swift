// SPDX-License-Identifier: Apache-2.0

#if !os(Linux) || STRATA_PORTABLE_LOOP

import CStrataCurl
import StrataTransportSupport
import Synchronization

/// Waits by `curl_multi_poll`, which knows libcurl's sockets and timers itself. Can be tried on Linux too, with
/// `-D STRATA_PORTABLE_LOOP`.
final class EventQueue: Sendable {
    static let isShareable = false

    // Unsafe: libcurl allows a wake-up from any thread, and the rest is the loop's alone.
    nonisolated(unsafe) private let multi: UnsafeMutableRawPointer
    private let deadline = Atomic<UInt64>(.max)

    init?(multi: UnsafeMutableRawPointer) { self.multi = multi }

    func close() {}
    func wake() { curl_multi_wakeup(multi) }
    func arm(at time: UInt64) { deadline.store(time, ordering: .relaxed) }

    struct Ready: Sendable {
        let count = 0

        func free() {}
    }

    func wait(_ ready: inout Ready, isBlocking: Bool) {
        var limit: Int32 = 0
        if isBlocking {
            let now = MonotonicClock.now
            let time = deadline.load(ordering: .relaxed)
            limit = time == .max ? 60_000 : Int32(clamping: (max(time, now) - now) / 1_000_000 + 1)
        }
        var count: Int32 = 0
        curl_multi_poll(multi, nil, 0, limit, &count)
    }

    func dispatch(_ ready: inout Ready, _ sockets: SocketTable, goesOn: () -> Bool) -> Bool {
        callLibcurl()
        guard MonotonicClock.now >= deadline.load(ordering: .relaxed) else { return false }
        deadline.store(.max, ordering: .relaxed)
        return true
    }

    /// libcurl knows its sockets itself.
    func register(_ socket: Int32, from old: Interest, to new: Interest) {}

    /// - Returns: whether all sockets have been looked at.
    func look(_ visit: (Int32) -> Void) -> Bool { false }

    func callLibcurl() {
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
    }
}

#endif
