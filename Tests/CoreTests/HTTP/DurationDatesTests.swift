// SPDX-License-Identifier: Apache-2.0

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
}
