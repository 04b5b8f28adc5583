// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct OriginTests {
    @Test(arguments: [
        ("a.example", "https://a.example/"), ("A.Example", "https://a.example:443/"), ("::1", "https://[::1]/"),
        ("[::1]", "https://[0:0::1]/"), ("2001:DB8::0:1", "https://[2001:db8::1]/"),
        ("bücher.example", "https://b%C3%BCcher.example/"), ("BÜCHER.example", "https://xn--bcher-kva.example/"),
        ("127.1", "https://127.0.0.1/"),
    ])
    func isThatOfRequestsHoweverTheHostIsWritten(host: String, url: String) throws {
        let origin = Origin(scheme: "HTTPS", host: host)
        let request = try TransportRequest(url: url)
        #expect(request.origin == origin)
        #expect(origin.isOrigin(ofScheme: request.head.scheme, authority: request.head.authority))
    }

    @Test(arguments: ["https://ada:pw@A.example/x?y", "https://a%3Ab:pw@a.example:443/", "https://a%00b@a.example"])
    func hasNoUserInformation(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(Origin(url)?.description == "https://a.example")
    }

    @Test(arguments: [
        "", "a b", "host:80", "[::g]", "256.1.1.1", "[1.2.3.4::1]", "[::1.2.3]", "[1:2:3:4:5:6:7:1.2.3.4]",
    ])
    func whatIsNoHostStaysAsItIsWritten(host: String) {
        #expect(Origin(scheme: "https", host: host, port: 1).description == "https://\(host):1")
    }

    private static let origins = [
        "https://a.example", "https://a.example:444", "http://a.example", "http://a.example:443",
        "http://b.example:8080",
        "https://127.0.0.1", "https://[::1]:8443",
    ]

    @Test(arguments: origins)
    func isThatOfARequestThatGoesThere(_ base: String) throws {
        let origin = try #require(URL(string: base).flatMap { Origin($0) })
        for url in Self.origins {
            let head = try TransportRequest(url: url).head
            #expect(origin.isOrigin(ofScheme: head.scheme, authority: head.authority) == (url == base), "\(url)")
        }
    }

    @Test(arguments: ["A.example", "a.example:443", "a%2eexample", "A.EXAMPLE:443"])
    func isThatOfARequestHoweverItsAuthorityIsWritten(_ authority: String) throws {
        let origin = try #require(URL(string: "https://a.example").flatMap { Origin($0) })
        var request = try TransportRequest(url: "https://b.example")
        request.head.authority = authority
        #expect(origin.isOrigin(ofScheme: request.head.scheme, authority: request.head.authority))
        request.head.scheme = "http"
        #expect(!origin.isOrigin(ofScheme: request.head.scheme, authority: request.head.authority))
    }

    @Test(arguments: [
        ("http", "a.example", 80, true), ("https", "a.example", 443, false), ("ws", "a.example", 80, true),
        ("wss", "a.example", 443, false), ("HTTP", "localhost", 80, false), ("http", "LOCALHOST.", 80, false),
        ("http", "x.localhost", 80, false), ("http", "notlocalhost", 80, true), ("http", "127.0.0.1", 80, false),
        ("ws", "127.8.9.10", 80, false), ("http", "128.0.0.1", 80, true), ("http", "::1", 80, false),
        ("http", "::2", 80, true), ("http", "127.example", 80, true), ("ftp", "a.example", 0, false),
        ("http", "localhost.example", 80, true),
    ])
    func whatLeavesTheMachineWithoutTLSIsInClear(scheme: String, host: String, port: Int, isInClear: Bool) {
        let origin = Origin(scheme: scheme, host: host)
        #expect(origin.port == port && origin.isInClear == isInClear)
        #expect(Origin(scheme: scheme, host: host, port: 8443).isInClear == isInClear)
    }

    @Test(
        arguments: [
            ("https", "A.example", nil, "https://a.example"), ("https", "a.example", 443, "https://a.example"),
            ("https", "a.example", 80, "https://a.example:80"), ("http", "::1", 8080, "http://[::1]:8080"),
            ("wss", "a.example", nil, "wss://a.example"), ("x", "a.example", nil, "x://a.example"),
            ("x", "a.example", 1, "x://a.example:1"),
        ] as [(String, String, Int?, String)])
    func isDescribedWithThePortThatIsNotTheUsualOne(scheme: String, host: String, port: Int?, text: String) {
        #expect("\(Origin(scheme: scheme, host: host, port: port))" == text)
    }

    @Test func isNoneWhereSchemeOrAuthorityAreMissing() {
        #expect(Origin(scheme: nil, authority: "h") == nil)
        #expect(Origin(scheme: "http", authority: nil) == nil)
        #expect(Origin(scheme: "http", authority: "") == nil)
        #expect(Origin(scheme: "http", authority: "h:8080") == Origin(scheme: "http", host: "h", port: 8080))
    }
}
