// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Synchronization
import TestSupport
import Testing

@testable import StrataStreaming

/// The state that a source of events shares with its reader.
struct EventSourceConnectionTests {
    private final class Count: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    private let connection = EventSourceConnection()

    @Test func onlyTheFirstReaderIsLetIn() {
        #expect(connection.admitReader())
        #expect(!connection.admitReader())
        #expect(!connection.admitReader())
        let other = EventSourceConnection()
        do {
            let first = ReaderLease(other)
            #expect(first.isFirst)
            // One that was not let in ends nothing.
            #expect(!ReaderLease(other).isFirst)
            #expect(other.state == .connecting)
        }
        #expect(other.state == .closed)
    }

    @Test func aBodyThatComesAfterTheEndIsCancelled() throws {
        let (first, second) = (HangingSource("a"), HangingSource("b"))
        try connection.open(ResponseBody(source: first))
        #expect(connection.state == .open && !first.isCancelled)
        connection.close()
        #expect(connection.state == .closed && first.isCancelled)
        #expect(throws: CancellationError.self) { try connection.open(ResponseBody(source: second)) }
        #expect(connection.state == .closed && second.isCancelled)
        connection.reconnect()
        #expect(connection.state == .closed)
    }

    @Test func aNewConnectionLetsGoOfTheBody() throws {
        let source = HangingSource("a")
        try connection.open(ResponseBody(source: source))
        connection.reconnect()
        #expect(connection.state == .connecting)
        connection.close()
        #expect(!connection.keepCancellation {})
    }

    @Test func whenItReconnectsNothingIsLeftOfTheOldBody() throws {
        weak var old: HangingSource?
        do {
            let source = HangingSource("a")
            old = source
            try connection.open(ResponseBody(source: source))
        }
        #expect(old != nil)
        connection.reconnect()
        #expect(old == nil)
    }

    @Test func whatTheReaderWaitsForIsEndedOnce() {
        let (kept, replaced, late) = (Count(), Count(), Count())
        #expect(connection.keepCancellation { replaced.add() })
        #expect(connection.keepCancellation { kept.add() })
        connection.close()
        connection.close()
        connection.leave()
        #expect(!connection.keepCancellation { late.add() })
        connection.close()
        #expect([kept, replaced, late].map(\.value) == [1, 0, 0])
    }

    @Test func whatIsWaitedForNoLongerIsNotEnded() {
        let count = Count()
        #expect(connection.keepCancellation { count.add() })
        #expect(connection.keepCancellation(nil))
        connection.close()
        #expect(count.value == 0)
    }

    @Test func eachObserverGetsTheStatesFromNowOn() async throws {
        let first = connection.states()
        try connection.open(ResponseBody())
        let second = connection.states()
        try connection.open(ResponseBody())
        connection.reconnect()
        connection.close()
        let late = connection.states()
        #expect(await first.reduce(into: []) { $0.append($1) } == [.connecting, .open, .connecting, .closed])
        #expect(await second.reduce(into: []) { $0.append($1) } == [.open, .connecting, .closed])
        #expect(await late.reduce(into: []) { $0.append($1) } == [.closed])
    }

    @Test func withoutAnybodyTheStatesEnd() async {
        let states: AsyncStream<EventSource.State>
        do { states = EventSourceConnection().states() }
        #expect(await states.reduce(into: []) { $0.append($1) } == [.connecting, .closed])
    }

    @Test func theEndOfTheStreamEndsTheWork() async throws {
        #expect(try await connection.run { 7 } == 7)
        await #expect(throws: TestFailure.self) { try await connection.run { () -> Int in throw TestFailure() } }
        let working = Task { [connection] in try await connection.run { () -> Int in try await untilCancelled() } }
        await Task.yield()
        connection.close()
        await #expect(throws: CancellationError.self) { try await working.value }
        await #expect(throws: CancellationError.self) {
            try await connection.run { () -> Int in try await untilCancelled() }
        }
    }

    private struct TestFailure: Error {}
}
