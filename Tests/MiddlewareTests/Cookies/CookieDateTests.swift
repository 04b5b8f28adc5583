// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import StrataMiddleware

/// RFC 6265bis §5.1.1.
struct CookieDateTests {
    private func seconds(_ text: String) -> Double? { CookieDate.parse(text.utf8)?.timeIntervalSince1970 }

    @Test(arguments: [
        "Wed, 09 Jun 2021 10:18:14 GMT", "Wednesday, 09-Jun-21 10:18:14 GMT", "Wed Jun  9 10:18:14 2021",
        "2021 june 9 10:18:14", "10:18:14 9 JUNE 2021", "9\tjun\t2021\t10:18:14", "09 Jun 2021 10:18:14 UTC+1",
        "10:18:14pm 9 Jun 2021", "10:18:14 9 Jun 2021 11:00:00 8 Jul 1999", "x 10:18:14;9-juni-2021",
        "+10:18:14+09+jun+2021+", "Jun 9 2021 10:18:14",
    ])
    func tokensMayStandInAnyOrder(_ text: String) {
        #expect(seconds(text) == 1_623_233_894)
    }

    @Test(arguments: [
        "", "9 Jun 2021", "10:18:14 Jun 2021", "10:18:14 9 2021", "10:18:14 9 Jun", "10:18 9 Jun 2021",
        "10:18:14 9 Ju 2021", "10:18:14 9 Jun 02021",
        "10-18-14 9 Jun 2021", "101:18:14 9 Jun 2021", "10:118:14 9 Jun 2021", "10:18:114 9 Jun 2021",
    ])
    func withoutEachPartThereIsNone(_ text: String) {
        #expect(seconds(text) == nil)
    }

    @Test(
        arguments: [
            ("00:00:00 1 Jan 1970", 0), ("23:59:59 1 Jan 1970", 86_399), ("24:00:00 1 Jan 1970", nil),
            ("00:59:00 1 Jan 1970", 3_540), ("00:60:00 1 Jan 1970", nil), ("00:00:60 1 Jan 1970", nil),
            ("00:00:00 0 Jan 1970", nil), ("00:00:00 31 Jan 1970", 2_592_000), ("00:00:00 32 Jan 1970", nil),
            ("00:00:00 31 Apr 1970", nil), ("00:00:00 29 Feb 2023", nil), ("00:00:00 29 Feb 2024", 1_709_164_800),
            ("00:00:00 29 Feb 1900", nil), ("00:00:00 29 Feb 2000", 951_782_400),
            ("00:00:00 1 Jan 1601", -11_644_473_600), ("00:00:00 31 Dec 1600", nil),
            ("00:00:00 1 Jan 9999", 253_370_764_800), ("00:00:00 1 Jan 70", 0), ("00:00:00 1 Jan 69", 3_124_224_000),
            ("00:00:00 1 Jan 99", 915_148_800), ("00:00:00 1 Jan 00", 946_684_800), ("00:00:00 1 Jan 100", nil),
        ] as [(String, Double?)])
    func eachPartHasItsRange(_ text: String, _ expected: Double?) {
        #expect(seconds(text) == expected)
    }
}
