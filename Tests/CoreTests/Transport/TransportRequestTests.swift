// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct TransportRequestTests {
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
