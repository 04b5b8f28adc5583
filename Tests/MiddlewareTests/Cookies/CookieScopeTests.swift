// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

@testable import StrataMiddleware

/// Which cookies a request matches (RFC 6265bis §5.1.3, §5.1.4).
struct CookieScopeTests {
    private func scope(
        _ host: String = "example.com", path: String? = "/", scheme: String = "https", loopbackIsSecure: Bool = false
    ) -> CookieScope {
        CookieScope(Origin(scheme: scheme, host: host), path: path, loopbackIsSecure: loopbackIsSecure)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("1.2.3.4", true), ("[::1]", true), ("[2001:db8::1]", true), ("example.com", false),
        ("1.2.3.4.example", false), ("a1", false), ("1a", false), ("a.1b", false), ("localhost", false),
    ])
    func anAddressIsNoName(_ host: String, _ isAddress: Bool) {
        #expect(scope(host).isAddress == isAddress)
    }

    @Test(arguments: [
        ("example.com", "example.com", true), ("www.example.com", "example.com", true),
        ("a.b.example.com", "example.com", true), ("a.b.example.com", "b.example.com", true),
        ("wwwexample.com", "example.com", false), ("example.com", "www.example.com", false),
        ("example.com", "xample.com", false), ("example.org", "example.com", false), ("example.com", "", false),
        ("example.com", "com", true), ("1.2.3.4", "1.2.3.4", true), ("1.2.3.4", "3.4", false),
        ("[::1]", "[::1]", true), ("[::1]", "1]", false),
    ])
    func aHostMatchesTheDomainsAboveIt(_ host: String, _ domain: String, _ matches: Bool) {
        #expect(scope(host).matches(domain: domain) == matches)
    }

    @Test(arguments: [
        ("/", "/", true), ("/x", "/", true), ("/x/y", "/", true), ("/x", "/x", true), ("/x/", "/x", true),
        ("/x/y", "/x", true), ("/x/y", "/x/", true), ("/x/y", "/x/y", true), ("/xy", "/x", false), ("/x", "/x/", false),
        ("/x", "/y", false), ("/x", "/x/y", false), ("/", "/x", false), ("/x?y", "/x", true), ("/x?/y", "/x/y", false),
        ("/X", "/x", false),
    ])
    func aPathMatchesThoseAboveIt(_ path: String, _ cookiePath: String, _ matches: Bool) {
        #expect(scope(path: path).matches(path: cookiePath) == matches)
    }

    @Test(
        arguments: [
            (nil, "/"), ("", "/"), ("/", "/"), ("/x", "/"), ("/x/", "/x"), ("/x/y", "/x"), ("/x/y/z", "/x/y"),
            ("/x//", "/x/"), ("x/y", "/"), ("*", "/"), ("/x?y/z", "/"), ("/x/y?z", "/x"),
        ] as [(String?, String)])
    func withoutAPathACookieHasThatUpToTheLastSlash(_ path: String?, _ expected: String) {
        #expect(scope(path: path).defaultPath == expected)
    }

    @Test(arguments: [
        ("a.b.example", ["a.b.example", "b.example", "example"]), ("localhost", ["localhost"]),
        ("127.0.0.1", ["127.0.0.1"]), ("[::1]", ["[::1]"]),
    ])
    func aHostMayHaveTheCookiesOfTheDomainsAboveIt(_ host: String, _ domains: [String]) {
        #expect(scope(host).domains.map(String.init) == domains)
    }

    @Test(arguments: [
        ("https", "example.com", true, true), ("wss", "example.com", true, true), ("http", "example.com", false, false),
        ("ws", "example.com", false, false), ("http", "localhost", false, true), ("http", "127.0.0.1", false, true),
        ("ws", "[::1]", false, true), ("https", "localhost", true, true), ("http", "10.0.0.1", false, false),
    ])
    func whatIsEncryptedIsSecure(_ scheme: String, _ host: String, _ isSecure: Bool, _ whenLoopbackIs: Bool) {
        #expect(scope(host, scheme: scheme).isSecure == isSecure)
        #expect(scope(host, scheme: scheme, loopbackIsSecure: true).isSecure == whenLoopbackIs)
    }

    @Test func aCookieMatchesByDomainPathAndSecurity() {
        let rows: [(Cookie, String, Bool)] = [
            (Cookie(name: "a", value: "1", domain: "example.com"), "https://example.com/", true),
            (Cookie(name: "a", value: "1", domain: "example.com"), "https://www.example.com/", false),
            (Cookie(name: "a", value: "1", domain: ".example.com"), "https://example.com/", true),
            (Cookie(name: "a", value: "1", domain: ".example.com"), "https://www.example.com/", true),
            (Cookie(name: "a", value: "1", domain: "www.example.com"), "https://example.com/", false),
            (Cookie(name: "a", value: "1", domain: "example.com", path: "/x"), "https://example.com/x/y", true),
            (Cookie(name: "a", value: "1", domain: "example.com", path: "/x"), "https://example.com/", false),
            (Cookie(name: "a", value: "1", domain: "example.com", path: "x"), "https://example.com/", true),
            (Cookie(name: "a", value: "1", domain: "example.com", isSecure: true), "https://example.com/", true),
            (Cookie(name: "a", value: "1", domain: "example.com", isSecure: true), "http://example.com/", false),
            (Cookie(name: "a", value: "1", domain: "example.com"), "http://example.com/", true),
        ]
        for (cookie, url, isSent) in rows {
            let jar = CookieJar([cookie])
            #expect(URL(string: url).map { jar.cookies(for: $0).isEmpty } == !isSent, "\(cookie) to \(url)")
        }
    }
}
