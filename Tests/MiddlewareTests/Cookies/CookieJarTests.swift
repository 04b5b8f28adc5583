// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataPublicSuffixes
import TestSupport
import Testing

/// The rules of RFC 6265bis that the vectors do not cover.
struct CookieJarTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func fields(_ values: [String]) -> HTTPFields {
        HTTPFields(values.map { HTTPField(name: .setCookie, value: $0) })
    }

    /// What a request to `target` has after `from` has set the cookies.
    private func sent(
        _ cookies: String..., from: String = "https://example.com/", to target: String? = nil,
        options: CookieJar.Options = CookieJar.Options()
    ) throws -> [String] {
        let jar = CookieJar(options: options)
        jar.receive(fields(cookies), from: try url(from), now: now)
        return jar.cookies(for: try url(target ?? from), now: now).map { "\($0.name)=\($0.value)" }
    }

    @Test(arguments: ["127.0.0.1", "[::1]"])
    func aDomainThatIsAnAddressIsNoPublicSuffix(_ host: String) throws {
        let jar = CookieJar()
        jar.receive(fields(["a=1; Domain=\(host)", "b=2"]), from: try url("http://\(host)/"), now: now)
        #expect(jar.cookies(for: try url("http://\(host)/"), now: now).map(\.isHostOnly) == [false, true])
    }

    @Test(arguments: [
        ("a=1; Domain=com", "https://example.com/", false), ("a=1; Domain=co.uk", "https://example.co.uk/", false),
        ("a=1; Domain=github.io", "https://me.github.io/", false),
        ("a=1; Domain=github.io", "https://github.io/", true),
        ("a=1; Domain=example.com", "https://www.example.com/", true),
        ("a=1; Domain=.example.com", "https://www.example.com/", true),
        ("a=1; Domain=www.example.com", "https://example.com/", false),
        ("a=1; Domain=ample.com", "https://example.com/", false),
        ("a=1; Domain=localhost", "http://localhost:8080/", true),
        ("a=1; Domain=127.0.0.1", "http://127.0.0.1/", true), ("a=1; Domain=0.0.1", "http://127.0.0.1/", false),
        ("a=1; Domain=1", "http://127.0.0.1/", false), ("a=1; Domain=[::1]", "http://[::1]:8080/", true),
        ("a=1; Domain=.", "https://example.com/", true), ("a=1; Domain=com.", "https://example.com./", false),
        ("a=1; Domain=co.uk.", "https://example.co.uk./", false),
        ("a=1; Domain=example.com.", "https://www.example.com./", true),
        ("a=1; Domain=example.com", "https://example.com./", false),
        ("a=1; Domain=bücher.example", "https://bücher.example/", false),
        ("a=1; Domain=xn--bcher-kva.example", "https://bücher.example/", true),
    ])
    func aDomainIsAcceptedWhenTheHostIsBelowItAndSomebodyOwnsIt(cookie: String, from: String, isKept: Bool) throws {
        #expect(try sent(cookie, from: from) == (isKept ? ["a=1"] : []))
    }

    @Test func aPublicSuffixMaySetACookieForItselfAlone() throws {
        #expect(try sent("a=1; Domain=github.io", from: "https://github.io/", to: "https://me.github.io/") == [])
        #expect(try sent("a=1; Domain=127.0.0.1", from: "http://127.0.0.1/", to: "http://1.127.0.0.1.example/") == [])
    }

    @Test func anIDNHostIsTheSameInBothForms() throws {
        #expect(try sent("a=1", from: "https://BÜCHER.example/", to: "https://xn--bcher-kva.example/") == ["a=1"])
    }

    @Test func withoutADomainACookieIsForTheHostAlone() throws {
        #expect(try sent("a=1", to: "https://www.example.com/") == [])
        #expect(try sent("a=1", to: "https://example.com:8443/") == ["a=1"])
        #expect(try sent("a=1; Domain=example.com", to: "https://a.b.example.com/") == ["a=1"])
        #expect(try sent("a=1; Domain=example.com", to: "https://badexample.com/") == [])
    }

    @Test func secureCookiesNeedASecureOrigin() throws {
        #expect(try sent("a=1; Secure", from: "http://example.com/") == [])
        #expect(try sent("a=1; Secure", to: "http://example.com/") == [])
        #expect(try sent("a=1; Secure") == ["a=1"])
    }

    @Test(arguments: [
        "http://localhost:1/", "http://a.localhost/", "http://127.0.0.1/", "http://127.9.9.9/", "http://[::1]/",
    ])
    func loopbackIsSecureWhenTheOptionSaysSo(origin: String) throws {
        var options = CookieJar.Options()
        #expect(try sent("a=1; Secure", from: origin) == [])
        options.loopbackIsSecure = true
        #expect(try sent("a=1; Secure", from: origin, options: options) == ["a=1"])
        #expect(try sent("a=1; Secure", from: "http://127.example/", options: options) == [])
    }

    @Test func anInsecureOriginDoesNotReplaceASecureCookie() throws {
        let jar = CookieJar()
        jar.receive(
            fields(["sid=good; Secure; Path=/login; Domain=example.com"]), from: try url("https://example.com/"),
            now: now)
        for (cookie, from) in [
            ("sid=bad; Path=/login", "http://example.com/"), ("sid=bad; Path=/login/en", "http://www.example.com/"),
            ("sid=bad; Path=/login; Domain=example.com", "http://example.com/"),
        ] {
            jar.receive(fields([cookie]), from: try url(from), now: now)
        }
        #expect(jar.cookies.map(\.value) == ["good"])
        jar.receive(fields(["sid=other; Path=/"]), from: try url("http://example.com/"), now: now)
        jar.receive(fields(["sid2=other; Path=/login"]), from: try url("http://example.com/"), now: now)
        #expect(jar.cookies.map(\.value) == ["good", "other", "other"])
    }

    @Test(arguments: [
        ("__Secure-a=1; Secure", true), ("__Secure-a=1", false), ("__SECURE-a=1", false),
        ("__Host-a=1; Secure; Path=/", true), ("__Host-a=1; Secure", false), ("__Host-a=1; Path=/", false),
        ("__host-a=1; Secure; Path=/; Domain=example.com", false), ("__Host-a=1; Secure; Path=/x", false),
        ("__Host-a=1; Secure; Path=/x; Path=/", true), ("__Hos-a=1", true),
    ])
    func prefixesOfNamesArePromises(cookie: String, isKept: Bool) throws {
        #expect(try sent(cookie).isEmpty != isKept)
    }

    @Test(arguments: ["=__Secure-a=1; Secure", "__Host-a; Secure; Path=/", "=__host-a=1; Secure; Path=/"])
    func aValueWithoutANameIsNoWayRoundThem(cookie: String) throws {
        var options = CookieJar.Options()
        options.acceptsNameless = true
        #expect(try sent(cookie, options: options) == [])
    }

    @Test func namelessCookiesAreKeptWhenTheOptionSaysSo() throws {
        var options = CookieJar.Options()
        options.acceptsNameless = true
        #expect(try sent("alone", "=x", "=", "", options: options) == ["=x"])
        #expect(try sent("alone", "=x") == [])
    }

    @Test func whatIsTooLongIsIgnored() throws {
        let value = String(repeating: "v", count: 4095)
        #expect(try sent("a=\(value)").count == 1)
        #expect(try sent("ab=\(value)").isEmpty)
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(try sent("a=1; Path=\(path)", to: "https://example.com\(path)") == ["a=1"])
        // The attribute is ignored, and not the cookie.
        #expect(try sent("a=1; Path=\(path)x") == ["a=1"])
    }

    @Test(arguments: ["a=1\u{1}", "a\u{7f}=1", "a=1; Path=/\u{2}"])
    func controlCharactersMakeItNone(cookie: String) throws {
        let jar = CookieJar()
        jar.receive(
            HTTPFields([HTTPField(name: .setCookie, value: Array(cookie.utf8))]), from: try url("https://example.com/"),
            now: now)
        // HTTPTypes itself may have replaced the character by a blank.
        #expect(
            jar.cookies.allSatisfy { $0.nameBytes.allSatisfy { $0 >= 0x20 } && $0.valueBytes.allSatisfy { $0 >= 0x20 } }
        )
    }

    /// RFC 6265 §5.1.1: every character but digits, letters, colons and controls stands between the parts.
    @Test(arguments: ["\t", " ", "/", "!", "+", ",", "-", ".", "<", "@", "[", "`", "{", "~"])
    func aDateHasItsPartsWhateverStandsBetween(_ delimiter: String) throws {
        let date = ["06", "Nov", "2026", "08:49:37"].joined(separator: delimiter)
        let jar = CookieJar()
        jar.receive(fields(["a=1; expires=\(date)"]), from: try url("https://example.com/"), now: now)
        #expect(jar.cookies.first?.expires == Date(timeIntervalSince1970: 1_793_954_977))
    }

    /// RFC 6265 §5.1.1: 70 to 99 are of the last century, and 0 to 69 of this one.
    @Test(arguments: [
        ("70", 26_729_377.0), ("94", 784_111_777), ("99", 941_878_177), ("00", 973_500_577), ("26", 1_793_954_977),
    ])
    func aYearOfTwoDigitsIsOfACentury(_ year: String, _ time: Double) throws {
        let jar = CookieJar()
        let before = Date(timeIntervalSince1970: time - 86_400)
        jar.receive(
            fields(["a=1; expires=06-Nov-\(year) 08:49:37"]), from: try url("https://example.com/"), now: before)
        #expect(jar.cookies.first?.expires == Date(timeIntervalSince1970: time))
    }

    @Test func theClientsClockSaysWhenACookieEnds() throws {
        let jar = CookieJar()
        let site = try url("https://example.com/")
        jar.receive(
            fields([
                "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=2; Expires=Thu, 01 Jan 2026 00:02:00 GMT",
                "c=3",
            ]), from: site, now: now)
        func names(after seconds: Double) -> [String] {
            jar.cookies(for: site, now: now.addingTimeInterval(seconds)).map(\.name)
        }
        #expect(names(after: 0) == ["a", "b", "c"])
        #expect(names(after: 60) == ["b", "c"])
        #expect(names(after: 120) == ["c"])
        #expect(names(after: 1e10) == ["c"])
    }

    @Test(arguments: [
        ("a=1; Max-Age=99999999999999999999999", 400.0), ("a=1; Max-Age=34560001", 400),
        ("a=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT", 400), ("a=1; Max-Age=86400", 1),
        ("a=1; Max-Age=1", 1.0 / 86_400),
    ])
    func noCookieIsKeptForMoreThan400Days(cookie: String, days: Double) throws {
        let jar = CookieJar()
        jar.receive(fields([cookie]), from: try url("https://example.com/"), now: now)
        #expect(jar.cookies.first?.expires == now.addingTimeInterval(days * 86_400))
    }

    @Test(
        arguments: [
            ("", false, false, nil), ("; Secure", true, false, nil), ("; HTTPONLY", false, true, nil),
            ("; samesite=LAX", false, false, .lax), ("; SameSite=Strict; Secure; HttpOnly", true, true, .strict),
            ("; SameSite=x; secured; http-only", false, false, nil),
        ] as [(String, Bool, Bool, Cookie.SameSite?)])
    func anAttributeThatIsAbsentIsNotSet(
        _ attributes: String, _ isSecure: Bool, _ isHTTPOnly: Bool, _ sameSite: Cookie.SameSite?
    ) throws {
        let jar = CookieJar()
        jar.receive(fields(["a=1\(attributes)"]), from: try url("https://example.com/"), now: now)
        let cookie = try #require(jar.cookies.first)
        #expect((cookie.isSecure, cookie.isHTTPOnly) == (isSecure, isHTTPOnly))
        #expect(cookie.sameSite == sameSite)
        #expect(cookie.expires == nil && cookie.isHostOnly && cookie.path == "/")
    }

    @Test(arguments: ["0", "-1", "-99999999999999999999999"])
    func aMaxAgeThatHasPassedRemovesTheCookie(maxAge: String) throws {
        #expect(try sent("a=1", "b=2", "a=; Max-Age=\(maxAge)") == ["b=2"])
    }

    @Test func aReplacedCookieKeepsItsPlace() throws {
        #expect(try sent("a=1", "b=2", "a=3") == ["a=3", "b=2"])
    }

    @Test func longerPathsComeFirst() throws {
        #expect(
            try sent("a=1; Path=/", "b=2; Path=/x/y", "c=3; Path=/x", to: "https://example.com/x/y/z") == [
                "b=2", "c=3", "a=1",
            ])
    }

    @Test(arguments: [
        ("Strict", Cookie.SameSite.strict), ("LAX", .lax), ("none", Cookie.SameSite.none), ("other", nil),
    ])
    func sameSiteIsKeptAndHasNoEffect(text: String, kept: Cookie.SameSite?) throws {
        let jar = CookieJar()
        let site = try url("https://example.com/")
        jar.receive(fields(["a=1; SameSite=\(text); HttpOnly"]), from: site, now: now)
        #expect(jar.cookies(for: site, now: now).map(\.sameSite) == [kept])
        #expect(jar.cookies.first?.isHTTPOnly == true)
    }

    @Test func aFullDomainLosesExpiredCookiesThenInsecureOnesThenTheLeastUsed() throws {
        var options = CookieJar.Options()
        options.maximumPerDomain = 3
        let jar = CookieJar(options: options)
        let site = try url("https://example.com/")
        jar.receive(fields(["a=1; Secure", "b=1; Max-Age=1; Secure", "c=1; Path=/c"]), from: site, now: now)
        let later = now.addingTimeInterval(5)
        jar.receive(fields(["d=1; Path=/d"]), from: site, now: later)
        #expect(jar.cookies.map(\.name) == ["a", "c", "d"])
        jar.receive(fields(["e=1; Path=/e; Secure"]), from: site, now: later)
        #expect(jar.cookies.map(\.name) == ["a", "d", "e"])
        _ = jar.cookies(for: try url("https://example.com/d"), now: later)
        jar.receive(fields(["f=1; Secure"]), from: site, now: later)
        #expect(jar.cookies.map(\.name) == ["a", "e", "f"])
        _ = jar.cookies(for: site, now: later)
        jar.receive(fields(["g=1; Secure"]), from: site, now: later)
        #expect(jar.cookies.map(\.name) == ["a", "f", "g"])
    }

    @Test func aFullJarLosesTheLeastUsed() throws {
        var options = CookieJar.Options()
        options.maximumCount = 2
        let jar = CookieJar(options: options)
        for host in ["a", "b", "a", "c"] {
            jar.receive(fields(["x=1"]), from: try url("https://\(host).example/"), now: now)
        }
        #expect(jar.cookies.map(\.domain) == ["a.example", "c.example"])
    }

    @Test func bytesThatAreNoTextSurvive() throws {
        let jar = CookieJar()
        let site = try url("https://example.com/")
        let latin = Array("k=caf".utf8) + [0xE9]
        jar.receive(HTTPFields([HTTPField(name: .setCookie, value: latin)]), from: site, now: now)
        #expect(jar.cookies.first?.valueBytes == Array(latin.dropFirst(2)))
        let copy = try JSONDecoder().decode(CookieJar.self, from: JSONEncoder().encode(jar))
        #expect(copy.cookies.first?.valueBytes == Array(latin.dropFirst(2)))
    }

    @Test func aJarIsCodable() throws {
        let jar = CookieJar()
        let site = try url("https://www.example.com/")
        jar.receive(
            fields(["a=1; Secure; HttpOnly; SameSite=Lax; Max-Age=600; Domain=example.com; Path=/x", "b=2"]),
            from: site, now: Date())
        // One of them has been sent since.
        _ = jar.cookies(for: site, now: Date().addingTimeInterval(60))
        let copy = try JSONDecoder().decode(CookieJar.self, from: JSONEncoder().encode(jar))
        #expect(copy.cookies == jar.cookies)
        #expect(copy.cookies.map { $0.lastAccess == $0.created } == [true, false])
    }

    @Test func descriptionsAndDumpsShowNoValues() throws {
        let jar = CookieJar()
        jar.receive(fields(["sid=\(Secret.cookie); Path=/x"]), from: try url("https://example.com/"), now: now)
        let cookie = try #require(jar.cookies.first)
        #expect("\(cookie)" == "sid for example.com/x")
        for text in [
            "\(jar)", "\(jar.cookies)", String(reflecting: cookie), dumped(jar), dumped(cookie),
            dumped(CookieMiddleware(jar)),
        ] {
            Leaks.check(text, "a description")
        }
    }

    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test func anAppMayPutCookiesIn() throws {
        let jar = CookieJar([Cookie(name: "a", value: "1", domain: ".Example.com", path: "/x")])
        jar.insert(Cookie(name: "b", value: "2", domain: "example.com"), now: now)
        #expect(jar.cookies(for: try url("https://www.example.com/x/y"), now: now).map(\.name) == ["a"])
        #expect(jar.cookies(for: try url("https://example.com/x"), now: now).map(\.name) == ["a", "b"])
        jar.removeAll { $0.name == "a" }
        #expect(jar.cookies.map(\.name) == ["b"])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
        #expect(jar.cookies(for: try url("file:///x")).isEmpty)
    }

    /// What an app puts in may be what its user has written.
    @Test(arguments: [
        ("a", "1; b=2"), ("a=1; b", "2"), ("a", "1\r\nX-Other: 1"), ("a\n", "1"), ("a=b", "1"), ("a", "\u{7F}"),
    ])
    func aCookieThatWouldBeReadAsAnotherIsLeftOut(name: String, value: String) throws {
        let jar = CookieJar([Cookie(name: name, value: value, domain: "example.com")])
        jar.insert(Cookie(name: name, value: value, domain: "example.com"))
        #expect(jar.cookies.isEmpty)
        #expect(CookieJar().insert(netscapeText: "example.com\tFALSE\t/\tFALSE\t0\ta\t1; b=2\n") == [1])
    }

    @Test func aListOfOnesOwnDecidesWhatIsASuffix() throws {
        var options = CookieJar.Options()
        options.publicSuffixes = .topLevelDomains
        #expect(try sent("a=1; Domain=co.uk", from: "https://example.co.uk/", options: options) == ["a=1"])
        options.publicSuffixes = PublicSuffixList("corp.example")
        #expect(try sent("a=1; Domain=corp.example", from: "https://x.corp.example/", options: options) == [])
    }
}
