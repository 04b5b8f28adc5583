// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport
import Testing

struct KeepAliveTimeTests {
    @Test(arguments: [(0, 0), (1000, 750), (4_000_000_000, 3_000_000_000), (60_000_000_000, 59_000_000_000)])
    func mostOfWhatTheServerPromisesIsUsed(_ promised: UInt64, _ usable: UInt64) {
        #expect(KeepAliveTime.usable(of: promised) == usable)
    }
}
