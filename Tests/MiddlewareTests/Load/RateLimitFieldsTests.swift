// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataMiddleware
import Testing

/// What servers say of their rate limits, in the notations in use.
struct RateLimitFieldsTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func read(_ fields: [(String, String)]) throws -> [RateLimitFields.Quota] {
        var head = HTTPFields()
        for (name, value) in fields { try head.addValue(value, forName: name) }
        return RateLimitFields.quotas(in: head, now: now)
    }

    private func quota(
        _ name: String, _ limit: Int?, _ remaining: Int?, _ reset: Duration?, window: Duration? = nil
    ) -> RateLimitFields.Quota {
        RateLimitFields.Quota(name: name, limit: limit, remaining: remaining, reset: reset, window: window)
    }

    private func quota(
        _ limit: Int?, _ remaining: Int?, _ reset: Duration?, window: Duration? = nil
    ) -> RateLimitFields.Quota {
        quota("", limit, remaining, reset, window: window)
    }

    /// What stands behind a parameter of any type is read (RFC 9651 §3.3).
    @Test(arguments: [
        "pk=:cHNr:", "pk=::", "at=@1700000000", "say=%\"f%c3%bc\"", "on=?1", "word=*a/b:c", "name=\"a\"", "w2=1.5",
        "on",
    ])
    func readsWhatIsBehindAParameter(_ parameter: String) throws {
        #expect(
            try read([("RateLimit", "\"default\";r=50;\(parameter);t=30")]) == [quota("default", nil, 50, .seconds(30))]
        )
    }

    @Test func ofTwoPoliciesWithOneNameTheFirstCounts() throws {
        #expect(
            try read([("RateLimit-Policy", #""a";q=10;w=1, "a";q=100;w=60"#), ("RateLimit", #""a";r=5;t=1"#)])
                == [quota("a", 10, 5, .seconds(1), window: .seconds(1))])
    }

    /// As RFC 9651 §3.3.1 has it for those of structured fields.
    @Test(arguments: [15, 16]) func aWholeNumberHasFifteenDigitsAtMost(_ count: Int) throws {
        let digits = String(repeating: "9", count: count)
        let limit = count == 15 ? Int(digits) : nil
        #expect(
            try read([("X-RateLimit-Limit", digits), ("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "2")])
                == [quota(limit, 1, .seconds(2))])
    }

    @Test func readsTheNewNotation() throws {
        #expect(
            try read([("RateLimit-Policy", #""default";q=100;w=60"#), ("RateLimit", #""default";r=50;t=30"#)])
                == [quota("default", 100, 50, .seconds(30), window: .seconds(60))])
        #expect(
            try read([
                ("RateLimit-Policy", #""burst";q=10;w=1, "day";q=1000;w=86400;qu="requests";pk=:cHNr:"#),
                ("RateLimit", #""burst";r=9;t=1 , "day";r=3;t=4000;pk=:cHNr:"#),
            ]) == [
                quota("burst", 10, 9, .seconds(1), window: .seconds(1)),
                quota("day", 1000, 3, .seconds(4000), window: .seconds(86400)),
            ])
        #expect(try read([("RateLimit", #""a";r=0"#)]) == [quota("a", nil, 0, nil)])
        // Repeated lines are one list.
        #expect(try read([("RateLimit", #""a";r=1;t=2"#), ("RateLimit", #""b";r=3;t=4"#)]).map(\.name) == ["a", "b"])
    }

    @Test func leavesOutWhatDoesNotCountRequests() throws {
        #expect(
            try read([
                ("RateLimit-Policy", #""bytes";q=65535;qu="content-bytes";w=60, "n";q=5;w=60"#),
                ("RateLimit", #""bytes";r=0;t=60, "n";r=5;t=60"#),
            ]).map(\.name) == ["n"])
    }

    @Test func readsTheOlderNotations() throws {
        #expect(
            try read([("RateLimit", "limit=100, remaining=50, reset=30"), ("RateLimit-Policy", "10;w=1, 100;w=60")])
                == [quota(100, 50, .seconds(30), window: .seconds(60))])
        #expect(
            try read([
                ("RateLimit-Limit", "100, 100;w=60;burst=1000"), ("RateLimit-Remaining", "9"),
                ("RateLimit-Reset", "12"),
            ]) == [quota(100, 9, .seconds(12))])
    }

    /// RFC 8941 §3.3: a list with a number that is none is malformed as a whole.
    @Test(arguments: [
        ("123456789012.5", true), ("1234567890123.5", false), ("1.125", true), ("1.1250", false), ("1.", false),
        ("123456789012345", true), ("1234567890123456", false), ("-1", true), ("-", false),
    ])
    func numbersHaveTheirMostDigits(number: String, isRead: Bool) throws {
        #expect(try read([("RateLimit", #""a";r=5;x=\#(number)"#)]) == (isRead ? [quota("a", nil, 5, nil)] : []))
    }

    @Test func theWindowIsThatOfTheLimit() throws {
        let policies = ("RateLimit-Policy", "10;w=1, 100;w=60")
        for (limit, window) in [(10, Duration.seconds(1)), (100, .seconds(60)), (50, nil)] {
            let told = try read([
                policies, ("RateLimit-Limit", "\(limit)"), ("RateLimit-Remaining", "9"), ("RateLimit-Reset", "1"),
            ])
            #expect(told == [quota(limit, 9, .seconds(1), window: window)])
        }
    }

    @Test(arguments: [
        ("12", Duration.seconds(12)), ("0.25", .milliseconds(250)), ("0", .zero),
        ("1700000090", .seconds(90)), ("1700000090.5", .milliseconds(90_500)), ("1700000090000", .seconds(90)),
        ("1600000000", .zero),
        ("Tue, 14 Nov 2023 22:14:50 GMT", .seconds(90)), ("2023-11-14T22:14:50Z", .seconds(90)),
        ("2023-11-14T22:14:50.500Z", .milliseconds(90_500)),
    ])
    func readsTheResetInItsNotations(text: String, reset: Duration) throws {
        for prefix in ["X-RateLimit", "x-rate-limit"] {
            let told = try read([
                ("\(prefix)-Limit", "15"), ("\(prefix)-Remaining", "3"), ("\(prefix)-Reset", text),
            ])
            #expect(told == [quota(15, 3, reset)])
        }
    }

    @Test func ofTwoPoliciesWithOneLimitTheFirstCounts() throws {
        let policy = ("RateLimit-Policy", "10;w=1, 10;w=60")
        let expected = [quota(10, 9, .seconds(1), window: .seconds(1))]
        #expect(
            try read([policy, ("RateLimit-Limit", "10"), ("RateLimit-Remaining", "9"), ("RateLimit-Reset", "1")])
                == expected)
        #expect(try read([policy, ("RateLimit", "limit=10, remaining=9, reset=1")]) == expected)
    }

    /// Longer ones are not read at all.
    @Test(arguments: [(20, true), (21, false)]) func aResetHasTwentyCharactersAtMost(_ count: Int, _ isRead: Bool)
        throws
    {
        let text = String(repeating: "0", count: count - 2) + "12"
        #expect(try read([("X-RateLimit-Reset", text)]) == (isRead ? [quota(nil, nil, .seconds(12))] : []))
    }

    @Test func aTimeCountsByTheServersClock() throws {
        #expect(
            try read([
                ("Date", "Tue, 14 Nov 2023 22:14:20 GMT"), ("X-RateLimit-Remaining", "3"),
                ("X-RateLimit-Reset", "1700000090"),
            ]) == [quota(nil, 3, .seconds(30))])
    }

    @Test func readsTheFieldsOfGitHubAndDiscord() throws {
        #expect(
            try read([
                ("X-RateLimit-Limit", "5000"), ("X-RateLimit-Remaining", "4999"), ("X-RateLimit-Used", "1"),
                ("X-RateLimit-Reset", "1700003600"), ("X-RateLimit-Resource", "core"),
            ]) == [quota("core", 5000, 4999, .seconds(3600))])
        #expect(
            try read([
                ("X-RateLimit-Limit", "5"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1700000470.123"),
                ("X-RateLimit-Reset-After", "1.5"),
            ]) == [quota(5, 0, .milliseconds(1500))])
    }

    @Test func ofRepeatedFieldsTheStrictestCounts() throws {
        #expect(
            try read([
                ("X-RateLimit-Limit", "100"), ("X-RateLimit-Limit", "60"), ("X-RateLimit-Remaining", "5, 3"),
                ("X-RateLimit-Reset", "10"), ("X-RateLimit-Reset", "20"),
            ]) == [quota(60, 3, .seconds(20))])
    }

    @Test func theStandardFieldWinsOverOthers() throws {
        #expect(
            try read([
                ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "99"), ("RateLimit", #""a";r=7;t=3"#),
            ]) == [quota("a", nil, 7, .seconds(3))])
        #expect(
            try read([
                ("X-RateLimit-Remaining", "4"), ("X-RateLimit-Reset", "99"), ("RateLimit", #""a";r=;t=3"#),
            ]) == [quota(nil, 4, .seconds(99))])
    }

    @Test(arguments: [
        ("RateLimit", ""), ("RateLimit", #""a""#), ("RateLimit", #""a";r=many"#), ("RateLimit", #""a;r=1;t=1"#),
        ("RateLimit", #""a";r=1;t=1,"#), ("RateLimit", "a=(1 2)"), ("RateLimit", #""a";r=1.5;t=1"#),
        ("RateLimit", #""a";r=1234567890123456;t=1"#), ("RateLimit", "remaining"), ("RateLimit", "limit=1, reset=2"),
        ("X-RateLimit-Remaining", "-"), ("X-RateLimit-Remaining", "12345678901234567890"),
        ("X-RateLimit-Remaining", "1e3"), ("X-RateLimit-Remaining", ""), ("X-RateLimit-Reset", "-30"),
        ("X-RateLimit-Reset", "soon"), ("X-RateLimit-Reset", "999999999999999999"), ("X-RateLimit-Reset", "1.2.3"),
        ("Rate", "1"), ("X-Rated", "1"),
    ])
    func whatIsMalformedCountsAsAbsent(name: String, value: String) throws {
        #expect(try read([(name, value)]).isEmpty)
    }

    @Test(arguments: ["0", "00"]) func zeroIsATimeOfItsOwn(_ zero: String) throws {
        #expect(
            try read([("RateLimit", #""d";r=0;t=\#(zero)"#), ("RateLimit-Policy", #""d";q=9;w=50"#)])
                == [quota("d", 9, 0, .zero, window: .seconds(50))])
        #expect(
            try read([("RateLimit", "limit=9, remaining=0, reset=\(zero)"), ("RateLimit-Policy", "9;w=50")])
                == [quota(9, 0, .zero, window: .seconds(50))])
    }

    @Test(arguments: [#""b";q=10;qu="content-bytes";w=60"#, #""b";qu="content-bytes""#])
    func aLimitOfSomethingElseAloneIsLeftOut(_ policy: String) throws {
        #expect(try read([("RateLimit", #""b";r=0;t=20"#), ("RateLimit-Policy", policy)]).isEmpty)
    }

    @Test(arguments: [(64, true), (65, false)]) func moreThanSixtyFourItemsAreMalformed(_ count: Int, isRead: Bool)
        throws
    {
        let items = (0..<count).map { #""\#($0)";r=1;t=2"# }.joined(separator: ", ")
        #expect(try read([("RateLimit", items)]).count == (isRead ? count : 0))
        let members = (1..<count).map { "a\($0)=1" }.joined(separator: ", ")
        #expect(try read([("RateLimit", "remaining=1, \(members)")]).count == (isRead ? 1 : 0))
    }

    @Test(arguments: [("30, 30", 30), ("10 ,20", 20), ("1700000090, 1700000080", 90)])
    func ofAJoinedResetTheLatestCounts(_ text: String, _ seconds: Int) throws {
        #expect(
            try read([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", text)])
                == [quota(nil, 0, .seconds(seconds))])
    }

    @Test func aNegativeRemainderIsNone() throws {
        #expect(try read([("X-RateLimit-Limit", "-1"), ("X-RateLimit-Remaining", "-1")]) == [quota(nil, 0, nil)])
    }

    @Test func negativeNumbersInTheNewNotationLeaveNothing() throws {
        #expect(try read([("RateLimit", #""a";r=-5;t=10"#)]) == [quota("a", nil, 0, .seconds(10))])
        #expect(try read([("RateLimit", #""a";r=5;t=-10"#)]) == [quota("a", nil, 5, nil)])
    }

    @Test func noBytesMakeItTrap() throws {
        let text = Array(#""a";r=5;t=3;pk=:YQ==:;x=?1;y=@1;z=%"a%20";u=tok*en/1:2, "b";r=-1.5 , c;r=1"#.utf8)
        for end in 0...text.count { _ = try read([("RateLimit", String(decoding: text[..<end], as: UTF8.self))]) }
        for index in text.indices {
            for byte in [0x22, 0x2c, 0x3b, 0x3d, 0x5c, 0x30, 0x61, 0x20] as [UInt8] {
                var changed = text
                changed[index] = byte
                _ = try read([("RateLimit", String(decoding: changed, as: UTF8.self)), ("RateLimit-Policy", "1;w=1")])
            }
        }
    }
}
