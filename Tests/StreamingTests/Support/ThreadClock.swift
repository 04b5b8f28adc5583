// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The processor time of the calling thread: other work on the machine does not count.
enum ThreadClock {
    static func measure(_ work: () -> Void) -> Duration {
        let start = now
        work()
        return now - start
    }

    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
