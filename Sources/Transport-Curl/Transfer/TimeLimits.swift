// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// The limits of an exchange in the terms of libcurl and of the loop. Most exchanges have the same, and they are worked out once.
struct TimeLimits {
    let timeouts: Timeouts
    /// In nanoseconds; at the end of time for none.
    let connect, idle: UInt64
    let connectMilliseconds: Int

    init(_ timeouts: Timeouts) {
        self.timeouts = timeouts
        connect = timeouts.connect.map(UInt64.init(nanosecondsOf:)) ?? .max
        idle = timeouts.idle.map(UInt64.init(nanosecondsOf:)) ?? .max
        // Without a limit, as long as libcurl can count; 0 would mean its default of five minutes.
        let milliseconds = timeouts.connect.map { max(1, $0.milliseconds) } ?? Int64(Int32.max)
        connectMilliseconds = Int(min(milliseconds, Int64(Int32.max)))
    }
}
