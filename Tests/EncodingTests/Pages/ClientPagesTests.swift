// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

struct ClientPagesTests {
    private typealias Numbers = NetworkRequest<VoidRequest, [Int]>

    private func page(_ numbers: String, next link: String?) -> ScriptedReply {
        var fields = HTTPFields()
        if let link, let name = HTTPField.Name("Link") { fields[name] = "<\(link)>; rel=\"next\"" }
        return .json("[\(numbers)]", fields: fields)
    }

    private func client(_ transport: ScriptedTransport) -> NetworkClient {
        var configuration = NetworkConfiguration(baseURL: "https://ada:pw@h/v1", transport: transport)
        configuration.defaultFields = [.authorization: "Bearer t", .acceptLanguage: "eo"]
        return NetworkClient(configuration: configuration)
    }

    private let first = Numbers(
        path: "posts", method: .get, queryItems: [URLQueryItem(name: "page", value: "1")],
        additionalHeaders: ["X-Plan": "free", "Cookie": "a=b", "X-Auth-Token": "t"])

    private func numbers(_ pages: Pages<NetworkResponse<[Int]>>) async throws -> [Int] {
        var numbers: [Int] = []
        for try await page in pages { numbers += page.value }
        return numbers
    }

    @Test func linksAreFollowedToTheLastPage() async throws {
        let transport = ScriptedTransport(
            page("1", next: "?page=2"), page("2", next: "/v2/posts?page=3"),
            page("3", next: "https://h/v1/posts?page=4"),
            page("4", next: nil))
        let pages = client(transport).pages(of: first)
        #expect(try await numbers(pages) == [1, 2, 3, 4])
        #expect(
            transport.requests.map(\.url) == [
                "https://h/v1/posts?page=1", "https://h/v1/posts?page=2", "https://h/v2/posts?page=3",
                "https://h/v1/posts?page=4",
            ])
        #expect(transport.requests.allSatisfy { $0["Authorization"] == "Bearer t" && $0["Cookie"] == "a=b" })
    }

    /// RFC 8288 §3.2.
    @Test(arguments: [("?page=1", true), ("", true), ("/v1/other", false), ("#part", false), ("?page=1#part", false)])
    func linksOfAnotherContextAreNotFollowed(anchor: String, isFollowed: Bool) async throws {
        let link = try #require(HTTPField.Name("Link"))
        let transport = ScriptedTransport(
            .json("[1]", fields: [link: "<?page=2>; rel=next; anchor=\"\(anchor)\""]), page("2", next: nil))
        #expect(try await numbers(client(transport).pages(of: first)) == (isFollowed ? [1, 2] : [1]))
    }

    @Test func secretsStayBehindAtAnotherOrigin() async throws {
        let transport = ScriptedTransport(
            page("1", next: "https://other.example/a"), page("2", next: "/b"), page("3", next: nil))
        #expect(try await numbers(client(transport).pages(of: first)) == [1, 2, 3])
        for request in transport.requests[1...] {
            #expect(request["Authorization"] == nil && request["Cookie"] == nil && request["X-Auth-Token"] == nil)
            #expect(request["X-Plan"] == "free" && request["Accept-Language"] == "eo")
        }
    }

    /// A client without a base URL takes the origin of a call's first request for its own: a link does not choose that.
    @Test func secretsStayBehindWithoutABaseURL() async throws {
        let transport = ScriptedTransport(page("1", next: "https://other.example/a"), page("2", next: nil))
        var configuration = NetworkConfiguration(baseURL: nil, transport: transport)
        configuration.defaultFields = [.authorization: "Bearer t", .acceptLanguage: "eo"]
        let pages = NetworkClient(configuration: configuration).pages(
            of: Numbers(path: "https://h/posts", method: .get))
        #expect(try await numbers(pages) == [1, 2])
        #expect(transport.requests.map { $0["Authorization"] } == ["Bearer t", nil])
        #expect(transport.requests.allSatisfy { $0["Accept-Language"] == "eo" })
    }

    @Test(arguments: [
        ("http://h/v1/posts?page=2", "from https to http"), ("?page=1", "in a circle"),
        ("ftp://h/a", "neither http nor https"),
        ("https://eve@h/a", "cannot be used"),
    ])
    func aLinkThatMustNotBeFollowedIsAnError(_ link: String, _ reason: String) async throws {
        let transport = ScriptedTransport(page("1", next: link))
        var seen: [Int] = []
        let error = await #expect(throws: NetworkClientError.self) {
            for try await page in client(transport).pages(of: first) { seen += page.value }
        }
        #expect(seen == [1])
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func aClosureMakesTheNextRequest() async throws {
        let transport = ScriptedTransport(page("1", next: nil), page("2", next: nil), page("", next: nil))
        let pages = client(transport).pages(of: first) { page in
            page.value.last.map { Numbers(path: "posts?after=\($0)", method: .get) }
        }
        #expect(try await numbers(pages) == [1, 2])
        #expect(transport.requests.map(\.query) == ["page=1", "after=1", "after=2"])
    }

    @Test func everyLoopBeginsAnewAndAMissingPageIsAnError() async throws {
        let transport = ScriptedTransport { request in
            request.number == 3
                ? .status(404) : page("\(request.number)", next: request.number % 2 == 0 ? "?page=2" : nil)
        }
        let pages = client(transport).pages(of: first)
        #expect(try await numbers(pages) == [0, 1])
        await #expect { try await numbers(pages) } throws: {
            ($0 as? NetworkClientError)?.code == .unacceptableStatus
        }
    }

    @Test func functionsHavePagesToo() async throws {
        let transport = ScriptedTransport(page("1", next: "?page=2"), page("2", next: nil))
        let client = client(transport)
        let pages = Pages {
            try await client.get("posts", returning: NetworkResponse<[Int]>.self)
        } next: {
            try await client.get(RequestPath(raw: $0.absoluteString), returning: NetworkResponse<[Int]>.self)
        }
        #expect(try await numbers(pages) == [1, 2])
        #expect(transport.requests.map(\.url) == ["https://h/v1/posts", "https://h/v1/posts?page=2"])
    }

    /// RFC 8288 §3.3.
    @Test(arguments: [
        ("</v1/posts?page=0>; rel=prev, <?page=2>; rel=next, <?page=3>; rel=next", [1, 2]),
        ("<?page=9>; rel=last", [1]), ("<?page=9>; rel=next; anchor=\"/x\", <?page=2>; rel=\"first NEXT\"", [1, 2]),
        ("<?page=2>; rel=nextpage", [1]), ("<?page=2#part>; rel=next", [1, 2]),
    ])
    func theFirstLinkOfTheRelationIsFollowed(_ field: String, _ expected: [Int]) async throws {
        let link = try #require(HTTPField.Name("Link"))
        let transport = ScriptedTransport(.json("[1]", fields: [link: field]), page("2", next: nil))
        #expect(try await numbers(client(transport).pages(of: first)) == expected)
        #expect(transport.requests.dropFirst().allSatisfy { $0.url == "https://h/v1/posts?page=2" })
    }

    /// A fragment makes no other page.
    @Test func aPageThatWasSeenIsAnErrorWithAnyFragment() async throws {
        let transport = ScriptedTransport(page("1", next: "?page=2#a"), page("2", next: "?page=1#b"))
        let error = await #expect(throws: NetworkClientError.self) {
            try await numbers(client(transport).pages(of: first))
        }
        #expect(error?.code == .invalidRedirect)
        #expect(transport.requests.count == 2)
    }

    /// The user information of the base URL goes out as a field, whatever the link says.
    @Test func userInformationStaysAtItsOrigin() async throws {
        let transport = ScriptedTransport(
            page("1", next: "/v1/posts?page=2"), page("2", next: "https://other.example/"), page("3", next: nil))
        let configuration = NetworkConfiguration(baseURL: "https://ada:pw@h/v1", transport: transport)
        let pages = NetworkClient(configuration: configuration).pages(of: Numbers(path: "posts", method: .get))
        #expect(try await numbers(pages) == [1, 2, 3])
        let basic = "Basic YWRhOnB3"
        #expect(transport.requests.map { $0["Authorization"] } == [basic, basic, nil])
    }

    @Test func theIteratorMayBeAskedByHand() async throws {
        let transport = ScriptedTransport(page("1", next: "?page=2"), page("2", next: nil))
        var pages = client(transport).pages(of: first).makeAsyncIterator()
        #expect(try await pages.next()?.value == [1])
        #expect(try await pages.next(isolation: nil)?.value == [2])
        #expect(try await pages.next() == nil)
        #expect(try await pages.next() == nil)
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: ["http://h/b", "https://h/b"])
    func aPageOverHTTPMayLeadToEither(_ url: String) async throws {
        let transport = ScriptedTransport(page("1", next: url), page("2", next: nil))
        let configuration = NetworkConfiguration(baseURL: "http://h", transport: transport)
        let pages = NetworkClient(configuration: configuration).pages(of: Numbers(path: "posts", method: .get))
        #expect(try await numbers(pages) == [1, 2])
        #expect(transport.requests.last?.url == url)
    }
}
