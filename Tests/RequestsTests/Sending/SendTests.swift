// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import TestSupport
import Testing

struct SendTests {
    private let transport = ScriptedTransport(.json(#"[{"name": "Ada"}]"#, status: 201, fields: [.eTag: "x"]))

    private let complex = Request(.patch, url: usersURL) {
        Headers { ("X-Name", "value") }
        QueryItems { ("q", "1+1") }
        PathComponents { "a" }
        Body { User(name: "Ada") }
    }

    @Test(arguments: [HTTPMethod.get, .post, .patch, .put, .delete, .options])
    func theWholeAnswerComesBack(_ method: HTTPMethod) async throws {
        let request = Request(method, url: usersURL)
        let response = try await request.send(client: client(transport))
        #expect(response.request == request)
        #expect(response.request.urlRequest == request.urlRequest)
        #expect(response.urlResponse.statusCode == 201)
        #expect(response.urlResponse.value(forHTTPHeaderField: "etag") == "x")
        #expect(response.urlResponse.url == usersURL)
        #expect(response.data == Data(#"[{"name": "Ada"}]"#.utf8))
        let sent = try #require(transport.requests.first)
        #expect(sent.method == method)
        #expect(sent.url == "https://example.com/users")
        #expect(!sent.hasBody)
        #expect(sent["Accept"] == nil && sent["Content-Type"] == nil)
    }

    @Test func everythingGoesOut() async throws {
        try await complex.send(client: client(transport))
        let sent = try #require(transport.requests.first)
        #expect(sent.method == .patch)
        #expect(sent.target == "/users/a?q=1%2B1")
        #expect(sent["x-name"] == "value")
        #expect(sent["content-type"] == "application/json")
        #expect(sent.text == #"{"name":"Ada"}"#)
    }

    @Test func modelsComeBack() async throws {
        let users: [User] = try await complex.send(client: client(transport))
        #expect(users == [User(name: "Ada")])
        #expect(transport.requests.first?["Accept"] == "application/json")
        let response: Request.ResponseModel<[User]> = try await complex.send(client: client(transport))
        #expect(response.responseModel == users)
        #expect(response.urlResponse.statusCode == 201)
        let text: String = try await complex.send(client: client(transport))
        #expect(text == #"[{"name": "Ada"}]"#)
        #expect(transport.requests.last?["Accept"] == nil)
        let nothing: [User]? = try await complex.send(client: client(ScriptedTransport(.status(204))))
        #expect(nothing == nil)
    }

    private struct Dated: Codable { var date: Date }

    @Test func theDecoderGivenToSendWins() async throws {
        let client = client(ScriptedTransport(.json(#"{"date": "2026-01-01T00:00:00Z"}"#)))
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let request = Request(.get, url: usersURL, decoder: decoder)
        let dated: Dated = try await request.send(client: client)
        #expect(dated.date.timeIntervalSince1970 == 1_767_225_600)
        let error = await #expect(throws: RequestError.self) {
            let _: Dated = try await request.send(decoder: JSONDecoder(), client: client)
        }
        guard case .decoding(let failed, .typeMismatch) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(failed == request)
    }

    @Test func theClientsOwnAcceptStays() async throws {
        let transport = ScriptedTransport(.json(#"{"name":"Ada"}"#))
        var configuration = NetworkConfiguration(baseURL: nil, transport: transport)
        configuration.defaultFields = [.accept: "application/vnd.x+json"]
        let client = NetworkClient(configuration: configuration)
        let _: User = try await Request(.get, url: usersURL).send(client: client)
        #expect(transport.requests[0]["accept"] == "application/vnd.x+json")
    }

    /// Without its boundary nobody could take the body apart.
    @Test func aMultipartTypeHasTheBoundaryOfItsBody() async throws {
        let transport = ScriptedTransport(.status(200))
        let request = Request(.post, url: usersURL) {
            Headers { Header.contentType("multipart/form-data") }
            Body { MultipartForm([.text("x", name: "a")], boundary: "b") }
        }
        _ = try await request.send(client: client(transport))
        #expect(transport.requests[0]["content-type"] == "multipart/form-data; boundary=b")
        #expect(request.urlRequest.value(forHTTPHeaderField: "Content-Type") == "multipart/form-data; boundary=b")
    }

    @Test func onlyWhatADecoderReadsIsAskedFor() async throws {
        let transport = ScriptedTransport(.text("x"), .json(#"{"a": "b"}"#))
        let text: String? = try await Request(.get, url: usersURL).send(client: client(transport))
        let part: String = try await Request(.get, url: usersURL).send(
            decoder: JSONKeyPathDecoder("a"), client: client(transport))
        #expect((text, part) == ("x", "b"))
        #expect(transport.requests.map { $0["Accept"] } == [nil, "application/json"])
    }

    @Test func theClientOfTheRequestIsUsedAndTheOneGivenWins() async throws {
        let other = ScriptedTransport()
        let request = Request(.get, url: usersURL, client: client(transport))
        try await request.send()
        #expect(transport.requests.count == 1)
        try await request.send(client: client(other))
        #expect(transport.requests.count == 1)
        #expect(other.requests.count == 1)
        try await Request.withClient(client(transport)) { try await request.send(client: client(other)) }
        #expect(transport.requests.count == 2)
    }

    @Test func theScopeHoldsForChildTasksAndEnds() async throws {
        let scoped = ScriptedTransport()
        let request = Request(.get, url: usersURL, client: client(transport))
        try await Request.withClient(client(scoped)) {
            async let first = request.send()
            async let second = request.send()
            _ = try await (first, second)
        }
        #expect(scoped.requests.count == 2)
        try await request.send()
        #expect(transport.requests.count == 1)
    }

    @Test func theURLThatAnsweredIsReported() async throws {
        let transport = ScriptedTransport(.redirect(to: "/people"), .status(200))
        let response = try await Request(.get, url: usersURL).send(client: client(transport))
        #expect(response.urlResponse.url?.absoluteString == "https://example.com/people")
    }

    @Test func theClientsFieldsAndMiddlewareApply() async throws {
        struct Stamp: NetworkMiddleware {
            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                var request = request
                request.head.headerFields[.from] = "middleware"
                return try await next(request)
            }
        }
        var configuration = NetworkConfiguration(
            baseURL: URL(string: "https://base.example/x?y=z")!, transport: transport, middleware: [Stamp()])
        configuration.defaultFields = [.userAgent: "demo/1"]
        try await complex.send(client: NetworkClient(configuration: configuration))
        let sent = try #require(transport.requests.first)
        #expect(sent.url == "https://example.com/users/a?q=1%2B1")
        #expect(sent["User-Agent"] == "demo/1")
        #expect(sent["From"] == "middleware")
    }

    @Test func cancellationIsACancellationErrorAtAnyTime() async throws {
        let arrived = AsyncStream<Void>.makeStream()
        let waiting = ScriptedTransport { _ in
            arrived.continuation.yield()
            try await untilCancelled()
        }
        let task = Task { _ = try await Request(.get, url: usersURL).send(client: client(waiting)) }
        for await _ in arrived.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }

        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await Request(.get, url: usersURL).send(client: client(transport))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(transport.requests.isEmpty)
    }

    @Test func aRefusalWhoseBodyFallsSilentHoldsNobodyUp() async throws {
        let clock = VirtualClock()
        let source = HangingSource("no") { clock.advance(by: .seconds(1)) }
        let configuration = NetworkConfiguration(
            baseURL: nil, transport: ScriptedTransport(.source(status: 500) { source }), clock: clock)
        let request = Request(
            .get, url: usersURL, configuration: .init(timeoutInterval: 0, parseHTTPStatusErrors: true))
        let error = await #expect(throws: RequestError.self) {
            try await request.send(client: NetworkClient(configuration: configuration))
        }
        guard case .httpStatus? = error else {
            Issue.record("no error of a status")
            return
        }
        #expect(source.isCancelled && clock.now == .seconds(1))
    }

    private struct ExpectsCollection: NetworkMiddleware {
        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            #expect(request.options.delivery == .collected)
            return try await next(request)
        }
    }

    @Test func aWholeBodyIsAskedFor() async throws {
        let client = client(ScriptedTransport(.json("[]")), middleware: [ExpectsCollection()])
        try await Request(.get, url: usersURL).send(client: client)
        let _: [User] = try await Request(.get, url: usersURL).send(client: client)
    }

    @Test func aRedirectThatIsNotFollowedIsTheResponse() async throws {
        let request = Request(.get, url: usersURL, configuration: .init(parseHTTPStatusErrors: true))
            .settingOptions { $0.redirects = .manual }
        let response = try await request.send(client: client(ScriptedTransport(.redirect(to: "/b"))))
        #expect(response.urlResponse.statusCode == 302)
    }
}
