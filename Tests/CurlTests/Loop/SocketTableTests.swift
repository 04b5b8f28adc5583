// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && !STRATA_PORTABLE_LOOP

import CStrataCurl
import Testing

@testable import StrataCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct SocketTableTests {
    @Test func anIdleConnectionOverHTTP1WithoutInputIsWatchedAgainInAMoment() throws {
        try withTable { table, pair, events in
            table.answeredByHTTP1(pair.reading)
            table.change(pair.reading, to: CURL_POLL_IN)
            table.change(pair.reading, to: CURL_POLL_REMOVE)
            table.dismiss(pair.reading) { _, _ in false }
            pair.fill()
            #expect(events() == 0)
            #expect(table.unwatched != nil)
            table.watchAgain()
            #expect(events() == 1)
        }
    }

    /// Its number may be that of a socket that blocks, where looking for input would wait.
    @Test func anUnwatchedConnectionThatHasClosedIsNotLookedAt() throws {
        try withTable { table, _, _ in
            var pair: [Int32] = [-1, -1]
            try #require(
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &pair) == 0)
            defer { for end in pair { _ = closeSocket(end) } }
            table.opened(pair[0])
            table.answeredByHTTP1(pair[0])
            table.dismiss(pair[0]) { _, _ in false }
            #expect(table.unwatched != nil)
            table.closed(pair[0])
            table.lookAtIdle(pair[0]) { _, _ in false }
        }
    }

    /// A table with one connection, and how many events there are at a moment.
    private func withTable(_ body: (SocketTable, Pair, () -> Int) throws -> Void) throws {
        let multi = try #require(curl_multi_init())
        let queue = try #require(EventQueue(multi: multi))
        let pair = try Pair()
        var ready = EventQueue.Ready()
        defer {
            ready.free()
            pair.close()
            queue.close()
            curl_multi_cleanup(multi)
        }
        let table = SocketTable(queue)
        table.opened(pair.reading)
        try body(table, pair) {
            queue.wait(&ready, isBlocking: false)
            return ready.count
        }
    }
}

private struct Pair {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }

    func fill() { _ = write(writing, "a", 1) }

    func close() {
        for end in [reading, writing] { _ = closeSocket(end) }
    }
}

#endif
