// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import TestSupport
import Testing

struct HTTPDateTests {
    private let epoch1994 = 784_111_777.0

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994",
    ])
    func readsTheThreeForms(text: String) {
        #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == epoch1994)
    }

    @Test(arguments: [
        (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (253_402_300_800, nil), (-.infinity, nil), (.nan, nil), (.greatestFiniteMagnitude, nil), (9.2e18, nil),
        (-9.2e18, nil),
    ])
    func writesTheFirst(seconds: Double, text: String?) {
        #expect(HTTPDate.text(of: Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(arguments: [
        "", " ", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "sun, 06 nov 1994 08:49:37 gmt", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT",
        "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sunday, 06-Nov-1994 08:49:37 GMT", "784111777",
        "1994-11-06T08:49:37Z",
    ])
    func readsNothingElse(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test func twoDigitsMeanAYearAtMostFiftyYearsAhead() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)  // 2026
        func year(_ digits: String) -> Int? {
            HTTPDate.parse("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now).map {
                Calendar(identifier: .gregorian).dateComponents(in: .gmt, from: $0).year ?? 0
            }
        }
        #expect(year("26") == 2026)
        #expect(year("75") == 2075)
        #expect(year("76") == 1976)
        #expect(year("99") == 1999)
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: .distantFuture) != nil)
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: Date(timeIntervalSince1970: .infinity)) == nil)
    }

    @Test func fiftyYearsEndAtTheirLastSecond() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)  // 2026
        let end = 1_767_225_600 + 50 * 365.25 * 86400
        #expect(HTTPDate.parse("Wednesday, 01-Jan-76 12:00:00 GMT", now: now)?.timeIntervalSince1970 == end)
        let oneLater = HTTPDate.parse("Wednesday, 01-Jan-76 12:00:01 GMT", now: now)
        #expect(oneLater?.timeIntervalSince1970 == end + 1 - 36525 * 86400)
    }

    @Test func aLeapSecondIsTheSecondAfterIt() {
        #expect(
            HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT") == HTTPDate.parse("Sun, 01 Jan 2017 00:00:00 GMT"))
    }

    private struct Vector: Decodable {
        let id: String
        let text: String
        let expected_epoch: Double?
    }

    @Test(.vectors("headers/misc-headers.json")) func readsDatesAsTheStandardSays() throws {
        for vector in try Vectors.cases("headers/misc-headers.json", "dates", of: Vector.self) {
            #expect(HTTPDate.parse(vector.text)?.timeIntervalSince1970 == vector.expected_epoch, "\(vector.id)")
        }
    }
}
