// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import Testing

struct HTTPVerbTests {
    private struct Post: Codable, Equatable, Sendable { var id = 1; var title = "a" }
    /// Not `Sendable`.
    private final class Draft: Codable { var title = "a" }

    private let transport: ScriptedTransport
    private let client: NetworkClient

    init() {
        transport = ScriptedTransport { request in
            request.method == .head ? .status(200) : .json(#"{"id": 1, "title": "a"}"#)
        }
        client = NetworkClient(configuration: NetworkConfiguration(baseURL: "https://h/v1", transport: transport))
    }

    private var verbs: [(HTTPVerb, HTTPMethod)] {
        [
            (client.get, .get), (client.post, .post), (client.put, .put), (client.patch, .patch),
            (client.delete, .delete), (client.head, .head), (client.options, .options),
        ]
    }

    /// Compiled, and each form called: whatever the context wants, there is one function for it.
    @Test func everyFormHasOneMeaning() async throws {
        let id = 1
        let draft = Draft()
        let post: Post = try await client.get("posts/\(id)")
        let maybe: Post? = try await client.get("posts/\(id)")
        let whole: NetworkResponse<Post> = try await client.get("posts/\(id)")
        let wholeMaybe: NetworkResponse<Post?> = try await client.get("posts/\(id)")
        let data: Data = try await client.get("posts/\(id)")
        let maybeData: Data? = try await client.get("posts/\(id)")
        let text: String = try await client.get("posts/\(id)")
        let none: VoidResponse = try await client.get("posts/\(id)")
        let head: NetworkResponse<VoidResponse> = try await client.head("posts/\(id)")
        let object: Draft = try await client.get("posts/\(id)")
        let json: JSONValue = try await client.get("posts/\(id)")
        let named = try await client.get("posts/\(id)", returning: Post.self)
        let namedWhole = try await client.get("posts", query: ["page": 2], returning: NetworkResponse<Post>.self)
        async let later: Post = client.get("posts/\(id)")
        let task = Task { try await client.get("posts/\(id)") as Post }
        try await client.get("posts/\(id)")
        try await client.delete("posts/\(id)")
        try await client.post("posts", body: draft)
        try await client.post("posts", body: "text")
        try await client.post("posts", body: Data([1]))
        try await client.post("posts", body: Draft?.none)
        try await client.post("posts", body: ["id": 1])
        try await client.post("posts")
        let made: Post = try await client.post("posts", body: draft, query: ["notify": true])
        let madeWhole: NetworkResponse<Post> = try await client.put("posts/\(id)", body: made)
        let timed: Post = try await client.get("posts") { $0.timeouts.deadline = .seconds(5) }
        func returned() async throws -> Post { try await client.patch("posts/\(id)", body: ["title": "b"]) }
        func returnedMaybe() async throws -> Post? { try await client.get("posts/\(id)") }
        func generic<Model: Decodable>(_ type: Model.Type) async throws -> Model { try await client.get("posts/\(id)") }
        func nothing() async throws { try await client.get("posts/\(id)") }
        let any: any NetworkClientProtocol = client
        let erased: Post = try await any.get("posts/\(id)")
        try await nothing()
        let posts = try await [
            post, whole.value, named, namedWhole.value, later, task.value, made, madeWhole.value, timed, returned(),
            generic(Post.self), erased,
        ]
        #expect(posts.allSatisfy { $0 == Post() })
        let others = try await [maybe, returnedMaybe(), wholeMaybe.value]
        #expect(others == [Post(), Post(), Post()])
        #expect(data == Data(text.utf8) && maybeData == data && json["id"] == 1 && object.title == "a")
        #expect(none == VoidResponse() && head.status == .ok)
    }

    @Test func eachVerbSendsItsMethod() async throws {
        for (verb, method) in verbs {
            try await verb("posts/\("a/b")", query: ["page": 2, "none": Int?.none], fields: [.userAgent: "me"]) {
                $0.timeouts.deadline = .seconds(9)
            }
            let request = try #require(transport.requests.last)
            #expect(request.method == method)
            #expect(request.url == "https://h/v1/posts/a%2Fb?page=2")
            #expect(request["User-Agent"] == "me")
            #expect(request.options.timeouts.deadline == .seconds(9))
            #expect(!request.hasBody && request["Content-Type"] == nil)
        }
    }

    @Test func bodiesAreEncodedAsInRequests() async throws {
        try await client.post("posts", body: Post())
        try await client.post("posts", body: "text")
        try await client.post("posts", body: Data([1, 2]))
        try await client.post("posts", body: Post?.none)
        let requests = transport.requests
        #expect(requests.map { $0["Content-Type"] } == ["application/json", "text/plain; charset=utf-8", nil, nil])
        #expect(try JSONDecoder().decode(Post.self, from: requests[0].body) == Post())
        #expect(requests[1...].map(\.text) == ["text", "\u{1}\u{2}", ""])
        #expect(requests.map(\.hasBody) == [true, true, true, false])
    }

    @Test func queriesAreWrittenByTheQueryEncoder() async throws {
        struct Filter: Encodable { var sort = "new & old"; var page: Int? }
        let given: Int? = 3
        try await client.get(
            "posts?a=1",
            query: ["b": "x/y", "c": true, "d": [1, 2], "e": Date(timeIntervalSince1970: 0), "f": given, "g": nil])
        #expect(
            transport.requests[0].query
                == "a=1&b=x%2Fy&c=true&d=1&d=2&e=1970-01-01T00%3A00%3A00Z&f=3")
        try await client.get("posts", query: RequestQuery(Filter()))
        try await client.get("posts", query: [:])
        let encoder = QueryEncoder(FormOptions(arrays: .commas))
        let items = try encoder.items(from: ["ids": [1, 2]])
        try await client.get("posts", query: RequestQuery(items: items))
        #expect(transport.requests[1...].map(\.query) == ["sort=new%20%26%20old", nil, "ids=1%2C2"])
    }

