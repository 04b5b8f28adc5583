// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import InMemoryTracing
import MiddlewareSupport
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataObservability
import StrataTesting
import TestSupport
import Testing
import Tracing

struct TracingMiddlewareTests {
    private let tracer = InMemoryTracer()

    private var call: TracingMiddleware { TracingMiddleware(tracer: tracer) }
    private var attempt: TracingMiddleware { TracingMiddleware(scope: .attempt, tracer: tracer) }

    /// The attributes of the finished spans, which are searched for secrets.
    private var spans: [SpanView] { tracer.finishedSpans.map(SpanView.init) }

    @Test func oneSpanACallAndOneAnAttempt() async throws {
        let transport = ScriptedTransport(.status(503), .failure(.connectionLost), .status(200))
        let client = makeClient(transport, call, RetryMiddleware(backoff: .none), attempt)
        _ = try await client.call(.get, "/a")
        let spans = spans
        #expect(spans.map(\.kind) == [.client, .client, .client, .internal])
        #expect(spans.prefix(3).map(\.parent) == Array(repeating: spans[3].id, count: 3))
        #expect(Set(spans.map(\.trace)).count == 1)
        #expect(spans.map { $0["http.request.resend_count"] } == [nil, "1", "2", nil])
        #expect(spans.map { $0["http.response.status_code"] } == ["503", nil, "200", "200"])
        #expect(spans.map { $0["error.type"] } == ["503", "connectionLost", nil, nil])
        #expect(spans.map(\.isError) == [true, true, false, false])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func hasTheStableAttributes() async throws {
        struct Metered: NetworkTransport {
            let capabilities = TransportCapabilities(name: "metered", features: ScriptedTransport.allFeatures)
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                var metrics = TransportMetrics()
                metrics.httpVersion = "HTTP/2"
                metrics.remoteAddress = "192.0.2.7"
                return TransportResponse(head: HTTPResponse(status: .ok), metrics: metrics)
            }
        }
        let client = makeClient(Metered(), call, attempt)
        let id = 7
        _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: "users/\(id)", method: .get))
        let attributes = spans.map(\.attributes)
        #expect(
            attributes[0] == [
                "http.request.method": "GET", "server.address": "api.example", "server.port": "443",
                "url.full": "https://api.example/users/7", "url.template": "/users/{}",
                "http.response.status_code": "200", "network.protocol.version": "2",
                "network.peer.address": "192.0.2.7",
            ])
        #expect(
            attributes[1] == [
                "http.request.method": "GET", "server.address": "api.example", "server.port": "443",
                "url.full": "https://api.example/users/7", "url.template": "/users/{}",
                "http.response.status_code": "200",
            ])
        #expect(spans.map(\.name) == ["GET /users/{}", "GET /users/{}"])
        #expect(spans[0].types["server.port"] == "Int64" && spans[0].types["http.response.status_code"] == "Int64")
    }

    @Test(arguments: [
        ("https://api.example/", "api.example", "443"), ("http://api.example/", "api.example", "80"),
        ("http://API.example:8080/", "api.example", "8080"), ("https://[2001:db8::1]/", "2001:db8::1", "443"),
        ("https://[::1]:8443/", "::1", "8443"),
    ])
    func theServerIsNamedWithItsPort(url: String, address: String, port: String) async throws {
        _ = try await makeClient(ScriptedTransport(), attempt).call(.get, url)
        #expect(spans[0]["server.address"] == address && spans[0]["server.port"] == port)
    }

    @Test func unknownMethodsAreOther() async throws {
        let client = makeClient(ScriptedTransport(), attempt)
        for name in ["PURGE", "get", "QUERY", "PATCH"] { _ = try await client.call(try #require(HTTPMethod(name))) }
        #expect(spans.map { $0["http.request.method"] } == ["_OTHER", "_OTHER", "QUERY", "PATCH"])
        #expect(spans.map { $0["http.request.method_original"] } == ["PURGE", "get", nil, nil])
        #expect(spans.map(\.name) == ["HTTP", "HTTP", "QUERY", "PATCH"])
    }

    @Test func aRedirectIsAnAttemptOfItsOwn() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://b.example:81/x"), .status(200))
        _ = try await makeClient(transport, call, attempt).call(.get, "/a") { $0.urlTemplate = "/{name}" }
        #expect(spans.map { $0["server.address"] } == ["api.example", "b.example", "api.example"])
        #expect(spans.map { $0["server.port"] } == ["443", "81", "443"])
        #expect(spans.map { $0["url.template"] } == ["/{name}", nil, "/{name}"])
        #expect(spans[1]["http.request.resend_count"] == "1")
    }

    // MARK: The end of a span

    @Test func aStreamEndsItsSpanWithItsBody() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("a".utf8), Data("b".utf8)])), call, attempt)
        let response = try await client.call()
        #expect(tracer.activeSpans.count == 2 && spans.isEmpty)
        _ = try await response.body.collect()
        #expect(tracer.activeSpans.isEmpty && spans.count == 2)
    }

    @Test func aDroppedBodyEndsItsSpanOnce() async throws {
        let client = makeClient(ScriptedTransport(.pieces([Data("a".utf8)])), call, attempt)
        _ = try await client.call()
        #expect(tracer.activeSpans.isEmpty && spans.count == 2)
        #expect(spans.allSatisfy { $0["error.type"] == nil })
        let response = try await client.call()
        response.body.cancel()
        response.body.cancel()
        await #expect(throws: CancellationError.self) { try await response.body.collect() }
        #expect(spans.count == 4)
    }

    @Test func aBodyThatBreaksOffIsAFailure() async throws {
        let broken = ScriptedReply.pieces([Data("a".utf8)], failure: NetworkClientError(.connectionLost, "lost"))
        let response = try await makeClient(ScriptedTransport(broken), attempt).call()
        await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
        #expect(spans.map { $0["error.type"] } == ["connectionLost"] && spans[0].isError)
        #expect(spans[0]["http.response.status_code"] == "200")
    }

    @Test func aCancelledCallEndsItsSpans() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _ in
            await gate.pass()
            return .status(200)
        }
        let client = makeClient(transport, call, attempt)
        let running = Task { try await client.call() }
        await gate.waitForArrivals(1)
        running.cancel()
        await gate.open()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(spans.map { $0["error.type"] } == ["cancelled", "cancelled"])
        #expect(spans.allSatisfy { !$0.isError } && tracer.activeSpans.isEmpty)
    }

    @Test func errorsAreNamedByTheirTypeAlone() async throws {
        struct Custom: Error { let text = Secret.token }
        let failures: [any Error] = [
            NetworkClientError(.dnsFailed, "x"), NetworkClientError.timedOut(.attempt), Custom(),
        ]
        for failure in failures {
            _ = try? await NetworkClient(
                configuration: .init(transport: ScriptedTransport(.failure(failure)), middleware: [attempt])
            ).call(.get, "https://api.example/")
        }
        #expect(spans.map { $0["error.type"] }.prefix(2) == ["dnsFailed", "timedOut"])
        #expect(spans[2]["error.type"]?.contains("Custom") == true)
        #expect(spans.allSatisfy { $0.errorCount == 0 })
    }

    @Test func manyCallsHalfOfThemCancelledEndEachSpanOnce() async throws {
        let transport = ScriptedTransport { request in
            if request.number % 3 == 0 { await Task.yield() }
            return request.number % 2 == 0 ? .status(200) : .pieces([Data("a".utf8)])
        }
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://api.example"), transport: transport, middleware: [call, attempt]))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let call = Task {
                        let response = try await client.call()
                        if number % 3 == 0 { _ = try await response.body.collect() }
                    }
                    if number % 2 == 0 { call.cancel() }
                    _ = await call.result
                }
            }
        }
        #expect(tracer.activeSpans.isEmpty)
        let finished = tracer.finishedSpans
        #expect(Set(finished.map(\.spanID)).count == finished.count)
        #expect(finished.filter { $0.kind == .internal }.count == 1_000)
    }

    // MARK: Context

    @Test func putsItsContextIntoTheRequest() async throws {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport, call, attempt).call()
        let client = try #require(spans.first { $0.kind == .client })
        #expect(transport.requests[0]["in-memory-span-id"] == client.id)
        #expect(transport.requests[0]["in-memory-trace-id"] == client.trace)
    }

    @Test func continuesTheTraceOfItsCaller() async throws {
        let client = makeClient(ScriptedTransport(), call, attempt)
        let parent = try await tracer.withSpan("handler") { span in
            _ = try await client.call()
            return span.context.inMemorySpanContext
        }
        #expect(Set(spans.map(\.trace)) == [parent?.traceID])
        #expect(spans.first { $0.kind == .internal && $0.name == "GET" }?.parent == parent?.spanID)
    }

    @Test func othersMayBeSparedTheContext() async throws {
        let transport = ScriptedTransport(.redirect(to: "https://other.example/"), .status(200))
        let own = Origin(scheme: "https", host: "api.example")
        let tracing = TracingMiddleware(scope: .attempt, tracer: tracer) { $0.origin == own }
        _ = try await makeClient(transport, tracing).call()
        #expect(transport.requests.map { $0["in-memory-span-id"] != nil } == [true, false])
    }

    @Test func withoutATracerNothingHappens() async throws {
        let transport = ScriptedTransport(.text("ok"))
        let client = makeClient(transport, TracingMiddleware(), TracingMiddleware.attempt)
        #expect(try await client.call().body.collect() == Data("ok".utf8))
        #expect(transport.requests[0].head.headerFields.count == 0)
    }

    // MARK: Secrets and places

    @Test func hasNoSecrets() async throws {
        let marked = InterceptorMiddleware { request, next in
            var request = request
            request.options.sensitiveQueryItems.insert("plain")
            return try await next(request)
        }
        let transport = ScriptedTransport(
            .redirect(to: "/x?sig=\(Secret.token)&page=2"), .failure(NetworkClientError(.connectionLost, "lost")))
        let client = makeClient(
            transport, call, attempt, marked, APIKeyMiddleware(Secret.apiKey, in: .query("k")),
            BearerAuthMiddleware(token: Secret.token))
        _ = try? await client.call(
            .get, "https://me:\(Secret.password)@api.example/a?api_key=\(Secret.apiKey)&plain=\(Secret.cookie)&page=1")
        #expect(spans.count == 3)
        #expect(spans[0]["url.full"] == "https://api.example/a?api_key=***&plain=***&page=1")
        #expect(spans[1]["url.full"] == "https://api.example/x?sig=***&page=2")
    }

    @Test func saysWhereItBelongs() {
        let right = makeClient(ScriptedTransport(), call, RetryMiddleware(), attempt).pipelineReport
        #expect(right.findings.isEmpty, "\(right)")
        let wrong: [[any NetworkMiddleware]] = [
            [RetryMiddleware(), call], [attempt, RetryMiddleware()], [attempt, RedirectMiddleware()],
            [call, TraceparentMiddleware()], [attempt, TraceparentMiddleware()], [TraceparentMiddleware(), attempt],
        ]
        for list in wrong {
            let report = makeClient(ScriptedTransport()) { $0.middleware += list }.pipelineReport
            #expect(!report.findings.isEmpty, "\(report)")
        }
        let both = makeClient(ScriptedTransport(), attempt, TraceparentMiddleware()).pipelineReport
        #expect(both.findings.map(\.fix) == ["Keep one of them."])
    }
}

