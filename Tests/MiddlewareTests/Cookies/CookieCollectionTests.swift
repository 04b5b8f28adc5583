// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

@testable import StrataMiddleware

/// How cookies come, go and are chosen (RFC 6265bis §5.7, §5.8.3).
struct CookieCollectionTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func later(_ seconds: Double) -> Date { now.addingTimeInterval(seconds) }

    private func collection(_ change: (inout CookieJar.Options) -> Void = { _ in }) -> CookieCollection {
        var options = CookieJar.Options()
        change(&options)
        return CookieCollection(options: options)
    }

    private func cookie(
        _ name: String, _ value: String = "1", domain: String = "example.com", path: String = "/", lives: Double? = nil,
        isSecure: Bool = false, at time: Double = 0
    ) -> Cookie {
        Cookie(
            name: name, value: value, domain: domain, path: path, expires: lives.map { later($0) }, isSecure: isSecure,
            created: later(time))
    }

    private func names(_ collection: CookieCollection) -> [String] { collection.cookies.map(\.name) }

    // MARK: Coming

    @Test func whatReplacesACookieKeepsTheMomentOfItsCreation() {
        var cookies = collection()
        cookies.insert(cookie("a"), now: now)
        cookies.insert(cookie("b", at: 1), now: later(1))
        cookies.insert(cookie("a", "2", at: 5), now: later(5))
        #expect(cookies.cookies.map(\.value) == ["2", "1"])
        #expect(cookies.cookies.map(\.created) == [now, later(1)])
        #expect(cookies.cookies.map(\.lastAccess) == [later(5), later(1)])
    }

    @Test func aCookieIsReplacedByOneOfTheSameNameDomainAndPath() {
        let others = [
            cookie("A"), cookie("a", domain: "www.example.com"), cookie("a", domain: ".example.com"),
            cookie("a", path: "/x"), cookie("a", path: "/x/"),
        ]
        var cookies = collection()
        for (number, other) in ([cookie("a")] + others).enumerated() {
            #expect(cookies.insert(other, now: now) == true)
            #expect(cookies.count == number + 1)
        }
        #expect(cookies.insert(cookie("a", "2", isSecure: true), now: now) == true)
        #expect(cookies.count == 6 && cookies.cookies.map(\.value) == ["2", "1", "1", "1", "1", "1"])
    }

    @Test func anExpiredCookieOnlyRemovesTheOneThatItReplaces() {
        var cookies = collection()
        #expect(cookies.insert(cookie("a", lives: 0), now: now) == false)
        #expect(cookies.count == 0)
        #expect(cookies.insert(cookie("a", lives: 1), now: now) == true)
        #expect(cookies.insert(cookie("b"), now: now) == true)
        #expect(cookies.insert(cookie("a", path: "/x", lives: 0), now: now) == false)
        #expect(names(cookies) == ["a", "b"])
        #expect(cookies.insert(cookie("a", lives: -1), now: now) == true)
        #expect(names(cookies) == ["b"] && cookies.count == 1)
        #expect(cookies.insert(cookie("b", lives: -1), now: now) == true)
        #expect(cookies.count == 0)
    }

    @Test func theNewPlaceOfARemovedCookieIsTheLast() {
        var cookies = collection()
        for name in ["a", "b"] { cookies.insert(cookie(name), now: now) }
        cookies.insert(cookie("a", lives: 0), now: now)
        cookies.insert(cookie("a"), now: now)
        #expect(names(cookies) == ["b", "a"])
    }

    @Test(arguments: [("a", "1", true), ("", "1", true), ("a", "", true), ("a\t", "1", false), ("a", "1\t2", true)])
    func aTabMayStandInAValueAlone(_ name: String, _ value: String, _ isKept: Bool) {
        var cookies = collection()
        #expect(cookies.insert(cookie(name, value), now: now) == isKept)
        #expect(cookies.count == (isKept ? 1 : 0))
    }

    // MARK: Going

    @Test func aCookieExpiresAtItsMoment() {
        let cookie = cookie("a", lives: 10)
        #expect([9.999, 10, 10.001].map { cookie.isExpired(at: later($0)) } == [false, true, true])
        #expect(!self.cookie("a").isExpired(at: .distantFuture))
    }

    @Test func removingSaysWhetherThereWasOne() {
        var cookies = collection()
        for domain in ["a.example", "b.example", "b.example"] {
            cookies.insert(cookie("x\(cookies.count)", domain: domain), now: now)
        }
        #expect(cookies.removeAll(where: { $0.name == "other" }) == false)
        #expect(cookies.count == 3)
        #expect(cookies.removeAll(where: { $0.name == "x1" }) == true)
        #expect(cookies.count == 2 && names(cookies) == ["x0", "x2"])
        #expect(cookies.removeAll(where: { _ in true }) == true)
        #expect(cookies.count == 0 && cookies.cookies.isEmpty)
        #expect(cookies.removeAll(where: { _ in true }) == false)
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (2, 2), (3, 3), (4, 3)])
    func aDomainAndAJarHoldAsManyAsTheyMay(_ limit: Int, _ kept: Int) {
        var perDomain = collection { $0.maximumPerDomain = limit }
        var inAll = collection { $0.maximumCount = limit }
        for number in 1...3 {
            perDomain.insert(cookie("\(number)"), now: now)
            inAll.insert(cookie("\(number)", domain: "\(number).example"), now: now)
        }
        let expected = (1...3).suffix(kept).map(String.init)
        #expect(names(perDomain) == expected && perDomain.count == kept)
        #expect(names(inAll) == expected && inAll.count == kept)
        // Other domains do not lose theirs.
        perDomain.insert(cookie("other", domain: "b.example"), now: now)
        #expect(names(perDomain) == expected + ["other"])
    }

    @Test func whatHasExpiredGoesFirstWhereverItIs() {
        var cookies = collection { $0.maximumCount = 3 }
        cookies.insert(cookie("a"), now: now)
        cookies.insert(cookie("b", domain: "b.example", lives: 5), now: now)
        cookies.insert(cookie("c", domain: "c.example", lives: 6), now: now)
        cookies.insert(cookie("d", domain: "d.example"), now: later(5))
        #expect(names(cookies) == ["a", "c", "d"])
        cookies.insert(cookie("e", domain: "e.example"), now: later(5))
        #expect(names(cookies) == ["c", "d", "e"] && cookies.count == 3)
    }

    @Test func insecureCookiesOfAFullDomainGoBeforeSecureOnes() {
        var cookies = collection { $0.maximumPerDomain = 2 }
        for (name, isSecure) in [("a", true), ("b", false), ("c", true)] {
            cookies.insert(cookie(name, isSecure: isSecure), now: now)
        }
        #expect(names(cookies) == ["a", "c"])
        cookies.insert(cookie("d"), now: now)
        #expect(names(cookies) == ["a", "c"])
        cookies.insert(cookie("e", isSecure: true), now: now)
        #expect(names(cookies) == ["c", "e"])
    }

    // MARK: Being sent

    @Test func whatIsSentHasLongerPathsFirstThenTheOlder() {
        var cookies = collection()
        for (name, path, domain) in [
            ("a", "/", "example.com"), ("b", "/x/y", "example.com"), ("c", "/", ".example.com"),
            ("d", "/x", "example.com"),
            ("e", "/z", "example.com"), ("f", "/x/y", ".example.com"), ("g", "/", "other.example"),
        ] {
            cookies.insert(cookie(name, domain: domain, path: path), now: now)
        }
        let scope = CookieScope(Origin(scheme: "https", host: "example.com"), path: "/x/y/z")
        #expect(cookies.cookies(for: scope, now: later(3)).map(\.name) == ["b", "f", "d", "a", "c"])
        let sent = cookies.cookies.filter { $0.lastAccess == later(3) }
        #expect(sent.map(\.name) == ["a", "b", "c", "d", "f"])
        #expect(cookies.cookies.allSatisfy { $0.created == now })
    }

    @Test func whatWasSentLastStaysTheLongest() {
        var cookies = collection { $0.maximumPerDomain = 3 }
        for name in ["a", "b", "c"] { cookies.insert(cookie(name, path: "/\(name)"), now: now) }
        let scope = CookieScope(Origin(scheme: "https", host: "example.com"), path: "/a")
        _ = cookies.cookies(for: scope, now: now)
        cookies.insert(cookie("d", path: "/d"), now: now)
        #expect(names(cookies) == ["a", "c", "d"])
        // One that is set anew counts as used.
        cookies.insert(cookie("c", path: "/c"), now: now)
        cookies.insert(cookie("e", path: "/e"), now: now)
        #expect(names(cookies) == ["c", "d", "e"])
    }

    @Test func theOptionsHaveTheirDefaults() {
        let options = CookieJar.Options()
        #expect(options.maximumPerDomain == 150 && options.maximumCount == 3000)
        #expect(options.longestLifetime == .seconds(400 * 24 * 60 * 60))
        #expect(!options.loopbackIsSecure && !options.acceptsNameless)
    }

    // MARK: What a response may set

    /// What is left of two cookies, the first of which is secure, when a plain origin sets the second.
    @Test(arguments: [
        ("sid=1; Secure; Path=/x", "http://example.com/x", "sid=2; Path=/x", false),
        ("sid=1; Secure; Path=/x", "http://example.com/x", "sid=2; Path=/x/y", false),
        ("sid=1; Secure; Path=/x/", "http://example.com/x", "sid=2; Path=/x/y", false),
        ("sid=1; Secure; Path=/x", "http://example.com/x", "sid=2; Path=/xy", true),
        ("sid=1; Secure; Path=/x", "http://example.com/x", "sid=2; Path=/", true),
        ("sid=1; Secure; Path=/x/", "http://example.com/x", "sid=2; Path=/x", true),
        ("sid=1; Secure; Path=/x", "http://example.com/x", "sid3=2; Path=/x", true),
        ("sid=1; Path=/x; Domain=example.com", "http://example.com/x", "sid=2; Path=/x", true),
        ("sid=1; Secure", "http://www.example.com/", "sid=2; Path=/", false),
        ("sid=1; Secure", "http://www.example.com/", "sid=2; Domain=example.com; Path=/", false),
        ("sid=1; Secure", "http://badexample.com/", "sid=2; Path=/", true),
        ("sid=1; Secure", "http://other.example/", "sid=2; Path=/", true),
        ("sid=1; Secure", "https://www.example.com/", "sid=2; Path=/", true),
    ])
    func aPlainOriginHidesNoSecureCookie(_ first: String, _ from: String, _ second: String, _ isSet: Bool) throws {
        let jar = CookieJar()
        jar.receive([.setCookie: first], from: try #require(URL(string: "https://example.com/")), now: now)
        jar.receive([.setCookie: second], from: try #require(URL(string: from)), now: now)
        #expect(jar.cookies.map(\.value) == (isSet ? ["1", "2"] : ["1"]))
    }

    @Test(
        arguments: [
            ("a=1", nil), ("a=1; Max-Age=59", 59), ("a=1; Max-Age=60", 60), ("a=1; Max-Age=61", 60),
            ("a=1; Max-Age=1", 1), ("a=1; Expires=Thu, 01 Jan 2026 00:00:59 GMT", 59),
            ("a=1; Expires=Thu, 01 Jan 2026 00:01:01 GMT", 60),
            ("a=1; Max-Age=5; Expires=Thu, 01 Jan 2026 00:00:59 GMT", 5),
        ] as [(String, Double?)])
    func noCookieLivesLongerThanTheLongestLifetime(_ field: String, _ seconds: Double?) throws {
        var options = CookieJar.Options()
        options.longestLifetime = .seconds(60)
        let jar = CookieJar(options: options)
        jar.receive([.setCookie: field], from: try #require(URL(string: "https://example.com/")), now: now)
        #expect(jar.cookies.map(\.expires) == [seconds.map { later($0) }])
        #expect(jar.cookies.map(\.created) == [now])
    }

    /// A path that the server gives is one condition of `__Host-`, and a default path does not fulfil it.
    @Test(arguments: [
        ("__Host-a=1; Secure; Path=/", "https://example.com/", true),
        ("__Host-a=1; Secure; Path=/", "http://example.com/", false),
        ("__Host-a=1; Secure", "https://example.com/", false),
        ("__Host-a=1; Secure; Path=/; Domain=example.com", "https://example.com/", false),
        ("__Secure-a=1; Secure; Domain=example.com; Path=/x", "https://www.example.com/x", true),
        ("__Secure-=1", "https://example.com/", false), ("__Secure=1", "https://example.com/", true),
        ("a__Host-=1", "https://example.com/", true),
    ])
    func aNameKeepsItsPromise(_ field: String, _ from: String, _ isKept: Bool) throws {
        let jar = CookieJar()
        jar.receive([.setCookie: field], from: try #require(URL(string: from)), now: now)
        #expect(jar.cookies.count == (isKept ? 1 : 0))
    }
}
