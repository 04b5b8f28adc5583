// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct IssueRoutesTests {
    private struct Issue: Decodable { var number: Int }

    @Test(arguments: [(2, 1, [3, 2]), (2, 2, [1]), (2, 3, []), (1, 2, [2]), (30, 1, [3, 2, 1])])
    func pagesHaveTheirIssues(size: Int, page: Int, numbers: [Int]) async throws {
        let response = try await ask("/repos/a/b/issues?per_page=\(size)&page=\(page)")
        #expect(try response.json([Issue].self).map(\.number) == numbers)
        #expect((response.headers[.link] != nil) == (page * size < 3))
    }

    @Test func aLinkLeadsToTheNextPageAndTheLast() async throws {
        let response = try await ask("/repos/a/b%20c/issues?per_page=1")
        let base = "http://localhost/repos/a/b%20c/issues?per_page=1"
        #expect(response.headers[.link] == "<\(base)&page=2>; rel=\"next\", <\(base)&page=3>; rel=\"last\"")
    }

    @Test func aPageThatIsKnownIsNotSentAgain() async throws {
        let tag = try #require(try await ask("/repos/a/b/issues?per_page=2").headers[.eTag])
        let again = try await ask("/repos/a/b/issues?per_page=2", fields: [.ifNoneMatch: tag])
        #expect(again.statusCode == 304)
        #expect(again.headers[.eTag] == tag && again.headers[.cacheControl] == "no-cache")
        #expect(try await ask("/repos/a/b/issues?per_page=2&page=2", fields: [.ifNoneMatch: tag]).statusCode == 200)
    }

    @Test(arguments: ["per_page=0", "page=0", "per_page=101"])
    func whatIsNoPageIsRefused(query: String) async throws {
        #expect(try await ask("/repos/a/b/issues?\(query)").statusCode == 400)
    }
}
