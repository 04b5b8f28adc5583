// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct TransportRequestTests {
    private static let origins = [
        "https://a.example", "https://a.example:444", "http://a.example", "http://a.example:443",
        "http://b.example:8080",
        "https://127.0.0.1", "https://[::1]:8443",
    ]

    @Test(arguments: origins)
    func isAtAnOriginWhenItsOwnIsTheSame(_ base: String) throws {
        let origin = try #require(URL(string: base).flatMap { Origin($0) })
        for url in Self.origins {
            #expect(try TransportRequest(url: url).isAt(origin) == (url == base), "\(url)")
        }
    }

    @Test(arguments: ["A.example", "a.example:443", "a%2eexample", "A.EXAMPLE:443"])
    func isAtAnOriginHoweverItsAuthorityIsWritten(_ authority: String) throws {
        let origin = try #require(URL(string: "https://a.example").flatMap { Origin($0) })
        var request = try TransportRequest(url: "https://b.example")
        request.head.authority = authority
        #expect(request.isAt(origin))
        request.head.scheme = "http"
        #expect(!request.isAt(origin))
    }

    @Test(arguments: [
        "h", "A_b-c.example", "h:", "h:0", "h:65535", "h:000080", "127.0.0.1:80", "[::1]", "[::1]:8443", "a%2eexample",
    ])
    func anAuthorityIsAHostWithAPort(_ authority: String) {
        let head = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
        #expect(throws: Never.self) { try TransportRequest(head: head).validate() }
    }

    @Test func aCopyIsAValueOfItsOwn() throws {
        let original = try TransportRequest(url: "http://host/path", body: .data(Data("body".utf8)))
        var copy = original
        copy.head.path = "/other"
        copy.body = .empty
        copy.options.timeouts.idle = .seconds(1)
        copy.middleware = []
        #expect(original.head.path == "/path")
        #expect(original.body.data == Data("body".utf8))
        #expect(original.options.timeouts.idle == .seconds(60))
        #expect(original.middleware == nil)
        #expect(copy.head.path == "/other")
        #expect(copy.body.isEmpty)
        #expect(copy.options.timeouts.idle == .seconds(1))
        #expect(copy.middleware?.isEmpty == true)
    }
}
