// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

/// RFC 9110 §10.2.3.
struct RetryAfterFieldTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func delay(_ fields: (String, String)...) throws -> Duration? {
        var head = HTTPFields()
        for (name, value) in fields { try head.addValue(value, forName: name) }
        return RetryAfterField.delay(in: head, now: now)
    }

    @Test(
        arguments: [
            ("0", 0.0), ("120", 120), (" 7\t", 7), ("007", 7), ("1.5", 1.5), ("0.0001", 0.001), ("2.", nil),
            (".5", nil),
            ("9999999999", 9_999_999_999), ("10000000000", nil), ("-1", nil), ("+1", nil), ("1e3", nil), ("", nil),
            ("soon", nil), ("1 2", nil), ("1.2.3", nil), ("0x10", nil),
        ] as [(String, Double?)])
    func aNumberIsOfSeconds(_ text: String, _ seconds: Double?) throws {
        #expect(try delay(("Retry-After", text)) == seconds.map { .milliseconds(Int64($0 * 1000)) })
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 2026 00:00:30 GMT", 30), ("Thursday, 01-Jan-26 00:00:30 GMT", 30),
            ("Thu Jan  1 00:00:30 2026", 30), ("Wed, 31 Dec 2025 23:59:59 GMT", 0), ("Thu, 01 Jan 2026", nil),
        ] as [(String, Int?)])
    func aDateIsCountedFromNow(_ text: String, _ seconds: Int?) throws {
        #expect(try delay(("Retry-After", text)) == seconds.map { .seconds($0) })
    }

    @Test func aDateIsCountedFromThatOfTheServer() throws {
        let date = "Thu, 01 Jan 2026 00:10:00 GMT"
        #expect(try delay(("Retry-After", date), ("Date", "Thu, 01 Jan 2026 00:09:40 GMT")) == .seconds(20))
        #expect(try delay(("Retry-After", date), ("Date", "yesterday")) == .seconds(600))
        // A number is not.
        #expect(try delay(("Retry-After", "3"), ("Date", "Thu, 01 Jan 2026 00:09:40 GMT")) == .seconds(3))
    }

    @Test func millisecondsWin() throws {
        #expect(try delay(("Retry-After", "3"), ("retry-after-ms", " 250 ")) == .milliseconds(250))
        #expect(try delay(("Retry-After-Ms", "0.2"), ("Retry-After", "3")) == .milliseconds(1))
        #expect(try delay(("Retry-After-Ms", "9999999999999")) == .milliseconds(9_999_999_999_999))
        #expect(try delay(("Retry-After-Ms", "10000000000000"), ("Retry-After", "3")) == .seconds(3))
        #expect(try delay(("Retry-After-Ms", "soon"), ("Retry-After", "3")) == .seconds(3))
    }

    @Test func theFirstOfSeveralCounts() throws {
        #expect(try delay(("Retry-After", "1"), ("Retry-After", "2")) == .seconds(1))
        #expect(try delay(("Retry-After", "soon"), ("Retry-After", "2")) == nil)
        #expect(try delay() == nil)
    }
}
