// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import StrataMiddleware

/// The parts of a `Set-Cookie` field (RFC 6265bis §5.6).
struct SetCookieTests {
    private func read(_ text: String) -> SetCookie? { SetCookie(Array(text.utf8)) }

    @Test(
        arguments: [
            ("a=b", "a", "b"), ("a=b=c", "a", "b=c"), (" \ta\t = b c\t ", "a", "b c"), ("a=", "a", ""), ("=b", "", "b"),
            ("b", "", "b"), (" b ", "", "b"), ("a=\"b\"", "a", "\"b\""), ("a\tb=c\td", "a\tb", "c\td"),
            ("a=b;", "a", "b"), ("a=b;;Secure", "a", "b"), ("é=ü", "é", "ü"), ("a=b ; c=d", "a", "b"),
            ("", nil, nil), ("=", nil, nil), (" = ", nil, nil), (";", nil, nil), ("; a=b", nil, nil),
            (";;a=b", nil, nil),
            ("a=\u{1}", nil, nil), ("a=\u{1F}", nil, nil), ("a=\u{7F}", nil, nil), ("\0a=b", nil, nil),
            ("a=b; c\r", nil, nil),
        ] as [(String, String?, String?)])
    func theFirstPartIsNameAndValue(_ text: String, _ name: String?, _ value: String?) {
        let cookie = read(text)
        #expect(cookie?.name == name.map { Array($0.utf8) })
        #expect(cookie?.value == value.map { Array($0.utf8) })
    }

    @Test(arguments: [
        (4095, 1, true), (1, 4095, true), (4096, 1, false), (1, 4096, false), (0, 4096, true), (0, 4097, false),
    ])
    func nameAndValueHave4096BytesAtMost(_ name: Int, _ value: Int, _ isRead: Bool) {
        let field = String(repeating: "n", count: name) + "=" + String(repeating: "v", count: value)
        #expect((read(field) != nil) == isRead)
    }

    @Test(arguments: [(1023, true), (1024, true), (1025, false)])
    func theValueOfAnAttributeHas1024BytesAtMost(_ count: Int, _ isRead: Bool) {
        let domain = String(repeating: "d", count: count)
        let cookie = read("a=b; Domain=\(domain); Secure")
        #expect(cookie?.domain == (isRead ? domain : nil))
        #expect(cookie?.isSecure == true)
    }

    @Test(
        arguments: [
            ("Max-Age=60", 60), ("max-age = 60 ", 60), ("Max-Age=0", 0), ("Max-Age=-1", -1), ("Max-Age=007", 7),
            ("Max-Age=9223372036854775806", .max - 1), ("Max-Age=9223372036854775808", .max),
            ("Max-Age=-9223372036854775807", -.max), ("Max-Age=-9223372036854775809", -.max),
            ("Max-Age=5; Max-Age=7", 7), ("Max-Age=5; Max-Age=x", 5), ("Max-Age=5; Max-Age", 5),
            ("Max-Age", nil), ("Max-Age=", nil), ("Max-Age=-", nil), ("Max-Age=+5", nil), ("Max-Age=1.5", nil),
            ("Max-Age=5s", nil), ("Max-Age=--5", nil), ("MaxAge=5", nil),
        ] as [(String, Int64?)])
    func maxAgeIsAWholeNumber(_ attributes: String, _ seconds: Int64?) {
        #expect(read("a=b; \(attributes)")?.maxAge == seconds)
    }

    @Test(
        arguments: [
            ("Expires=Thu, 01 Jan 1970 00:01:00 GMT", 60), ("EXPIRES=1 jan 70 00:01:00", 60), ("Expires=soon", nil),
            ("Expires", nil), ("Expires=1 Jan 70 00:01:00; Expires=soon", 60),
            ("Expires=1 Jan 70 00:01:00; Expires=1 Jan 70 00:02:00", 120),
        ] as [(String, Double?)])
    func expiresIsADate(_ attributes: String, _ seconds: Double?) {
        #expect(read("a=b; \(attributes)")?.expires?.timeIntervalSince1970 == seconds)
    }

    @Test(
        arguments: [
            ("Domain=Example.COM", "example.com"), ("domain=.example.com", "example.com"),
            ("Domain=..example.com", ".example.com"), ("Domain=.", ""), ("Domain= example.com ", "example.com"),
            ("Domain=a.example; Domain=b.example", "b.example"), ("Domain=a.example; Domain=", "a.example"),
            ("Domain", nil), ("Domain=", nil), ("Domains=a.example", nil),
        ] as [(String, String?)])
    func aDomainHasNoDotInFront(_ attributes: String, _ domain: String?) {
        #expect(read("a=b; \(attributes)")?.domain == domain)
    }

    @Test(
        arguments: [
            ("Path=/x", "/x"), ("PATH = /x/y ", "/x/y"), ("Path=/", "/"), ("Path=/A=b", "/A=b"),
            ("Path=/x; Path=/y", "/y"),
            ("Path=x", nil), ("Path=", nil), ("Path", nil), ("Path=/x; Path=y", nil), ("Path=x/", nil),
        ] as [(String, String?)])
    func aPathBeginsWithASlash(_ attributes: String, _ path: String?) {
        #expect(read("a=b; \(attributes)")?.path == path)
    }

    @Test(
        arguments: [
            ("SameSite=Strict", .strict), ("samesite=LAX", .lax), ("SameSite=None", Cookie.SameSite.none),
            ("SameSite=Lax; SameSite=Strict", .strict), ("SameSite=Lax; SameSite=x", nil), ("SameSite", nil),
            ("SameSite=", nil),
        ] as [(String, Cookie.SameSite?)])
    func theLastSameSiteCounts(_ attributes: String, _ sameSite: Cookie.SameSite?) {
        #expect(read("a=b; \(attributes)")?.sameSite == sameSite)
    }

    @Test(arguments: [
        ("", false, false), ("Secure", true, false), (" SECURE = no ", true, false), ("HttpOnly", false, true),
        ("httponly=0; secure", true, true), ("Secures", false, false), ("=Secure", false, false),
        ("Http-Only", false, false),
    ])
    func aFlagIsSetByItsName(_ attributes: String, _ isSecure: Bool, _ isHTTPOnly: Bool) {
        let cookie = read("a=b; \(attributes)")
        #expect(cookie?.isSecure == isSecure)
        #expect(cookie?.isHTTPOnly == isHTTPOnly)
    }
}
