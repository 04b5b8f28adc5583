// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct RedirectRoutesTests {
    @Test(arguments: [
        ("/redirect/3", "/relative-redirect/2"), ("/redirect/1", "/get"),
        ("/relative-redirect/2", "/relative-redirect/1"),
        ("/relative-redirect/1", "/get"),
    ])
    func relativeStepsLeadToGet(path: String, location: String) async throws {
        let response = try await ask(path)
        #expect(response.statusCode == 302)
        #expect(response.headers[.location] == location)
    }

    @Test(arguments: [
        ("/absolute-redirect/2", "/absolute-redirect/1"), ("/absolute-redirect/1", "/get"),
        ("/redirect/2?absolute=true", "/absolute-redirect/1"),
    ])
    func absoluteStepsNameTheServer(path: String, end: String) async throws {
        let location = try #require(try await ask(path, isSecure: true).headers[.location])
        #expect(location.hasPrefix("https://"))
        #expect(location.hasSuffix(end))
    }

    @Test func noStepsAreRefused() async throws {
        #expect(try await ask("/redirect/0").statusCode == 400)
    }

    @Test func redirectToTakesStatusAndURLFromQueryOrForm() async throws {
        let byQuery = try await ask("/redirect-to?url=http%3A%2F%2Fx%2F%3Fa%3Db&status_code=307", .put)
        #expect(byQuery.statusCode == 307)
        #expect(byQuery.headers[.location] == "http://x/?a=b")
        let byForm = try await ask(
            "/redirect-to", .post, fields: [.contentType: "application/x-www-form-urlencoded"], body: "url=/y")
        #expect(byForm.statusCode == 302)
        #expect(byForm.headers[.location] == "/y")
        #expect(try await ask("/redirect-to?url=/&status_code=200").statusCode == 302)
        #expect(try await ask("/redirect-to").statusCode == 400)
        #expect(try await ask("/redirect-to?url=/%C3%A9%2Fa").headers[.location] == "/%C3%A9/a")
    }
}
