// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import Testing

struct RequestBuilderTests {
    typealias Users = ServiceTests.Shop.Users

    @RequestBuilder<Users>
    static func build(_ flag: Bool, names: [String] = []) -> Request {
        if flag {
            Request.HTTPMethod.post
        } else if #available(macOS 15, iOS 18, *) {
            Request.HTTPMethod.delete
        } else {
            Request.HTTPMethod.get
        }
        if flag {
            Body { User(name: "Ada") }
        } else {
            PathComponents { "none" }
        }
        for name in names { PathComponents { name } }
        if #available(macOS 15, iOS 18, *) { Headers { ("h", "1") } }
        switch flag {
        case true: QueryItems { ("q", 1) }
        case false: QueryItems { ("q", 2) }
        }
        Request.Properties { Headers { ("i", "2") } }
    }

    @Test func fourPropertiesAndAMethod() {
        let request = Self.build(true, names: ["a", "b"])
        #expect(request.httpMethod == .post)
        #expect(request.pathComponents == ["a", "b"])
        #expect(request.queryItems.map(\.value) == ["1", "2", "1"])
        #expect(request.headers["h"] == "1" && request.headers["i"] == "2")
        #expect(request.body == Data(#"{"name":"Ada"}"#.utf8))
    }

    @Test func theOtherBranch() {
        let request = Self.build(false)
        #expect(request.httpMethod == .delete)
        #expect(request.pathComponents == ["none"])
        #expect(request.body == Data("service".utf8))
    }

    @RequestBuilder<Users> static var custom: Request { HTTPMethod(rawValue: "PURGE")! }

    @Test func methodsOfOnesOwn() {
        #expect(Self.custom.httpMethod.rawValue == "PURGE")
    }
}
