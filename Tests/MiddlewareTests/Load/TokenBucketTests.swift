// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataMiddleware

/// The tokens of a rate, by the time that they are given.
struct TokenBucketTests {
    /// When the next requests may be sent, in milliseconds.
    private func times(_ bucket: TokenBucket, now: Int = 0, _ count: Int = 4) -> [Int64] {
        (0..<count).map {
            let time = bucket.ready($0, now: .milliseconds(now))
            return time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        }
    }

    @Test func aRateHasABurstOfOneAtLeast() {
        let rows: [(requests: Int, burst: Int?, expected: (Duration, Int))] = [
            (4, nil, (.milliseconds(500), 4)), (4, 2, (.milliseconds(500), 2)), (4, 9, (.milliseconds(500), 9)),
            (4, 1, (.milliseconds(500), 1)), (4, 0, (.milliseconds(500), 1)), (1, nil, (.seconds(2), 1)),
            (0, nil, (.seconds(2), 1)), (-3, nil, (.seconds(2), 1)),
        ]
        for row in rows {
            let rate = RequestRate.requests(row.requests, per: .seconds(2), burst: row.burst)
            #expect(rate.interval == row.expected.0 && rate.burst == row.expected.1, "\(row)")
        }
        #expect(RequestRate.requests(4, per: .seconds(-1)).interval == .zero)
    }

    @Test func aFullBucketHasItsBurst() {
        #expect(times(TokenBucket(.requests(2, per: .seconds(2)))) == [-1000, 0, 1000, 2000])
        #expect(times(TokenBucket(.requests(1, per: .seconds(2))), now: 500) == [500, 2500, 4500, 6500])
    }

    @Test func tokensComeBackOneByOne() {
        var bucket = TokenBucket(.requests(2, per: .seconds(2)))
        for _ in 1...2 { bucket.take(now: .zero) }
        #expect(times(bucket) == [1000, 2000, 3000, 4000])
        #expect(times(bucket, now: 1000) == [1000, 2000, 3000, 4000])
        bucket.take(now: .seconds(1))
        #expect(times(bucket, now: 1000) == [2000, 3000, 4000, 5000])
        // After a long time there are no more than the burst.
        #expect(times(bucket, now: 60_000) == [59_000, 60_000, 61_000, 62_000])
        bucket.take(now: .seconds(60))
        #expect(times(bucket, now: 60_000) == [60_000, 61_000, 62_000, 63_000])
    }

    @Test func aTokenIsPutBackInItsPeriodAlone() {
        var bucket = TokenBucket(.requests(2, per: .seconds(2)))
        bucket.take(now: .zero)
        let first = bucket.period
        bucket.take(now: .milliseconds(999))
        #expect(bucket.period == first)
        bucket.putBack(of: first)
        #expect(times(bucket) == [0, 1000, 2000, 3000])
        // It is full again at that moment, and a new period begins.
        bucket.take(now: .seconds(1))
        #expect(bucket.period != first)
        bucket.putBack(of: first)
        #expect(times(bucket, now: 1000) == [1000, 2000, 3000, 4000])
        bucket.putBack(of: bucket.period)
        #expect(times(bucket, now: 1000) == [0, 1000, 2000, 3000])
    }
}
