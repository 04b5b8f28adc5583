// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import OpenAPIRuntime
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataOpenAPI
import StrataTesting
import Synchronization
import Testing

struct StrataClientTransportTests {
    private let base = URL(string: "https://api.example/v1/")!

    private func client(
        _ transport: any NetworkTransport, _ middleware: [any NetworkMiddleware] = []
    ) -> NetworkClient {
        NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: base, transport: transport, middleware: middleware, clock: VirtualClock()))
    }

    /// As the generated code sends.
    private func send(
        _ transport: ScriptedTransport, _ middleware: [any NetworkMiddleware] = [], method: HTTPRequest.Method = .get,
        path: String = "/pets?limit=2", body: HTTPBody? = nil, baseURL: URL? = nil, redirects: RedirectPolicy = .manual
    ) async throws -> (HTTPResponse, HTTPBody?) {
        try await StrataClientTransport(client: client(transport, middleware), redirects: redirects).send(
            HTTPRequest(
                method: method, scheme: nil, authority: nil, path: path, headerFields: [.accept: "application/json"]),
            body: body, baseURL: baseURL ?? base, operationID: "listPets")
    }

    private func text(_ body: HTTPBody?) async throws -> String? {
        guard let body else { return nil }
        return String(decoding: try await Data(collecting: body, upTo: 1 << 20), as: UTF8.self)
    }

    @Test(arguments: [
        ("https://api.example/v1/", "/pets?limit=2", "https://api.example/v1/pets?limit=2"),
        ("https://api.example/v1", "/pets", "https://api.example/v1/pets"),
        ("https://api.example", "/pets", "https://api.example/pets"),
        ("http://localhost:8080/a%20b/", "/c%2Fd", "http://localhost:8080/a%20b/c%2Fd"),
        ("https://api.example/v1?x=1#y", "/", "https://api.example/v1/"),
        ("https://api.example/v1", "", "https://api.example/v1"),
    ])
    func thePathStandsBelowTheServersURL(base: String, path: String, url: String) async throws {
        let transport = ScriptedTransport(.json("[]"))
        _ = try await send(transport, path: path, baseURL: URL(string: base)!)
        #expect(transport.requests.first?.url == url)
        #expect(transport.requests.first?["Accept"] == "application/json")
    }

    @Test func aRelativeServersURLIsAnError() async throws {
        let error = try await #require(throws: NetworkClientError.self) {
            _ = try await self.send(ScriptedTransport(.json("[]")), baseURL: URL(string: "/v1")!)
        }
        #expect(error.code == .malformedURL)
    }

    @Test(arguments: [200, 201, 301, 302, 304, 400, 404, 429, 500, 503])
    func everyStatusIsAValue(code: Int) async throws {
        let transport = ScriptedTransport(.text("x", status: code, fields: [.location: "/elsewhere"]))
        let (response, body) = try await send(transport)
        #expect(response.status.code == code)
        #expect(transport.requests.count == 1)
        #expect(try await text(body) == (code == 304 ? nil : "x"))
    }

    @Test func redirectsAreFollowedWhereAskedFor() async throws {
        let transport = ScriptedTransport(.redirect(to: "/2"), .text("there"))
        let (response, body) = try await send(transport, redirects: .follow)
        #expect(response.status.code == 200)
        #expect(try await text(body) == "there")
    }

    @Test func noBodyAndAnEmptyOneDiffer() async throws {
        let empty = try await send(ScriptedTransport(.text("")))
        #expect(empty.1 != nil)
        #expect(try await text(empty.1) == "")
        #expect(try await send(ScriptedTransport(.status(204))).1 == nil)
        #expect(try await send(ScriptedTransport(.status(200)), method: .head).1 == nil)

        let transport = ScriptedTransport(.text("1"), .text("2"))
        _ = try await send(transport, method: .post, body: nil)
        _ = try await send(transport, method: .post, body: HTTPBody())
        #expect(transport.requests.map(\.hasBody) == [false, true])
        #expect(transport.requests.map(\.body.count) == [0, 0])
    }

    @Test func theOperationIsTheNameInMetrics() async throws {
        let calls = Mutex<[CallMetrics]>([])
        let seen = Mutex<[OpenAPIOperation.Operation?]>([])
        let transport = ScriptedTransport(.json("[]"))
        let body = try await send(
            transport,
            [
                MetricsMiddleware { call in calls.withLock { $0.append(call) } },
                InterceptorMiddleware { request, next in
                    seen.withLock { $0.append(request.options[OpenAPIOperation.self]) }
                    return try await next(request)
                },
            ]
        ).1
        _ = try await text(body)
        #expect(calls.withLock { $0.map(\.urlTemplate) } == ["/listPets"])
        #expect(seen.withLock(\.self) == [OpenAPIOperation.Operation(id: "listPets", baseURL: base)])
    }

    // MARK: - Repetition

    private func once(_ texts: [String]) -> HTTPBody {
        HTTPBody(
            AsyncStream { continuation in
                texts.forEach { continuation.yield(Data($0.utf8)) }
                continuation.finish()
            }, length: .unknown, iterationBehavior: .single)
    }

    @Test func aBodyThatCanBeIteratedOnceIsSentOnce() async throws {
        let transport = ScriptedTransport(.status(503), .text("no"))
        let (response, _) = try await send(transport, [RetryMiddleware()], method: .put, body: once(["a", "b"]))
        #expect(response.status.code == 503)
        #expect(transport.requests.map(\.text) == ["ab"])
    }

    @Test(arguments: [10, 2_000_000])
    func aBodyThatCanBeIteratedAgainIsSentAgain(size: Int) async throws {
        let bytes = ArraySlice<UInt8>(repeating: 7, count: size)
        let transport = ScriptedTransport(.status(503), .text("yes"))
        let (response, _) = try await send(transport, [RetryMiddleware()], method: .put, body: HTTPBody(bytes))
        #expect(response.status.code == 200)
        #expect(transport.requests.map(\.body.count) == [size, size])
    }

    @Test func aBodyOfAnotherLengthIsAnError() async throws {
        let error = try await #require(throws: NetworkClientError.self) {
            _ = try await self.send(
                ScriptedTransport(.text("")), method: .put, body: HTTPBody([1, 2, 3], length: .known(4)))
        }
        #expect(error.code == .uploadFailed)
    }

    // MARK: - Streams

    @Test func aResponseComesPieceByPiece() async throws {
        let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
        let (_, body) = try await send(ScriptedTransport(.stream(pieces)))
        var iterator = try #require(body).makeAsyncIterator()
        // The second piece is made when the first has been read.
        for text in ["one", "two"] {
            continuation.yield(Data(text.utf8))
            #expect(try await iterator.next().map { String(decoding: $0, as: UTF8.self) } == text)
        }
        continuation.finish()
        #expect(try await iterator.next() == nil)
    }

    @Test func aResponseThatBreaksOffThrows() async throws {
        let (_, body) = try await send(
            ScriptedTransport(.pieces([Data("part".utf8)], failure: NetworkClientError(.connectionLost, "gone"))))
        let error = try await #require(throws: NetworkClientError.self) { _ = try await self.text(body) }
        #expect(error.code == .connectionLost)
    }

    @Test func aFailureIsTheClientsError() async throws {
        let error = try await #require(throws: NetworkClientError.self) {
            _ = try await self.send(ScriptedTransport(.failure(.cannotConnect)))
        }
        #expect(error.code == .cannotConnect)
        #expect(error.exchange?.attempts.count == 1)
    }
}
