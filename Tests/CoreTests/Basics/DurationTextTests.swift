// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct DurationTextTests {
    @Test(arguments: [
        (Duration.zero, "0 s"), (.milliseconds(250), "250 ms"), (.microseconds(999), "0 s"), (.seconds(2), "2 s"),
        (.milliseconds(1500), "1.5 s"), (.milliseconds(1005), "1.005 s"), (.milliseconds(-1500), "-1.5 s"),
        (.seconds(1e20), "9223372036854775.807 s"), (.seconds(-1e20), "-9223372036854775.808 s"),
    ])
    func isBrief(duration: Duration, text: String) {
        #expect(duration.brief == text)
    }
}
