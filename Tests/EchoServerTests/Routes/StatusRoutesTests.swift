// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct StatusRoutesTests {
    /// What followed would be the next response.
    @Test(arguments: ["/redirect-to?url=/&status_code=304", "/drip?code=204&duration=0&numbytes=3"])
    func noContentFollowsAHeadThatHasNone(_ target: String) async throws {
        let answer = try await ask(target)
        #expect([204, 304].contains(answer.statusCode))
        #expect(answer.bytes.isEmpty)
        #expect(answer.headers[.contentLength] == nil)
    }

    @Test(arguments: [200, 201, 204, 206, 304, 400, 404, 418, 429, 500, 503, 599, 999])
    func codesAreAnswered(code: Int) async throws {
        #expect(try await ask("/status/\(code)", .post).statusCode == code)
    }

    @Test(arguments: [
        "abc", "199", "100", "1000", "-5", "200,x", "200:x", "200:-1", "200:0", ",", "200:nan", "200:1e308,201:1e308",
    ])
    func whatIsNoFinalStatusIsRefused(text: String) async throws {
        #expect(try await ask("/status/\(text)").statusCode == 400)
    }

    @Test func weightsDecide() async throws {
        for _ in 0..<20 { #expect(try await ask("/status/500:0,201:1").statusCode == 201) }
    }

    @Test func codesBringTheirFields() async throws {
        #expect(try await ask("/status/307").headers[.location] == "/redirect/1")
        #expect(try await ask("/status/401").headers[.wwwAuthenticate] == "Basic realm=\"Fake Realm\"")
        #expect(try await ask("/status/407").headers[.proxyAuthenticate] == "Basic realm=\"Fake Realm\"")
        #expect(try await ask("/status/418").text.contains("teapot"))
        #expect(try await ask("/status/204").headers[.contentLength] == nil)
        #expect(try await ask("/status/304").headers[.contentLength] == nil)
    }
}