/// A finished span as texts, all of which have been searched for secrets.
private struct SpanView {
    let name: String
    let kind: SpanKind
    let id: String
    let trace: String
    let parent: String?
    let isError: Bool
    let errorCount: Int
    private(set) var attributes: [String: String] = [:]
    private(set) var types: [String: String] = [:]

    init(_ span: FinishedInMemorySpan) {
        name = span.operationName
        kind = span.kind
        id = span.spanID
        trace = span.traceID
        parent = span.parentSpanID
        isError = span.status?.code == .error
        errorCount = span.errors.count
        var texts = [name, span.status?.message ?? "", "\(span.events)", "\(span.errors)"]
        var (attributes, types) = ([String: String](), [String: String]())
        span.attributes.forEach { name, value in
            let (text, type) =
                switch value {
                case .string(let text): (text, "String")
                case .int64(let number): (String(number), "Int64")
                case .int32(let number): (String(number), "Int64")
                default: ("\(value)", "other")
                }
            attributes[name] = text
            types[name] = type
            texts += [name, text]
        }
        self.attributes = attributes
        self.types = types
        Leaks.check(texts.joined(separator: "\n"), "a span")
    }

    subscript(_ name: String) -> String? { attributes[name] }
}

/// Holds requests back until it is opened.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var observers: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        for observer in observers { observer.resume() }
        observers = []
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for task in waiting { task.resume() }
        waiting = []
    }

    func waitForArrivals(_ count: Int) async {
        if !waiting.isEmpty { return }
        await withCheckedContinuation { observers.append($0) }
    }
}
