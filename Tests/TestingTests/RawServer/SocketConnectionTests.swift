// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataTesting

struct SocketConnectionTests {
    @Test func aDrainEndsThoughSomethingAlwaysComes() {
        var times: [Duration] = []
        let start = ContinuousClock.now
        SocketConnection.drain(waiting: .milliseconds(1), atMost: .milliseconds(20)) { time in
            times.append(time)
            return ContinuousClock.now < start + .seconds(600)
        }
        #expect(ContinuousClock.now < start + .seconds(600))
        // When its patience is at an end it takes only what is there.
        #expect(times.allSatisfy { $0 <= .milliseconds(1) })
        #expect((times.last ?? .zero) <= .zero)
    }

    @Test func aDrainEndsWhenNothingComes() {
        var count = 0
        SocketConnection.drain(waiting: .seconds(5), atMost: .seconds(10)) { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
    }
}
