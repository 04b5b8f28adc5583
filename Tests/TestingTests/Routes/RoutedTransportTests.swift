// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

struct RoutedTransportTests {
    private func text(_ transport: RoutedTransport, _ target: String, _ method: HTTPMethod = .get) async throws
        -> String
    {
        let url = target.hasPrefix("http") ? target : "https://api.example\(target)"
        let response = try await transport.send(TransportRequest(method: method, url: url))
        guard response.head.status == .ok else { return "\(response.head.status.code)" }
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }

    /// Answers each template with its own text.
    private func transport(_ templates: String..., unmatched: RoutedTransport.Unmatched = .notFound) -> RoutedTransport
    {
        RoutedTransport(unmatched: unmatched) { routes in
            for template in templates {
                routes.get(template) { request in
                    .text(
                        "\(template) \(request.parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " "))"
                    )
                }
            }
        }
    }

    @Test func aParameterIsHandedOver() async throws {
        let transport = RoutedTransport {
            $0.get("/users/{id}") { request in .json(#"{"id": "\#(request.parameters["id"] ?? "")"}"#) }
        }
        #expect(try await text(transport, "/users/7?x=1") == #"{"id": "7"}"#)
        #expect(transport.count(.get, "/users/{id}") == 1)
        #expect(transport.requests.map(\.path) == ["/users/7"])
        try transport.verify()
    }

    @Test(arguments: [
        ("/users/7", "/users/{id} id=7"), ("/users/me", "/users/me "), ("/users/7/posts", "/users/{id}/posts id=7"),
        ("/users/me/posts", "/users/me/{what} what=posts"), ("/users/a%2Fb", "/users/{id} id=a/b"),
        ("/users/caf%C3%A9%20x", "/users/{id} id=café x"), ("/users/a+b", "/users/{id} id=a+b"),
        ("/users/", "404"), ("/users", "404"), ("/users/7/", "404"), ("/Users/7", "404"),
        ("/files/a.json", "/files/{name}.json name=a"), ("/files/.json", "/files/{+path} path=.json"),
        ("/files/a/b/c", "/files/{+path} path=a/b/c"), ("/files/", "404"), ("/a%20b", "/a b "), ("/", "/ "),
    ])
    func theMostSpecificRouteAnswers(_ target: String, _ answer: String) async throws {
        let transport = transport(
            "/files/{+path}", "/users/{id}", "/users/me", "/users/{id}/posts", "/users/me/{what}", "/files/{name}.json",
            "/a b", "/")
        #expect(try await text(transport, target) == answer)
    }

    @Test func itemsOfTheQueryCanBeDemanded() async throws {
        let transport = transport("/a", "/a?page={page}", "/a?page=1", "/a?page={p}&sort=up")
        #expect(try await text(transport, "/a") == "/a ")
        #expect(try await text(transport, "/a?x=1") == "/a ")
        #expect(try await text(transport, "/a?x=1&page=5") == "/a?page={page} page=5")
        #expect(try await text(transport, "/a?page=1") == "/a?page=1 ")
        #expect(try await text(transport, "/a?sort=up&page=2") == "/a?page={p}&sort=up p=2")
    }

    @Test func anOriginCanBeDemanded() async throws {
        let transport = transport("/a", "https://api.example/a")
        #expect(try await text(transport, "https://api.example:443/a") == "https://api.example/a ")
        #expect(try await text(transport, "https://other.example/a") == "/a ")
    }

    @Test func routesHaveMethods() async throws {
        let transport = RoutedTransport(unmatched: .notFound) {
            $0.get("/a", .text("got"))
            $0.on([.put, .patch], "/a") { .text($0.method.rawValue) }
            $0.any("/any") { .text($0.method.rawValue) }
            $0.delete("/any", .text("own"))
        }
        #expect(try await text(transport, "/a", .put) == "PUT")
        #expect(try await text(transport, "/a", .patch) == "PATCH")
        #expect(try await text(transport, "/any", .options) == "OPTIONS")
        #expect(try await text(transport, "/any", .delete) == "own")
        #expect(
            transport.count(.patch, "/a") == 1 && transport.count(.get, "/a") == 0
                && transport.count(.post, "/nowhere") == 0)
        let response = try await transport.send(TransportRequest(method: .post, url: "https://api.example/a"))
        #expect(response.head.status.code == 405 && response.head.headerFields[.allow] == "GET, PATCH, PUT")
    }

    @Test func headIsAnsweredByGet() async throws {
        let transport = RoutedTransport {
            $0.get("/a", .json("{}"))
            $0.get("/b", .status(500))
            $0.head("/b") { _ in .status(204) }
        }
        let response = try await transport.send(TransportRequest(method: .head, url: "https://api.example/a"))
        #expect(response.head.headerFields[.contentType] == "application/json")
        #expect(try await response.body.collect().isEmpty)
        #expect(
            try await transport.send(TransportRequest(method: .head, url: "https://api.example/b")).head.status
                == .noContent)
        #expect(transport.count(.get, "/a") == 1 && transport.count(.get, "/b") == 0)
    }