    @Test func aQueryThatHasNoTextFailsBeforeItIsSent() async {
        struct Textless: Encodable {
            func encode(to encoder: any Encoder) throws { throw CancellationError() }
        }
        await #expect {
            try await client.get("posts", query: ["range": Textless()])
        } throws: {
            ($0 as? NetworkClientError)?.code == .encodingFailed && ($0 as? NetworkClientError)?.exchange != nil
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func aRefusalIsAnErrorInEachForm() async {
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: "https://h", transport: ScriptedTransport(.status(404))))
        let forms: [() async throws -> Void] = [
            { try await client.get("a") }, { _ = try await client.get("a", returning: Post.self) },
            { _ = try await client.get("a", returning: NetworkResponse<Post>.self) },
            { _ = try await client.get("a", returning: Draft.self) },
        ]
        for form in forms {
            await #expect { try await form() } throws: { ($0 as? NetworkClientError)?.code == .unacceptableStatus }
        }
    }

    /// A client around a client has the verbs, and its own `run` and `execute` are what they call.
    @Test func aClientAroundAClientHasThem() async throws {
        let wrapper = CountingClient(client)
        let post: Post = try await wrapper.get("posts/1")
        try await wrapper.delete("posts/1")
        #expect(post == Post())
        #expect(wrapper.runs == 2)
    }

    private final class CountingClient: NetworkClientProtocol {
        private let inner: NetworkClient
        private let count = Mutex(0)
        var runs: Int { count.withLock { $0 } }
        var configuration: NetworkConfiguration { inner.configuration }

        init(_ inner: NetworkClient) { self.inner = inner }
        init(configuration: NetworkConfiguration) { inner = NetworkClient(configuration: configuration) }

        func execute(_ request: TransportRequest) async throws -> TransportResponse { try await inner.execute(request) }

        func run<RequestModel, ResponseModel>(
            _ networkRequest: NetworkRequest<RequestModel, ResponseModel>
        ) async throws -> NetworkResponse<ResponseModel> {
            count.withLock { $0 += 1 }
            return try await inner.run(networkRequest)
        }
    }
}
