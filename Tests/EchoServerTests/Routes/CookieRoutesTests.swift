// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct CookieRoutesTests {
    private struct Answer: Decodable, Equatable {
        var cookies: [String: String]
    }

    @Test func cookiesAreReadFromAllFields() async throws {
        let fields = HTTPFields([
            .init(name: .cookie, value: "a=b; c=\"d;e\"; x"), .init(name: .cookie, value: "f=g=h;a=2"),
        ])
        let answer = try await ask("/cookies", fields: fields).json(Answer.self)
        #expect(answer.cookies == ["a": "b", "c": "d;e", "x": "", "f": "g=h"])
    }

    @Test func cookiesAreSetAndTheClientSentToTheList() async throws {
        let response = try await ask("/cookies/set?a=1&b=2&a=3")
        #expect(response.statusCode == 302)
        #expect(response.headers[.location] == "/cookies")
        #expect(response.headers[values: .setCookie] == ["a=1; Path=/", "b=2; Path=/"])
        let secure = try await ask("/cookies/set/n/v%3Bx", isSecure: true)
        #expect(secure.headers[values: .setCookie] == ["n=vx; Secure; Path=/"])
    }

    @Test func cookiesAreDeleted() async throws {
        let expected = "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/"
        #expect(try await ask("/cookies/delete?a").headers[values: .setCookie] == [expected])
    }
}
