// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataMiddleware

/// What counts of the last while, in ten steps.
struct OutcomeWindowTests {
    /// Calls at their milliseconds, and those of them that failed; what is counted after the last.
    @Test(arguments: [
        ([0, 0, 0], [1], 3, 1), ([0, 9_999], [0], 2, 1), ([0, 10_000], [0], 1, 0), ([999, 10_000], [0], 1, 0),
        ([1_000, 10_000], [0], 2, 1), ([0, 5_000, 9_000, 10_000], [0, 1, 2], 3, 2),
        ([0, 5_000, 9_000, 15_000], [0, 1, 2], 2, 1), ([0, 5_000, 9_000, 19_000], [0, 1, 2], 1, 0),
        ([0, 5_000, 9_000, 1_000_000], [0, 1, 2, 3], 1, 1), ([5_500, 15_000], [0, 1], 1, 1),
        ([5_500, 14_999], [0, 1], 2, 2),
        ([20_000, 29_999, 30_000], [0], 2, 0), ([123_456, 133_000], [0, 1], 1, 1), ([123_456, 132_999], [0, 1], 2, 2),
    ])
    func callsCountForTheLengthOfTheWindow(_ times: [Int], _ failures: [Int], _ calls: Int, _ failed: Int) {
        var window = OutcomeWindow(length: .seconds(10))
        for (number, time) in times.enumerated() {
            window.add(isFailure: failures.contains(number), at: .milliseconds(time))
        }
        #expect(window.calls == calls)
        #expect(window.failures == failed)
        #expect(window.failureRate == Double(failed) / Double(calls))
    }

    @Test func withoutCallsNothingHasFailed() {
        let window = OutcomeWindow(length: .seconds(10))
        #expect(window.calls == 0 && window.failures == 0 && window.failureRate == 0)
    }

    @Test func timeDoesNotGoBack() {
        var window = OutcomeWindow(length: .seconds(10))
        window.add(isFailure: true, at: .seconds(50))
        window.add(isFailure: false, at: .seconds(10))
        window.add(isFailure: false, at: .seconds(-10))
        #expect(window.calls == 3 && window.failures == 1)
        // They have been counted for the moment that was the latest.
        window.add(isFailure: false, at: .milliseconds(59_999))
        #expect(window.calls == 4)
        window.add(isFailure: false, at: .seconds(60))
        #expect(window.calls == 2 && window.failures == 0)
    }

    /// The shortest window has steps of a millisecond; the longest does not end.
    @Test(arguments: [
        (Duration.zero, 10, 1), (.zero, 9, 2), (.milliseconds(-5), 10, 1), (.milliseconds(19), 10, 1),
        (.milliseconds(20), 19, 2), (.milliseconds(20), 20, 1),
        (Duration(secondsComponent: .max, attosecondsComponent: 0), 1_000_000_000, 2),
    ])
    func anyLengthHasItsSteps(_ length: Duration, _ time: Int, _ calls: Int) {
        var window = OutcomeWindow(length: length)
        window.add(isFailure: true, at: .zero)
        window.add(isFailure: true, at: .milliseconds(time))
        #expect(window.calls == calls && window.failures == calls)
    }

    @Test func eachStepIsForgottenOnce() {
        var window = OutcomeWindow(length: .seconds(10))
        for second in 0..<35 {
            window.add(isFailure: second % 2 == 0, at: .seconds(second))
            #expect(window.calls == min(second + 1, 10))
        }
        #expect(window.failures == 5)
    }

    /// A success at one time that has failed at another, among two calls that fail at the latter; what is counted then.
    @Test(arguments: [(0, 0, 3), (0, 9_999, 3), (5_500, 14_999, 3), (5_500, 15_000, 3), (0, 1_000_000, 3)])
    func aSuccessThatFailsIsOneCall(_ time: Int, _ end: Int, _ calls: Int) {
        var window = OutcomeWindow(length: .seconds(10))
        let step = window.add(isFailure: false, at: .milliseconds(time))
        for _ in 0..<2 { window.add(isFailure: true, at: .milliseconds(end)) }
        window.turnIntoFailure(successIn: step, at: .milliseconds(end))
        #expect(window.calls == calls && window.failures == calls)
        window.add(isFailure: false, at: .milliseconds(end + 20_000))
        #expect(window.calls == 1 && window.failures == 0)
    }
}
