// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

struct DurationDatesTests {
    @Test(
        arguments: [
            (0.5, .milliseconds(500)), (0, nil), (-1, nil), (.nan, nil), (1e9, nil), (.infinity, nil),
        ] as [(Double, Duration?)])
    func isALimitWhenThereIsOne(seconds: Double, limit: Duration?) {
        #expect(Duration.limit(seconds: seconds) == limit)
    }

    @Test(
        arguments: [
            (0, 0, .zero), (0, -1, .zero), (0, 1, .seconds(1)), (0.25, 1, .milliseconds(750)),
            (0, 0.0001, .milliseconds(1)), (100, 3700, .seconds(3600)), (0, 1e12, .seconds(1_000_000_000_000)),
            (0, 1e15, .seconds(1_000_000_000_000)),
        ] as [(Double, Double, Duration)])
    func theTimeUntilADateIsRoundedUp(_ now: Double, _ date: Double, _ expected: Duration) {
        let (now, date) = (Date(timeIntervalSince1970: now), Date(timeIntervalSince1970: date))
        #expect(Duration.time(until: date, from: now) == expected)
    }
}
