// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

struct ServerSentEventsTests {
    private let request = PlainRequest(path: "events", method: .get)

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func areTheEventsOfTheBody(_ rechunking: Rechunking) async throws {
        let reply = ScriptedReply.events("event: add\r\nid: 7\r\nretry: 10\r\ndata: a\r\n\r\n", "data: b\n\ndata: lost")
        for reply in reply.rechunked(rechunking) {
            let events = try await NetworkClient(ScriptedTransport(reply)).events(for: request)
            #expect(events.response.status == .ok)
            #expect(
                try await events.all() == [
                    ServerSentEvent(type: "add", data: "a", id: "7", retry: .milliseconds(10)),
                    ServerSentEvent(data: "b", lastEventID: "7"),
                ])
        }
    }

    // MARK: The request

    @Test func areAskedForByAnyMethodThroughTheMiddleware() async throws {
        struct Tag: NetworkMiddleware {
            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                var request = request
                request.head.headerFields[.userAgent] = "tagged"
                return try await next(request)
            }
        }
        let transport = ScriptedTransport(.events("data: 1\n\n"))
        let request = NetworkRequest<[String: Bool], VoidResponse>(path: "chat", method: .post, body: ["stream": true])
        let events = try await NetworkClient(transport, middleware: [Tag()]).events(for: request)
        #expect(try await events.all().map(\.data) == ["1"])
        let sent = try #require(transport.requests.first)
        #expect(sent.method == .post)
        #expect(sent.text == #"{"stream":true}"#)
        #expect(sent["accept"] == "text/event-stream")
        #expect(sent["cache-control"] == "no-store")
        #expect(sent["content-type"] == "application/json")
        #expect(sent["user-agent"] == "tagged")
        #expect(sent["last-event-id"] == nil)
        #expect(sent.options.delivery == .eventStream)
    }

    @Test func whatTheRequestSaysItselfStays() async throws {
        let transport = ScriptedTransport(.events("data: 1\n\n"))
        let request = PlainRequest(
            path: "chat", method: .get, additionalHeaders: ["accept": "*/*"], headerFields: [.cacheControl: "no-cache"])
        _ = try await NetworkClient(transport).events(for: request)
        #expect(transport.requests.first?["accept"] == "*/*")
        #expect(transport.requests.first?["cache-control"] == "no-cache")
    }

    @Test func theClientsLimitsOnAWholeResponseDoNotHold() async throws {
        let transport = ScriptedTransport(.events("data: 12345678\n\n"))
        var configuration = NetworkClient(transport).configuration
        configuration.options.timeouts = Timeouts(
            connect: .seconds(1), idle: .seconds(2), attempt: .seconds(3), deadline: .seconds(4))
        configuration.options.maximumResponseBytes = 4
        let client = NetworkClient(configuration: configuration)
        #expect(try await client.events(for: request).all().count == 1)
        let limited = PlainRequest(path: "events", method: .get) {
            $0.timeouts.deadline = .seconds(5)
            $0.maximumResponseBytes = 4
        }
        let error = await #expect(throws: NetworkClientError.self) { _ = try await client.events(for: limited).all() }
        #expect(error?.code == .bodyTooLarge)
        #expect(
            transport.requests.map(\.options.timeouts) == [
                Timeouts(connect: .seconds(1), idle: .seconds(2)),
                Timeouts(connect: .seconds(1), idle: .seconds(2), deadline: .seconds(5)),
            ])
    }

    // MARK: What is no stream of events

    @Test(arguments: [400, 401, 404, 500, 503])
    func aStatusThrowsFromTheCallWithTheStartOfTheBody(_ status: Int) async throws {
        let reply = ScriptedReply.pieces(
            [Data(#"{"error":"#.utf8), Data(#""busy"}"#.utf8)], status: status,
            fields: [.contentType: "application/json"])
        let client = NetworkClient(ScriptedTransport(reply))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await client.events(for: request) }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.status.code == status)
        #expect(try error?.decode([String: String].self) == ["error": "busy"])
    }

    @Test(arguments: ["text/html", "application/json", "text/event-streamx", "x-text/event-stream", "text", "", nil])
    func anotherTypeThrowsFromTheCallWithTheStartOfTheBody(_ contentType: String?) async throws {
        let source = PiecesSource([Data(repeating: 0x61, count: 100_000), Data("more".utf8)])
        let transport = ScriptedTransport(
            .source(fields: contentType.map { [.contentType: $0] } ?? [:]) { source })
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await NetworkClient(transport).events(for: request)
        }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.body?.count == 64 * 1024)
        #expect(error?.exchange?.attempts.count == 1)
        #expect(source.isCancelled)
    }

    @Test(arguments: [
        "text/event-stream", "text/event-stream;", "Text/Event-Stream; charset=utf-8",
        "text/event-stream;charset=windows-1252",
        " text/event-stream ; x=y",
    ])
    func parametersAndCaseOfTheTypeDoNotMatter(_ contentType: String) async throws {
        let client = NetworkClient(ScriptedTransport(.stream("data: ok\u{2026}\n\n", contentType)))
        #expect(try await client.events(for: request).all().map(\.data) == ["ok\u{2026}"])
    }

    @Test(arguments: [204, 205]) func noContentIsAStreamWithoutEvents(_ status: Int) async throws {
        #expect(try await NetworkClient(ScriptedTransport(.status(status))).events(for: request).all() == [])
    }

    // MARK: Pulling

    @Test func aPieceIsPulledWhenItsEventsAreUsedUp() async throws {
        let source = PiecesSource([
            Data("data: 1\n\ndata: 2\n\ndata".utf8), Data(": 3\n\n".utf8), Data("data: 4\n\n".utf8),
        ])
        let events = try await NetworkClient(ScriptedTransport(.events(from: source))).events(for: request)
        #expect(source.remaining == 3)
        var iterator = events.makeAsyncIterator()
        var remaining: [Int] = []
        while try await iterator.next() != nil { remaining.append(source.remaining) }
        #expect(remaining == [2, 2, 1, 0])
        #expect(!source.isCancelled)
    }

    @Test func leavingTheLoopCancelsTheTransferAtOnce() async throws {
        let source = PiecesSource([Data("data: 1\n\ndata: 2\n\n".utf8), Data("data: 3\n\n".utf8)])
        let events = try await NetworkClient(ScriptedTransport(.events(from: source))).events(for: request)
        for try await event in events where event.data == "1" { break }
        #expect(source.isCancelled)
        // The response is still held here: it is the end of the loop that counted.
        #expect(events.response.status == .ok)
    }

    @Test func droppingThemUnreadCancelsTheTransfer() async throws {
        let source = PiecesSource([Data("data: 1\n\n".utf8)])
        let client = NetworkClient(ScriptedTransport(.events(from: source)))
        _ = try await client.events(for: request)
        #expect(source.isCancelled)
    }

    @Test func canBeReadOnce() async throws {
        let events = try await NetworkClient(ScriptedTransport(.events("data: 1\n\n"))).events(for: request)
        #expect(try await events.all().count == 1)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await events.all() }
        #expect(error?.code == .bodyAlreadyConsumed)
    }

    // MARK: The end

    @Test func aBodyThatIsCutOffThrowsBehindItsEvents() async throws {
        let failure = NetworkClientError(.connectionLost, "cut off")
        let client = NetworkClient(ScriptedTransport(.events("data: 1\n\ndata: 2\n", failure: failure)))
        var iterator = try await client.events(for: request).makeAsyncIterator()
        #expect(try await iterator.next()?.data == "1")
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.code == .connectionLost)
        #expect(error?.response?.status == .ok)
        #expect(try await iterator.next() == nil)
    }

    @Test func anUnfinishedEventCountsWhenTold() async throws {
        var options = ServerSentEvents.Options()
        options.keepsUnfinishedEvent = true
        let client = NetworkClient(ScriptedTransport(.events("data: 1\n\ndata: 2")))
        #expect(try await client.events(for: request, options: options).all().map(\.data) == ["1", "2"])
        #expect(try await client.events(for: request).all().map(\.data) == ["1"])
    }

    @Test func anEventOverTheLimitThrowsAndCancels() async throws {
        var options = ServerSentEvents.Options()
        options.maximumEventSize = 16
        let source = PiecesSource([Data("data: 1\n\ndata: 345678901234567\n\n".utf8), Data("data: 3\n\n".utf8)])
        let client = NetworkClient(ScriptedTransport(.events(from: source)))
        var iterator = try await client.events(for: request, options: options).makeAsyncIterator()
        #expect(try await iterator.next()?.data == "1")
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.exchange?.attempts.count == 1)
        #expect(source.isCancelled)
        #expect(try await iterator.next() == nil)
    }
}
