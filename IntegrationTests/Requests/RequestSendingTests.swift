// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeedSupport
import StrataRequests
import Testing

/// Requests to a server on this machine: through their sessions, and in every form of `send`.
@Suite struct RequestSendingTests {
    private func withServer(_ body: (EchoTarget, URL) async throws -> Void) async throws {
        try await EchoTarget.withServer { server in
            try await body(server, try #require(URL(string: server.url)))
        }
    }

    @Test func aRequestWithoutAClientGoesThroughItsSession() async throws {
        try await withServer { _, url in
            let session = URLSession(configuration: .ephemeral)
            let request = Request(.post, url: url, session: session) {
                PathComponents {
                    "echo"
                    "a b"
                }
                QueryItems { ("sum", "1+1") }
                Body { ["name": "Ada"] }
            }
            let echo: Echo = try await request.send()
            #expect(echo.method == "POST")
            #expect(echo.target == "/a%20b?sum=1%2B1")
            #expect(echo["Content-Type"] == "application/json")
            #expect(echo.text == #"{"name":"Ada"}"#)
            let again: Echo = try await request.send(session: .shared)
            #expect(again.target == echo.target)
        }
    }

    /// Which session it was is told by the field that it adds.
    @Test func theSessionGivenWinsOverTheRequestsOwn() async throws {
        func session(_ name: String) -> URLSession {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-Session": name]
            return URLSession(configuration: configuration)
        }
        try await withServer { _, url in
            let request = Request(.get, url: url, session: session("own")) { PathComponents { "echo" } }
            let own: Echo = try await request.send()
            #expect(own["X-Session"] == "own")
            let given: Echo = try await request.send(session: session("given"))
            #expect(given["X-Session"] == "given")
            let handed = try await withCheckedContinuation { continuation in
                request.send(session: session("handler")) { (result: Result<Echo, RequestError>) in
                    continuation.resume(returning: result)
                }
            }.get()
            #expect(handed["X-Session"] == "handler")
            let publisher: AnyPublisher<Echo, RequestError> = request.send(session: session("publisher"))
            let (names, continuation) = AsyncStream<String?>.makeStream()
            let cancellable = publisher.sink { _ in
                continuation.finish()
            } receiveValue: {
                continuation.yield($0["X-Session"])
            }
            var received: [String?] = []
            for await name in names { received.append(name) }
            #expect(received == ["publisher"])
            cancellable.cancel()
        }
    }

    @Test func handlersAndPublishersGoThroughSessionsToo() async throws {
        try await withServer { _, url in
            let request = Request(.get, url: url) { PathComponents { "echo" } }
            let response = try await withCheckedContinuation { continuation in
                request.send { (result: Result<Request.Response, RequestError>) in
                    continuation.resume(returning: result)
                }
            }.get()
            #expect(response.urlResponse.statusCode == 200)

            let (echoes, continuation) = AsyncStream<Echo>.makeStream()
            let publisher: AnyPublisher<Echo, RequestError> = request.send()
            let cancellable = publisher.sink { _ in
                continuation.finish()
            } receiveValue: {
                continuation.yield($0)
            }
            var received: [String] = []
            for await echo in echoes { received.append(echo.method) }
            #expect(received == ["GET"])
            cancellable.cancel()
        }
    }

    private func withClient(
        over transport: TestedTransport, _ body: (NetworkClient, URL) async throws -> Void
    ) async throws {
        try await withServer { _, url in
            try await transport.run { transport in
                let configuration = NetworkConfiguration(baseURL: nil, transport: transport)
                try await body(NetworkClient(configuration: configuration), url)
            }
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func pagesAreFollowed(_ transport: TestedTransport) async throws {
        try await withClient(over: transport) { client, url in
            // The server answers with the fields that the query names: a link on the first page, none on the second.
            let request = Request(.get, url: url) {
                PathComponents { "response-headers" }
                QueryItems { ("Link", "<response-headers?page=2>; rel=\"next\"") }
            }
            var queries: [String?] = []
            for try await page in request.pages(client: client) { queries.append(page.urlResponse.url?.query()) }
            #expect(queries.count == 2)
            #expect(queries.last == "page=2")
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func eventsAndLinesArrive(_ transport: TestedTransport) async throws {
        try await withClient(over: transport) { client, url in
            let events = Request(.get, url: url) {
                PathComponents { "sse" }
                QueryItems { ("count", 3) }
            }
            var ids: [String?] = []
            for try await event in try await events.send(as: .events, client: client) { ids.append(event.id) }
            #expect(ids == ["1", "2", "3"])

            let stream = Request(.get, url: url) {
                PathComponents {
                    "stream"
                    4
                }
            }
            var lines = 0
            for try await _ in try await stream.send(as: .lines, client: client) { lines += 1 }
            #expect(lines == 4)
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func failuresAreTheSame(_ transport: TestedTransport) async throws {
        try await withClient(over: transport) { client, url in
            let checked = Request(.get, url: url, configuration: .init(parseHTTPStatusErrors: true)) {
                PathComponents {
                    "status"
                    418
                }
            }
            let status = await #expect(throws: RequestError.self) { try await checked.send(client: client) }
            guard case .httpStatus(_, let error) = status else { return #expect(Bool(false), "\(status as Any)") }
            #expect(error.statusCode == 418)

            let waiting = Request(.get, url: url, configuration: .init(timeout: 0.3)) { PathComponents { "hang" } }
            await #expect(throws: RequestError.urlError(request: waiting, error: URLError(.timedOut))) {
                try await waiting.send(client: client)
            }
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func cancellingEndsTheCall(_ transport: TestedTransport) async throws {
        try await withClient(over: transport) { client, url in
            let waiting = Request(.get, url: url) { PathComponents { "hang" } }
            let task = Task { _ = try await waiting.send(client: client) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
