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

struct OpenAPIMiddlewareTests {
    private typealias Continuation = @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)

    /// A middleware of the runtime, made of a function.
    private struct Middleware: ClientMiddleware {
        let action:
            @Sendable (HTTPRequest, HTTPBody?, URL, String, Continuation) async throws -> (HTTPResponse, HTTPBody?)

        func intercept(
            _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
            next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
        ) async throws -> (HTTPResponse, HTTPBody?) {
            try await withoutActuallyEscaping(next) { try await action(request, body, baseURL, operationID, $0) }
        }
    }

    private let base = URL(string: "https://api.example/v1")!

    private func send(
        body: HTTPBody? = nil, _ transport: ScriptedTransport, _ middleware: [any NetworkMiddleware]
    ) async throws -> (HTTPResponse, HTTPBody?) {
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: base, transport: transport, middleware: middleware, clock: VirtualClock()))
        return try await StrataClientTransport(client: client).send(
            HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/pets?x=1"), body: body, baseURL: base,
            operationID: "addPet")
    }

    private func text(_ body: HTTPBody?) async throws -> String {
        guard let body else { return "" }
        return String(decoding: try await Data(collecting: body, upTo: 1 << 20), as: UTF8.self)
    }

    @Test func itSeesTheRequestOfTheGeneratedClient() async throws {
        let seen = Mutex<[String]>([])
        let base = base
        let middleware = OpenAPIMiddleware(
            Middleware { request, body, baseURL, operation, next in
                seen.withLock { $0.append("\(operation) \(request.method) \(request.path ?? "") \(baseURL == base)") }
                var request = request
                request.headerFields[.authorization] = "Bearer x"
                return try await next(request, body, baseURL)
            })
        let transport = ScriptedTransport(.text("made", status: 201))
        let (response, body) = try await send(body: HTTPBody("pet"), transport, [middleware])
        #expect(response.status.code == 201)
        #expect(try await text(body) == "made")
        #expect(seen.withLock(\.self) == ["addPet POST /pets?x=1 true"])
        let request = try #require(transport.requests.first)
        #expect(request.url == "https://api.example/v1/pets?x=1")
        #expect(request.text == "pet" && request["Authorization"] == "Bearer x")
    }

    @Test func itRunsForEachAttemptInsideOfRetries() async throws {
        let count = Mutex(0)
        let middleware = OpenAPIMiddleware(
            Middleware { request, body, url, _, next in
                count.withLock { $0 += 1 }
                return try await next(request, body, url)
            })
        let transport = ScriptedTransport(.status(503), .text("yes"))
        let retry = RetryMiddleware(condition: .status(503))
        _ = try await send(body: HTTPBody("pet"), transport, [retry, middleware])
        #expect(count.withLock(\.self) == 2)
        #expect(transport.requests.map(\.text) == ["pet", "pet"])
    }

    @Test func itMayAnswerByItself() async throws {
        let middleware = OpenAPIMiddleware(
            Middleware { _, _, _, _, _ in (HTTPResponse(status: .ok), HTTPBody("from memory")) })
        let transport = ScriptedTransport(.text("from the server"))
        #expect(try await text(send(transport, [middleware]).1) == "from memory")
        #expect(transport.requests.isEmpty)
    }

    @Test func itMayReplaceBodies() async throws {
        let middleware = OpenAPIMiddleware(
            Middleware { request, body, url, _, next in
                let data = try await Data(collecting: body ?? HTTPBody(), upTo: 100)
                let (response, reply) = try await next(request, HTTPBody(data + data), url)
                let text = try await Data(collecting: reply ?? HTTPBody(), upTo: 100)
                return (response, HTTPBody(Data("<".utf8) + text + Data(">".utf8)))
            })
        let transport = ScriptedTransport(.text("reply"))
        let (_, body) = try await send(body: HTTPBody("ab"), transport, [middleware])
        #expect(try await text(body) == "<reply>")
        #expect(transport.requests.first?.text == "abab")
    }

    @Test func aFurtherCallIsAnAttempt() async throws {
        let record = Mutex<ExchangeRecord?>(nil)
        let watch = InterceptorMiddleware { request, next in
            let response = try await next(request)
            record.withLock { $0 = response.exchange }
            return response
        }
        let middleware = OpenAPIMiddleware(
            Middleware { request, body, url, _, next in
                let first = try await next(request, body, url)
                return first.0.status.code == 401 ? try await next(request, body, url) : first
            })
        let transport = ScriptedTransport(.status(401), .text("yes"))
        #expect(try await text(send(body: HTTPBody("a"), transport, [watch, middleware]).1) == "yes")
        let reasons = record.withLock { $0?.attempts.map(\.reason) }
        #expect(reasons?.count == 2)
        #expect(reasons?.first == .first)
        #expect(reasons?.last.map { "\($0)" }?.contains("Middleware") == true)
    }

    @Test func aStreamGoesThroughUntouched() async throws {
        let body = HTTPBody(
            AsyncStream {
                $0.yield(Data("once".utf8))
                $0.finish()
            }, length: .unknown, iterationBehavior: .single)
        let middleware = OpenAPIMiddleware(
            Middleware { request, body, url, _, next in
                #expect(body?.iterationBehavior == .single)
                return try await next(request, body, url)
            })
        let transport = ScriptedTransport(.text("ok"))
        #expect(try await text(send(body: body, transport, [middleware, middleware]).1) == "ok")
        #expect(transport.requests.first?.text == "once")
    }

    @Test func aRequestOfNoGeneratedClientHasItsOriginForABase() async throws {
        let seen = Mutex("")
        let middleware = OpenAPIMiddleware(
            Middleware { request, body, url, operation, next in
                seen.withLock { $0 = "[\(operation)] \(url.absoluteString) \(request.path ?? "")" }
                return try await next(request, body, url)
            })
        let transport = ScriptedTransport(.json("1"))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: base, transport: transport, middleware: [middleware]))
        let value: Int = try await client.get("pets/1")
        #expect(value == 1)
        #expect(seen.withLock(\.self) == "[] https://api.example /v1/pets/1")
        #expect(transport.requests.first?.url == "https://api.example/v1/pets/1")
    }

    @Test func anErrorIsHandedOn() async throws {
        struct Refused: Error {}
        let middleware = OpenAPIMiddleware(Middleware { _, _, _, _, _ in throw Refused() })
        await #expect(throws: (any Error).self) { _ = try await self.send(ScriptedTransport(.text("")), [middleware]) }
    }
}