    @Test func anUnmatchedRequestFailsAndIsTold() async throws {
        let transport = RoutedTransport { $0.get("/users/{id}", .text("x")) }
        let error = await #expect(throws: NetworkClientError.self) { try await text(transport, "/other?token=s3cret") }
        #expect(error?.code == .unsupportedByTransport)
        #expect(error?.message == "no route for GET https://api.example/other; there are GET /users/{id}")
        let method = await #expect(throws: NetworkClientError.self) { try await text(transport, "/users/1", .post) }
        #expect(method?.message == "no route for POST https://api.example/users/1: the path has routes for GET alone")
        #expect(transport.unmatchedRequests.count == 2)
        #expect(throws: RouteError.self) { try transport.verify() }
    }

    @Test func unmatchedRequestsCanBeAnswered() async throws {
        let transport = RoutedTransport(unmatched: .reply { .text("fallback \($0.path)") }) { $0.get("/a", .text("a")) }
        #expect(try await text(transport, "/b") == "fallback /b")
        let error = #expect(throws: RouteError.self) { try transport.verify() }
        #expect(error?.description == "no request came to GET /a")
        #expect(transport.unusedRoutes == ["GET /a"])
    }

    @Test func repliesComeInOrderAndTheLastRepeats() async throws {
        let transport = RoutedTransport {
            $0.get("/{any}", .text("1"), .text("2"))
            $0.get("/b", .status(503), .text("b"))
        }
        var texts: [String] = []
        for target in ["/a", "/b", "/c", "/b", "/d"] { texts.append(try await text(transport, target)) }
        #expect(texts == ["1", "503", "2", "b", "2"])
    }

    @Test func aRouteThatIsAddedAgainReplacesTheFirst() async throws {
        let transport = RoutedTransport {
            $0.get("/users/{id}", .text("old"))
            $0.get("/users/{name}", .text("new"))
        }
        #expect(try await text(transport, "/users/1") == "new")
        try transport.verify()
    }

    @Test(arguments: ["users", "/a/{", "/a/}", "/{}", "/{a}{b}", "/{a}/{a}", "/{+a}/b", "/x{+a}", "https:///a"])
    func aTemplateThatIsNoneFailsEveryRequest(_ template: String) async throws {
        let transport = RoutedTransport {
            $0.get(template, .text("x"))
            $0.get("/fine", .text("x"))
        }
        let error = await #expect(throws: NetworkClientError.self) { try await text(transport, "/fine") }
        #expect(error?.code == .internalFailure && error?.message.contains("\"\(template)\"") == true)
        #expect(throws: RouteError.self) { try transport.verify() }
    }

    @Test func handlersMayWaitAndThrow() async throws {
        let gate = SharedResult<String>()
        let transport = RoutedTransport {
            $0.get("/wait") { _ in .text(try await gate.value()) }
            $0.get("/go") { _ in
                gate.finish(.success("gone"))
                return .status(200)
            }
            $0.get("/fail") { _ in throw NetworkClientError(.dnsFailed, "no name") }
        }
        async let waiting = text(transport, "/wait")
        _ = try await text(transport, "/go")
        #expect(try await waiting == "gone")
        await #expect {
            try await text(transport, "/fail")
        } throws: {
            isFailure($0, .dnsFailed)
        }
    }

    @Test func eventsAndStreamsAreReplies() async throws {
        let transport = RoutedTransport {
            $0.get("/events") { _ in .events("data: 1\n\n", "data: 2\n\n") }
            $0.get("/stream") { _ in
                .stream(
                    AsyncStream { continuation in
                        for text in ["a", "", "b"] { continuation.yield(Data(text.utf8)) }
                        continuation.finish()
                    })
            }
            $0.get("/typed") { _ in
                .events(
                    AsyncStream { continuation in
                        for text in ["one", "two\nlines"] { continuation.yield(text) }
                        continuation.finish()
                    })
            }
        }
        let client = NetworkClient(configuration: .init(baseURL: "https://api.example", transport: transport))
        var data: [String] = []
        for path in ["/events", "/typed"] {
            let response = try await client.execute(TransportRequest(url: "https://api.example\(path)"))
            for try await event in ServerSentEvents(response) { data.append(event.data) }
        }
        #expect(data == ["1", "2", "one", "two\nlines"])
        #expect(try await text(transport, "/stream") == "ab")
    }

    @Test func callsAtOnceAreAllCounted() async throws {
        let transport = RoutedTransport { $0.get("/{id}") { .text($0.parameters["id"] ?? "") } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let text = try await text(transport, "/\(number)")
                    #expect(text == "\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(transport.count(.get, "/{id}") == 100)
    }
}
