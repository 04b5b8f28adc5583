// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Testing

@testable import EchoServer

struct CachingRoutesTests {
    @Test func conditionalRequestsAreNotModified() async throws {
        let fresh = try await ask("/cache")
        #expect(fresh.statusCode == 200)
        #expect(fresh.headers[.eTag] != nil && fresh.headers[.lastModified]?.hasSuffix(" GMT") == true)
        #expect(try await ask("/cache", fields: [.ifNoneMatch: "x"]).statusCode == 304)
        #expect(try await ask("/cache", fields: [.ifModifiedSince: "x"]).statusCode == 304)
        #expect(try await ask("/cache/60").headers[.cacheControl] == "public, max-age=60")
    }

    @Test(arguments: [
        (HTTPField.Name.ifNoneMatch, "\"x\"", 304), (.ifNoneMatch, "W/\"y\", W/\"x\"", 304), (.ifNoneMatch, "*", 304),
        (.ifNoneMatch, "\"y\"", 200), (.ifMatch, "\"x\"", 200), (.ifMatch, "*", 200), (.ifMatch, "\"y\"", 412),
    ])
    func entityTagsAreCompared(name: HTTPField.Name, value: String, status: Int) async throws {
        let response = try await ask("/etag/x", fields: [name: value])
        #expect(response.statusCode == status)
        #expect(response.headers[.eTag] == (status == 412 ? nil : "x"))
    }

    @Test func responseHeadersListThemselves() async throws {
        let response = try await ask("/response-headers?X-A=1&X-A=2&Y=%C3%A9")
        let name = try #require(HTTPField.Name("X-A"))
        #expect(response.headers[values: name] == ["1", "2"])
        let listed = try response.json([String: OneOrMany].self)
        #expect(
            listed == [
                "Content-Type": "application/json", "Content-Length": .one(String(response.bytes.count)),
                "X-A": ["1", "2"], "Y": "é",
            ])
        #expect(response.headers[.contentLength] == String(response.bytes.count))
    }

    @Test(arguments: ["a%20b=1", "x=a%0D%0Ab", "=1"])
    func whatIsNoFieldIsRefused(query: String) async throws {
        #expect(try await ask("/response-headers?\(query)").statusCode == 400)
    }

    @Test func fieldsOfTheConnectionAreThoseOfHTTP11() async throws {
        let response = try await ask("/response-headers?Connection=close")
        #expect(response.statusCode == 200)
        #expect(response.headers[.connection] == "close")
    }

    @Test func datesAreInEnglish() {
        #expect(HTTPDate.format(.init(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
}
