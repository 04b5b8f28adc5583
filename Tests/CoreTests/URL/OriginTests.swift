// SPDX-License-Identifier: Apache-2.0

import Foundation
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
        #expect(request.isAt(origin))
    }

    @Test(arguments: ["https://ada:pw@A.example/x?y", "https://a%3Ab:pw@a.example:443/", "https://a%00b@a.example"])
    func hasNoUserInformation(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(Origin(url)?.description == "https://a.example")
    }

    @Test(arguments: ["", "a b", "host:80", "[::g]", "256.1.1.1"])
    func whatIsNoHostStaysAsItIsWritten(host: String) {
        #expect(Origin(scheme: "https", host: host, port: 1).description == "https://\(host):1")
    }
}
