// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the calling thread computes while `body` runs, in seconds: other threads and other programs do not count.
public func processorTime(of body: () throws -> Void) rethrows -> Double {
    func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = seconds()
    try body()
    return seconds() - start
}
