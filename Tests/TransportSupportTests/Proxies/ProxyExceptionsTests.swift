// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataTransportSupport

/// Which hosts `no_proxy` takes out: what curl, Go, .NET and Python agree on, and the forms that only some of them know.
struct ProxyExceptionsTests {
    /// What is listed, and for each authority whether it is reached directly.
    private static let table: [(list: String, direct: [String], proxied: [String])] = [
        ("", [], ["a.example", "127.0.0.1"]),
        ("*", ["a.example", "127.0.0.1", "[::1]", "a.example:8080"], []),
        ("a.example,*", ["z.test"], []),
        (
            "corp.example", ["corp.example", "api.corp.example", "a.b.corp.example"],
            ["notcorp.example", "example", "corp.example.org"]
        ),
        (".corp.example", ["corp.example", "api.corp.example"], ["notcorp.example", "xcorp.example"]),
        ("*.corp.example", ["api.corp.example", "a.b.corp.example"], ["corp.example", "notcorp.example"]),
        (".corp", ["api.corp", "a.b.corp", "corp"], ["corp.example", "xcorp"]),
        ("CORP.Example", ["api.corp.example"], []),
        ("corp.example.", ["corp.example", "corp.example."], []),
        ("corp.example", ["corp.example.", "api.corp.example."], []),
        ("bücher.example", ["xn--bcher-kva.example"], ["bcher.example"]),
        ("corp.example:8080", ["corp.example:8080", "api.corp.example:8080"], ["corp.example", "corp.example:80"]),
        ("*.corp.example:8443", ["api.corp.example:8443"], ["api.corp.example", "corp.example:8443"]),
        ("corp.example:80", ["corp.example"], ["corp.example:8080"]),
        ("localhost", ["localhost", "localhost:8080"], ["localhost.example", "127.0.0.1"]),
        ("127.0.0.1", ["127.0.0.1", "127.0.0.1:9000"], ["127.0.0.2", "1.127.0.0.1.example"]),
        ("127.0.0.1:9000", ["127.0.0.1:9000"], ["127.0.0.1"]),
        ("10.0.0.0/8", ["10.0.0.1", "10.255.255.255"], ["11.0.0.1", "9.255.255.255", "10.example", "[::a00:1]"]),
        ("192.168.1.128/25", ["192.168.1.200"], ["192.168.1.127"]),
        ("0.0.0.0/0", ["8.8.8.8"], ["a.example", "[::1]"]),
        ("10.1.2.3/32", ["10.1.2.3"], ["10.1.2.4"]),
        ("::1", ["[::1]", "[::1]:8080"], ["[::2]"]),
        ("[::1]", ["[::1]"], ["[::2]"]),
        ("[::1]:8080", ["[::1]:8080"], ["[::1]"]),
        ("fd00::/8", ["[fd12::1]"], ["[fe80::1]", "a.example"]),
        ("fe80::1", ["[fe80::1%25eth0]"], []),
        ("::ffff:10.0.0.1", ["10.0.0.1"], ["10.0.0.2"]),
        // One that cannot be read harms no other.
        ("10.0.0.0/33,a.example", ["a.example"], ["10.0.0.1"]),
        ("/8,x/,http://b.example,a.example", ["a.example"], ["b.example"]),
        ("a.example , b.example\tc.example,,", ["a.example", "b.example", "c.example"], ["d.example"]),
    ]

    @Test(arguments: table.indices)
    func areReadAsTheListMeansThem(_ index: Int) {
        let (list, direct, proxied) = Self.table[index]
        let exceptions = ProxyExceptions(list)
        for authority in direct {
            #expect(
                exceptions.contain(authority: authority, isSecure: false), "\(list): \(authority) goes to the proxy")
        }
        for authority in proxied {
            #expect(!exceptions.contain(authority: authority, isSecure: false), "\(list): \(authority) goes directly")
        }
    }

    @Test func knowTheDefaultPortOfTheScheme() {
        #expect(ProxyExceptions("a.example:443").contain(authority: "a.example", isSecure: true))
        #expect(!ProxyExceptions("a.example:443").contain(authority: "a.example", isSecure: false))
    }
}
