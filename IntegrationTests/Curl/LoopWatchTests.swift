// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

import Foundation
import Testing

@testable import StrataCurl
@testable import StrataTesting

/// Looks are made by the test, and so counted and not timed.
struct LoopWatchTests {
    @Test func endsTheConnectionThatIsReadOnAndOn() throws {
        try withConnections { watch, flooding, other in
            watch.look()
            for _ in 0..<3 {
                try flooding.pass(Int(FloodJudge.least))
                watch.look()
            }
            #expect(hasEnded(flooding.near))
            #expect(!hasEnded(other.near))
            #expect(watch.takeEnded() == [flooding.near])
            #expect(watch.takeEnded() == [])
        }
    }

    @Test func endsNoneWhenTheLoopGoesOn() throws {
        try withConnections { watch, one, _ in
            for _ in 0..<6 {
                try one.pass(Int(FloodJudge.least))
                watch.look()
                watch.noteStep()
            }
            #expect(!hasEnded(one.near))
        }
    }

    @Test func whatWaitsToBeReadIsNotTaken() throws {
        try withConnections { watch, one, _ in
            for _ in 0..<6 {
                try one.send(10_000)
                watch.look()
            }
            #expect(watch.takeEnded() == [])
        }
    }

    /// Its number may be another's by then.
    @Test func leavesAClosedConnectionAlone() throws {
        try withConnections { watch, one, _ in
            watch.look()
            try one.pass(Int(FloodJudge.least))
            watch.look()
            watch.closed(one.near)
            for _ in 0..<3 {
                try one.pass(Int(FloodJudge.least))
                watch.look()
            }
            #expect(!hasEnded(one.near))
        }
    }

    private func withConnections(_ body: (LoopWatch, Pair, Pair) throws -> Void) throws {
        let (one, other) = (try Pair(), try Pair())
        defer { for pair in [one, other] { pair.close() } }
        let watch = LoopWatch()
        for pair in [one, other] { watch.opened(pair.near) }
        try body(watch, one, other)
    }
}

/// A connection over TCP: the system counts there what has come.
private struct Pair {
    let near: Int32
    let far: Int32

    init() throws {
        let (listener, port) = try Socket.bound()
        defer { Socket.close(listener) }
        try Socket.listen(listener, backlog: 1)
        near = try Socket.connected(toPort: port)
        far = try #require(Socket.accept(listener))
        _ = fcntl(near, F_SETFL, O_NONBLOCK)
    }

    func send(_ count: Int) throws {
        let bytes = [UInt8](repeating: 0, count: count)
        try #require(bytes.withUnsafeBytes { Socket.send(far, $0) } == count)
    }

    /// Sends bytes, and takes them.
    func pass(_ count: Int) throws {
        var buffer = [UInt8](repeating: 0, count: count)
        var left = count
        while left > 0 {
            try send(min(left, 16 * 1024))
            left -= min(left, 16 * 1024)
            while recv(near, &buffer, buffer.count, 0) > 0 {}
        }
    }

    func close() {
        for end in [near, far] { Socket.close(end) }
    }
}

#endif
