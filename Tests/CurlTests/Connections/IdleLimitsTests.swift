// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct IdleLimitsTests {
    private func idle(_ socket: Int32, since: UInt64, expiry: UInt64 = .max) -> IdleLimits.Idle {
        IdleLimits.Idle(socket: socket, since: since, expiry: expiry)
    }

    @Test func keepsAConnectionUntilItIsTooOld() {
        let limits = IdleLimits(age: 90, count: nil)
        let connections = [idle(1, since: 10), idle(2, since: 50)]
        #expect(limits.overdue(connections, now: 99) == ([], 100))
        #expect(limits.overdue(connections, now: 100) == ([1], 140))
        #expect(limits.overdue(connections, now: 1000) == ([1, 2], .max))
    }

    @Test func keepsAConnectionNoLongerThanItsServerDoes() {
        let limits = IdleLimits(age: 90, count: nil)
        #expect(limits.overdue([idle(1, since: 10, expiry: 20), idle(2, since: 10)], now: 15) == ([], 20))
        #expect(limits.overdue([idle(1, since: 10, expiry: 20), idle(2, since: 10)], now: 20) == ([1], 100))
    }

    @Test func endsTheOldestAboveTheNumber() {
        let limits = IdleLimits(age: nil, count: 2)
        let connections = [idle(1, since: 30), idle(2, since: 10), idle(3, since: 20), idle(4, since: 40)]
        let (sockets, next) = limits.overdue(connections, now: 50)
        #expect(Set(sockets) == [2, 3])
        #expect(next == .max)
        #expect(IdleLimits(age: nil, count: 0).overdue(connections, now: 50).sockets.count == 4)
        #expect(IdleLimits(age: nil, count: nil).overdue(connections, now: .max - 1).sockets.isEmpty)
    }
}

private func == (found: (sockets: [Int32], next: UInt64), expected: ([Int32], UInt64)) -> Bool {
    found.sockets == expected.0 && found.next == expected.1
}
