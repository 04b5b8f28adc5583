// SPDX-License-Identifier: Apache-2.0

import StrataMiddleware
import Testing

struct BackoffTests {
    @Test func growsUpToItsMaximum() {
        let backoff = Backoff(base: .seconds(1), maximum: .seconds(20), jitter: .none)
        #expect((1...6).map { backoff.delay(beforeRetry: $0) } == [1, 2, 4, 8, 16, 20].map { .seconds($0) })
        #expect(backoff.delay(beforeRetry: .max) == .seconds(20))
    }

    @Test func fullJitterIsEvenlySpread() {
        let backoff = Backoff(base: .seconds(1), maximum: .seconds(8))
        var buckets = Array(repeating: 0, count: 10)
        for _ in 0..<10_000 {
            let seconds = backoff.delay(beforeRetry: 4) / .seconds(1)
            #expect(seconds >= 0 && seconds <= 8)
            buckets[min(Int(seconds / 0.8), 9)] += 1
        }
        #expect(buckets.allSatisfy { (800...1200).contains($0) }, "\(buckets)")
    }

    @Test func asksForTheRangeOfItsJitter() {
        func range(_ jitter: Backoff.Jitter) -> ClosedRange<Double>? {
            var asked: ClosedRange<Double>?
            _ = Backoff(base: .seconds(2), maximum: .seconds(60), jitter: jitter).delay(beforeRetry: 2) {
                asked = $0
                return $0.lowerBound
            }
            return asked
        }
        #expect(range(.none) == nil)
        #expect(range(.full) == 0...4)
        #expect(range(.equal) == 2...4)
        #expect(range(.proportional(0.5)) == 0.5...1.5)
        #expect(range(.added(upTo: .seconds(3))) == 0...3)
    }

    @Test func survivesAbsurdNumbers() {
        #expect(Backoff(base: .seconds(-1), maximum: .seconds(-1), jitter: .full).delay(beforeRetry: 1) == .zero)
        #expect(Backoff(factor: .nan, jitter: .none).delay(beforeRetry: 5) >= .zero)
        #expect(Backoff(factor: .infinity, maximum: .seconds(9), jitter: .none).delay(beforeRetry: 5) == .seconds(9))
        #expect(Backoff(jitter: .proportional(-7)).delay(beforeRetry: 1) == .milliseconds(500))
        #expect(Backoff.none.delay(beforeRetry: 3) == .zero)
        #expect(Backoff(jitter: .proportional(.nan)).delay(beforeRetry: 1) == .milliseconds(500))
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
        let doubled = Backoff(base: longest, factor: 1, maximum: longest, jitter: .proportional(1))
        #expect(doubled.delay(beforeRetry: 2) { $0.upperBound } > .seconds(1_000_000_000))
        #expect(Backoff(factor: 1, jitter: .none).delay(beforeRetry: .max) == .milliseconds(500))
        #expect(Backoff(factor: 0.5, jitter: .none).delay(beforeRetry: .max) == .zero)
        #expect(Backoff(factor: 1.0000001, jitter: .none).delay(beforeRetry: .max) == .seconds(20))
    }

    /// Seconds before the retries from the first on.
    @Test(arguments: [
        (1.0, 2.0, 5.0, [1.0, 1, 2, 4, 5, 5]), (3, 1, 5, [3, 3, 3, 3, 3, 3]), (9, 2, 5, [5, 5, 5, 5, 5, 5]),
        (8, 0.5, 5, [5, 5, 4, 2, 1, 0.5]), (5, 3, 5, [5, 5, 5, 5, 5, 5]), (1, 2, 4, [1, 1, 2, 4, 4, 4]),
        (0, 2, 5, [0, 0, 0, 0, 0, 0]), (1, 0, 5, [0, 0, 0, 0, 0, 0]), (1, -1, 5, [0, 0, 0, 0, 0, 0]),
    ])
    func eachWaitIsTheOneBeforeByTheFactor(_ base: Double, _ factor: Double, _ maximum: Double, _ waits: [Double]) {
        let backoff = Backoff(base: .seconds(base), factor: factor, maximum: .seconds(maximum), jitter: .none)
        // A number below 1 counts as 1.
        #expect((0...5).map { backoff.delay(beforeRetry: $0) } == waits.map { .seconds($0) })
    }

    @Test func theFirstMayBeSentAtOnce() {
        let backoff = Backoff(base: .seconds(1), jitter: .none, isFirstImmediate: true)
        #expect((0...3).map { backoff.delay(beforeRetry: $0) } == [0, 0, 2, 4].map { .seconds($0) })
        #expect(Backoff.constant(.seconds(3)).delay(beforeRetry: 1) == .seconds(3))
        #expect(Backoff.exponential.isFirstImmediate == false)
    }

    /// The least and the most of a nominal wait of four seconds, of ten at most.
    @Test func jitterSpreadsTheWait() {
        let rows: [(Backoff.Jitter, least: Double, most: Double)] = [
            (.none, 4, 4), (.full, 0, 4), (.equal, 2, 4), (.proportional(0.25), 3, 5), (.proportional(0), 4, 4),
            (.proportional(1), 0, 8), (.proportional(2), 0, 8), (.proportional(-1), 4, 4),
            (.added(upTo: .seconds(3)), 4, 7),
            (.added(upTo: .seconds(60)), 4, 10), (.added(upTo: .seconds(-1)), 4, 4),
        ]
        for (jitter, least, most) in rows {
            let backoff = Backoff(base: .seconds(4), maximum: .seconds(10), jitter: jitter)
            #expect(backoff.delay(beforeRetry: 1) { $0.lowerBound } == .seconds(least), "\(jitter)")
            #expect(backoff.delay(beforeRetry: 1) { $0.upperBound } == .seconds(most), "\(jitter)")
        }
    }
}
