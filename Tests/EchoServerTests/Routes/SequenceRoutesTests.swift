// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct SequenceRoutesTests {
    @Test func eachRequestWithAKeyGetsTheNextStatus() async throws {
        let router = EchoRouter()
        let answers = [429, 200, 503, 200, 200]
        for status in answers {
            let response = try await ask("/sequence/one/429,200,503/get?a=1", of: router)
            #expect(response.statusCode == status)
            #expect(response.headers[.retryAfter] == (status == 200 ? nil : "0"))
            if status == 200 { #expect(try response.json(HTTPBinAnswer.self).args == ["a": "1"]) }
        }
        #expect(try await ask("/sequence/two/500/get", of: router).statusCode == 500)
        #expect(try await ask("/sequence/one/429/get").statusCode == 429)
    }

    @Test func thePathBehindGetsTheBodyAndItsPlaces() async throws {
        let response = try await ask("/sequence/k/200/anything/a%20b", .post, body: "text")
        #expect(try response.json(HTTPBinAnswer.self).data == "text")
        #expect(try await ask("/sequence/k/200/status/418").statusCode == 418)
        #expect(try await ask("/sequence/k/200/sequence/l/503/get").statusCode == 503)
    }

    @Test(arguments: ["x", "99", "600", "200,"])
    func whatIsNoListOfStatusesIsRefused(text: String) async throws {
        #expect(try await ask("/sequence/k/\(text)/get").statusCode == 400)
    }
}
