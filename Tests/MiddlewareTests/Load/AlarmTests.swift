// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import StrataMiddleware

/// The times of an alarm, whose waits end when the test says so.
struct AlarmTests {
    private let alarm = Alarm()
    private let rings = Rings()

    private final class Rings: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    /// Is there as long as the wait for which it was made.
    private final class Marker: Sendable {}

    private struct Weak {
        weak var marker: Marker?
    }

    /// - Returns: what is gone when the wait is over, and has rung or not.
    private func set(_ number: Int, at seconds: Int, unlessEarlier: Bool = false, _ gate: Gate) -> Weak {
        let marker = Marker()
        alarm.set(at: .seconds(seconds), unlessEarlier: unlessEarlier) {
            await gate.pass()
        } ring: { [rings] in
            withExtendedLifetime(marker) { rings.add(number) }
        }
        return Weak(marker: marker)
    }

    /// Times, and whether an earlier one that is set stays; which of them rings.
    @Test(arguments: [
        ([(5, false)], [0]), ([(5, false), (3, false)], [1]), ([(5, false), (7, false)], [1]),
        ([(5, false), (5, false)], [0]), ([(5, false), (7, true)], [0]), ([(5, false), (5, true)], [0]),
        ([(5, false), (3, true)], [1]), ([(5, true), (7, true), (3, true), (4, true)], [2]),
        ([(5, false), (3, false), (5, false)], [2]),
    ])
    func theOneThatIsSetRings(_ times: [(Int, Bool)], _ expected: [Int]) async {
        let gate = Gate()
        let waits = times.enumerated().map { set($0.offset, at: $0.element.0, unlessEarlier: $0.element.1, gate) }
        await gate.open()
        for wait in waits { await eventually { wait.marker == nil } }
        #expect(rings.all == expected)
    }

    @Test func aTimeMayBeSetAgainWhenItHasRung() async {
        let open = Gate(opensAfter: 0)
        for number in 1...3 {
            let wait = set(number, at: 5, open)
            await eventually { wait.marker == nil }
        }
        #expect(rings.all == [1, 2, 3])
    }

    @Test func whatIsCancelledDoesNotRingAndMayBeSetAgain() async {
        let gate = Gate()
        let first = set(1, at: 5, gate)
        alarm.cancel()
        let second = set(2, at: 5, gate)
        await gate.open()
        for wait in [first, second] { await eventually { wait.marker == nil } }
        #expect(rings.all == [2])
    }

    @Test func aWaitThatFailsDoesNotRing() async {
        func setFailing() -> Weak {
            let marker = Marker()
            alarm.set(at: .seconds(1)) {
                throw CancellationError()
            } ring: { [rings] in
                withExtendedLifetime(marker) { rings.add(0) }
            }
            return Weak(marker: marker)
        }
        let wait = setFailing()
        await eventually { wait.marker == nil }
        #expect(rings.all == [])
    }
}
