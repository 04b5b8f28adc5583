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

    @Test(
        arguments: [
            (.zero, 0), (.microseconds(1999), 1), (.microseconds(-1999), -1), (.seconds(3), 3000),
            (.seconds(1.25), 1250), (.seconds(-2), -2000), (.seconds(9_223_372_036_854_775), 9_223_372_036_854_775_000),
            (.seconds(9_223_372_036_854_776), .max), (.seconds(-9_223_372_036_854_776), .min), (.seconds(1e20), .max),
            (.seconds(-1e20), .min),
        ] as [(Duration, Int64)])
    func millisecondsAreWholeAndLimited(duration: Duration, expected: Int64) {
        #expect(duration.milliseconds == expected)
    }
}
