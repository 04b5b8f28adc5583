// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && !STRATA_PORTABLE_LOOP

import CStrataCurl
import CStrataSupport
import Testing

@testable import StrataCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct SocketTableTests {
    @Test func whatComesOnAHeldConnectionWakesTheLoopWhenItIsLetGo() throws {
        try withTable { table, pipe, events in
            table.isHolding = true
            table.change(pipe.reading, to: CURL_POLL_IN)
            #expect(table.held == pipe.reading)
            pipe.fill()
            #expect(events() == 0)
            #expect(strata_wait_for_input(pipe.reading, 1_000_000_000))
            table.letGo()
            #expect(table.held == nil)
            #expect(events() == 1)
        }
    }

    @Test func aConnectionThatWasWatchedIsHeldAllTheSame() throws {
        try withTable { table, pipe, events in
            table.change(pipe.reading, to: CURL_POLL_IN)
            table.change(pipe.reading, to: CURL_POLL_REMOVE)
            table.isHolding = true
            table.change(pipe.reading, to: CURL_POLL_IN)
            pipe.fill()
            #expect(events() == 0)
        }
    }

    @Test func oneConnectionIsHeld() throws {
        try withTable { table, pipe, events in
            let other = try Pipe()
            defer { other.close() }
            table.opened(other.reading)
            table.isHolding = true
            table.change(pipe.reading, to: CURL_POLL_IN)
            table.change(other.reading, to: CURL_POLL_IN)
            #expect(table.held == pipe.reading)
            other.fill()
            #expect(events() == 1)
        }
    }

    @Test func aHeldConnectionThatGoesIdleIsWatchedInAMoment() throws {
        try withTable { table, pipe, events in
            table.answeredByHTTP1(pipe.reading)
            table.isHolding = true
            table.change(pipe.reading, to: CURL_POLL_IN)
            table.change(pipe.reading, to: CURL_POLL_REMOVE)
            #expect(table.held == nil)
            pipe.fill()
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
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            defer { for end in pair { _ = closeSocket(end) } }
            table.opened(pair[0])
            table.answeredByHTTP1(pair[0])
            table.isHolding = true
            table.change(pair[0], to: CURL_POLL_IN)
            table.change(pair[0], to: CURL_POLL_REMOVE)
            #expect(table.unwatched != nil)
            table.closed(pair[0])
            table.lookAtIdle(pair[0]) { _, _ in false }
        }
    }

    @Test func aHeldConnectionThatClosesIsHeldNoMore() throws {
        try withTable { table, pipe, events in
            table.isHolding = true
            table.change(pipe.reading, to: CURL_POLL_IN)
            table.closed(pipe.reading)
            #expect(table.held == nil)
            pipe.fill()
            table.letGo()
            #expect(events() == 0)
        }
    }

    @Test func aSocketThatIsNoConnectionIsNotHeld() throws {
        try withTable { table, _, events in
            let other = try Pipe()
            defer { other.close() }
            table.isHolding = true
            table.change(other.reading, to: CURL_POLL_IN)
            #expect(table.held == nil)
            other.fill()
            #expect(events() == 1)
        }
    }

    /// An idle connection on which something comes is dismissed, and no wait brings it again.
    @Test func eventsBeyondTheLimitAreLeftForTheNextCall() throws {
        let multi = try #require(curl_multi_init())
        let queue = try #require(EventQueue(multi: multi))
        let pipes = try (0..<3).map { _ in try Pipe() }
        var ready = EventQueue.Ready()
        defer {
            ready.free()
            for pipe in pipes { pipe.close() }
            queue.close()
            curl_multi_cleanup(multi)
        }
        let table = SocketTable(queue)
        for pipe in pipes {
            table.opened(pipe.reading)
            table.change(pipe.reading, to: CURL_POLL_IN)
            table.change(pipe.reading, to: CURL_POLL_REMOVE)
            pipe.fill()
        }
        var counts: [Int] = []
        func dispatch() {
            _ = queue.dispatch(&ready, limit: 2, table, isUsed: { _, _ in false })
            counts.append(ready.count)
        }
        queue.wait(&ready, isBlocking: false)
        dispatch()
        dispatch()
        queue.wait(&ready, isBlocking: false)
        #expect(counts == [1, 0])
        #expect(ready.count == 0)
    }

    @Test func aWaitInVainEnds() throws {
        let pipe = try Pipe()
        defer { pipe.close() }
        #expect(!strata_wait_for_input(pipe.reading, 1))
    }

    /// A table with one connection, and how many events there are at a moment.
    private func withTable(_ body: (SocketTable, Pipe, () -> Int) throws -> Void) throws {
        let multi = try #require(curl_multi_init())
        let queue = try #require(EventQueue(multi: multi))
        let pipe = try Pipe()
        var ready = EventQueue.Ready()
        defer {
            ready.free()
            pipe.close()
            queue.close()
            curl_multi_cleanup(multi)
        }
        let table = SocketTable(queue)
        table.opened(pipe.reading)
        try body(table, pipe) {
            queue.wait(&ready, isBlocking: false)
            return ready.count
        }
    }
}

private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }

    func fill() { _ = write(writing, "a", 1) }

    func close() {
        for end in [reading, writing] { _ = closeSocket(end) }
    }
}

#endif
