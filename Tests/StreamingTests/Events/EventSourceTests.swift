// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct EventSourceTests {
    let request = PlainRequest(path: "events", method: .get)

    // MARK: Reconnection

    @Test func aBodyThatEndsIsFollowedByTheNextConnection() async throws {
        let transport = ScriptedTransport(
            .events("id: abc\ndata: Hello\n\n"), .events("data: World\n\n"), .status(204))
        let clock = VirtualClock()
        let events = try await source(transport, clock: clock).all()
        #expect(events.map(\.data) == ["Hello", "World"])
        #expect(events.map(\.lastEventID) == ["abc", "abc"])
        #expect(transport.requests.map { $0["last-event-id"] } == [nil, "abc", "abc"])
        #expect(transport.requests.map { $0["accept"] } == Array(repeating: "text/event-stream", count: 3))
        #expect(transport.requests.map { $0["cache-control"] } == Array(repeating: "no-store", count: 3))
        #expect(clock.sleeps == [.seconds(3), .seconds(3)])
    }

    @Test(arguments: [
        NetworkClientError(.connectionLost, "reset"), NetworkClientError(.protocolViolation, "bad chunk"),
        NetworkClientError.timedOut(.idle, after: .seconds(60)),
    ])
    func aBodyThatBreaksIsFollowedByTheNextConnection(_ failure: NetworkClientError) async throws {
        let transport = ScriptedTransport(
            .events("id: 1\ndata: a\n\n", failure: failure), .events("data: b\n\n"), .status(204))
        #expect(try await source(transport).all().map(\.data) == ["a", "b"])
        #expect(transport.requests.map { $0["last-event-id"] } == [nil, "1", "1"])
    }

    @Test(arguments: [NetworkClientError.Code.cannotConnect, .dnsFailed, .connectionLost])
    func aConnectionThatCannotBeOpenedIsTriedAgain(_ code: NetworkClientError.Code) async throws {
        let transport = ScriptedTransport(.failure(code), .failure(code), .events("data: a\n\n"), .status(204))
        let clock = VirtualClock()
        #expect(try await source(transport, clock: clock).all().map(\.data) == ["a"])
        #expect(clock.sleeps == [.seconds(3), .seconds(6), .seconds(3)])
    }

    @Test func nothingOfAnUnfinishedEventSurvives() async throws {
        let transport = ScriptedTransport(
            .events("id: abc\ndata: Hello\n\nid: def\nevent: x\nretry: 1\ndata: Good"),
            .events("bye\ndata: We meet again\n\n"), .status(204))
        let clock = VirtualClock()
        let events = try await source(transport, clock: clock).all()
        #expect(events.map(\.data) == ["Hello", "We meet again"])
        #expect(events.map(\.type) == ["message", "message"])
        #expect(transport.requests.map { $0["last-event-id"] } == [nil, "abc", "abc"])
        // The reconnection time holds from its line on, also when the event is never finished.
        #expect(clock.sleeps == [.milliseconds(1), .milliseconds(1)])
    }

    @Test func eachConnectionMayBeginWithAByteOrderMarkOrALineFeed() async throws {
        let transport = ScriptedTransport(
            .events("\u{FEFF}data: 1\r\r"), .events("\u{FEFF}data: 2\n\n"), .events("\ndata: 3\n\n"), .status(204))
        #expect(try await source(transport).all().map(\.data) == ["1", "2", "3"])
    }

    @Test func anIdentifierWithoutAnEventCounts() async throws {
        let transport = ScriptedTransport(.events("id: 1\n\n"), .events("id:\n\n"), .status(204))
        #expect(try await source(transport).all().isEmpty)
        #expect(transport.requests.map { $0["last-event-id"] } == [nil, "1", nil])
    }

    @Test func theIdentifierGoesBackToTheByte() async throws {
        let identifier = "\u{2026} e\u{301} \u{1} x"
        let transport = ScriptedTransport(.events("id: \(identifier)\ndata: a\n\n"), .status(204))
        #expect(try await source(transport).all().map(\.lastEventID) == [identifier])
        let sent = try #require(
            transport.requests.last?.head.headerFields[fields: HTTPField.Name("Last-Event-ID")!].first)
        #expect(sent.withUnsafeBytesOfValue { Array($0) } == Array(identifier.utf8))
    }

    @Test func goesOnFromTheIdentifierThatItIsGiven() async throws {
        let transport = ScriptedTransport(.events("data: a\n\n"), .status(204))
        let client = NetworkClient(transport)
        let events = try await client.eventSource(for: request, lastEventID: "41", reconnection: .exact).all()
        #expect(events.map(\.lastEventID) == ["41"])
        #expect(transport.requests.map { $0["last-event-id"] } == ["41", "41"])

        var request = request
        request.additionalHeaders = ["last-event-id": "7"]
        #expect(try await client.eventSource(for: request).all().isEmpty)
        #expect(transport.requests.last?["last-event-id"] == "7")

        // A server that takes the identifier back takes back the request's own, too.
        let forgetful = ScriptedTransport(.events("id:\ndata: a\n\n"), .status(204))
        #expect(try await NetworkClient(forgetful).eventSource(for: request).all().map(\.lastEventID) == [""])
        #expect(forgetful.requests.map { $0["last-event-id"] } == ["7", nil])
    }

    @Test(arguments: ["1\n2", "1\r\nX-Evil: 1", "1\u{0}2"])
    func anIdentifierThatNoFieldCanHoldIsRefused(_ identifier: String) {
        let transport = ScriptedTransport(.status(204))
        let error = #expect(throws: NetworkClientError.self) {
            _ = try NetworkClient(transport).eventSource(for: request, lastEventID: identifier)
        }
        #expect(error?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test func eachConnectionGoesThroughTheMiddleware() async throws {
        final class Tokens: NetworkMiddleware {
            private let count = Mutex(0)
            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                var request = request
                request.head.headerFields[.authorization] = "Bearer \(count.withLock { $0 += 1; return $0 })"
                return try await next(request)
            }
        }
        let transport = ScriptedTransport(.events("data: a\n\n"), .events("data: b\n\n"), .status(204))
        let client = NetworkClient(transport, middleware: [Tokens()])
        #expect(try await client.eventSource(for: request).all().count == 2)
        #expect(transport.requests.map { $0["authorization"] } == ["Bearer 1", "Bearer 2", "Bearer 3"])
    }

    @Test func aRedirectIsFollowedAndTheNextConnectionStartsOver() async throws {
        let transport = ScriptedTransport(
            .redirect(301, to: "/other"), .events("id: 1\ndata: a\n\n"), .redirect(307, to: "/third"), .status(204))
        #expect(try await source(transport).all().map(\.data) == ["a"])
        #expect(transport.requests.map(\.path) == ["/events", "/other", "/events", "/third"])
        #expect(transport.requests.map { $0["last-event-id"] } == [nil, nil, "1", "1"])
        #expect(transport.requests.allSatisfy { $0["accept"] == "text/event-stream" })
    }

    // MARK: Waiting

    @Test func theServerSaysHowLongToWait() async throws {
        let transport = ScriptedTransport(
            .events("retry: 800\n\n", "data: a\n\n"), .events("data: b\n\n"), .events("retry: 0\ndata: c\n\n"),
            .status(204))
        let clock = VirtualClock()
        _ = try await source(transport, clock: clock).all()
        #expect(clock.sleeps == [.milliseconds(800), .milliseconds(800)])
    }

    @Test func theWaitDoublesUntilThereIsAnEvent() async throws {
        var policy = ReconnectionPolicy.exact
        policy.initialDelay = .seconds(1)
        policy.maximumDelay = .seconds(5)
        let transport = ScriptedTransport(
            .events(": connected\n\n"), .failure(.cannotConnect), .events(), .failure(.timedOut),
            .events("data: a\n\n"),
            .events(), .events(), .status(204))
        let clock = VirtualClock()
        let waits = Recorder<ReconnectionPolicy.Reconnection>()
        policy.onReconnect = { waits.add($0) }
        #expect(try await source(transport, clock: clock, policy: policy).all().count == 1)
        #expect(clock.sleeps == [1, 2, 4, 5, 1, 1, 2].map { .seconds($0) })
        #expect(waits.all.map(\.delay) == clock.sleeps)
        #expect(waits.all.map(\.failures) == [1, 2, 3, 4, 0, 1, 2])
        #expect(
            waits.all.map { ($0.cause as? NetworkClientError)?.code }
                == [nil, .cannotConnect, nil, .timedOut, nil, nil, nil])
    }

    @Test func theClientsTimeoutsForAStreamHold() async throws {
        let transport = ScriptedTransport(.events("data: a\n\n"), .status(204))
        var configuration = NetworkClient(transport).configuration
        configuration.options.timeouts = Timeouts(idle: .seconds(15), attempt: .seconds(1), deadline: .seconds(2))
        _ = try await NetworkClient(configuration: configuration).eventSource(for: request).all()
        #expect(transport.requests.map(\.options.timeouts) == Array(repeating: Timeouts(idle: .seconds(15)), count: 2))
    }

    // MARK: Methods other than GET

    @Test func aPostIsNotRepeatedUnlessToldTo() async throws {
        let transport = ScriptedTransport(.events("data: a\n\n"))
        let client = NetworkClient(transport)
        let request = NetworkRequest<[Int], VoidResponse>(path: "run", method: .post, body: [1])
        #expect(try await client.eventSource(for: request).all().map(\.data) == ["a"])
        #expect(transport.requests.count == 1)

        let broken = ScriptedTransport(.events("data: a\n\n", failure: NetworkClientError(.connectionLost, "reset")))
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await NetworkClient(broken).eventSource(for: request).all()
        }
        #expect(error?.code == .connectionLost)
        #expect(broken.requests.count == 1)
    }

    @Test func aPostIsRepeatedWithItsBodyWhenToldTo() async throws {
        var policy = ReconnectionPolicy.exact
        policy.scope = .everyMethod
        let transport = ScriptedTransport(.events("id: 1\ndata: a\n\n"), .events("data: b\n\n"), .status(204))
        let request = NetworkRequest<[Int], VoidResponse>(path: "run", method: .post, body: [1])
        let source = try NetworkClient(transport).eventSource(for: request, reconnection: policy)
        #expect(try await source.all().map(\.data) == ["a", "b"])
        #expect(transport.requests.map(\.text) == ["[1]", "[1]", "[1]"])
        #expect(transport.requests.map { $0["last-event-id"] } == [nil, "1", "1"])
    }

    @Test func aBodyThatCanBeSentOnceCannotBeRepeated() throws {
        var policy = ReconnectionPolicy.exact
        policy.scope = .everyMethod
        let body = RequestBody.stream(from: AsyncStream<Data> { $0.finish() })
        let request = NetworkRequest<RequestBody, VoidResponse>(path: "run", method: .post, body: body)
        let error = #expect(throws: NetworkClientError.self) {
            _ = try NetworkClient(ScriptedTransport()).eventSource(for: request, reconnection: policy)
        }
        #expect(error?.code == .bodyNotReplayable)
        _ = try NetworkClient(ScriptedTransport()).eventSource(for: request)
    }

    @Test func anUnfinishedEventIsKeptOnlyWhereNoConnectionFollows() async throws {
        var options = ServerSentEvents.Options()
        options.keepsUnfinishedEvent = true
        let post = NetworkRequest<[Int], VoidResponse>(path: "run", method: .post, body: [1])
        let once = NetworkClient(ScriptedTransport(.events("data: a\n\ndata: b")))
        #expect(try await once.eventSource(for: post, options: options).all().map(\.data) == ["a", "b"])

        let again = NetworkClient(
            ScriptedTransport(.events("data: a\n\ndata: b"), .events("data: b\n\n"), .status(204)))
        let source = try again.eventSource(for: request, reconnection: .exact, options: options)
        #expect(try await source.all().map(\.data) == ["a", "b"])
    }

    @Test func aGetCanBeToldNotToReconnect() async throws {
        var policy = ReconnectionPolicy.exact
        policy.scope = .never
        let transport = ScriptedTransport(.events("data: a\n\n"))
        #expect(try await source(transport, policy: policy).all().count == 1)
        #expect(transport.requests.count == 1)
    }

    // MARK: State

    @Test func theStatesAreThoseOfTheStandard() async throws {
        let transport = ScriptedTransport(
            .failure(.cannotConnect), .events("data: a\n\n"), .events("data: b\n\n"), .status(204))
        let source = try source(transport)
        let states = source.states
        #expect(source.state == .connecting)
        for try await _ in source { #expect(source.state == .open) }
        #expect(source.state == .closed)
        var seen: [EventSource.State] = []
        for await state in states { seen.append(state) }
        #expect(seen == [.connecting, .open, .connecting, .open, .connecting, .closed])
        var late: [EventSource.State] = []
        for await state in source.states { late.append(state) }
        #expect(late == [.closed])
    }

    @Test(.timeLimit(.minutes(10))) func theStatesEndWithASourceThatIsNeverRead() async throws {
        let states = try source(ScriptedTransport()).states
        var seen: [EventSource.State] = []
        for await state in states { seen.append(state) }
        #expect(seen == [.connecting, .closed])
    }

    @Test func nothingIsSentBeforeItIsRead() async throws {
        let transport = ScriptedTransport(.status(204))
        let source = try source(transport)
        #expect(transport.requests.isEmpty)
        #expect(try await source.all().isEmpty)
        #expect(transport.requests.count == 1)
    }

    @Test func hasOneReader() async throws {
        let source = try source(ScriptedTransport(.events("data: a\n\n"), .status(204)))
        var first = source.makeAsyncIterator()
        #expect(try await first.next()?.data == "a")
        let error = await #expect(throws: NetworkClientError.self) { _ = try await source.all() }
        #expect(error?.code == .bodyAlreadyConsumed)
        // The second reader's end is not the stream's.
        #expect(source.state == .open)
        #expect(try await first.next() == nil)
    }

    // MARK: Models

    @Test func eventsAreDecodedAcrossConnectionsUntilTheMark() async throws {
        let transport = ScriptedTransport(
            .events("id: 1\ndata: 1\n\n"), .events("id: 2\ndata: 2\n\ndata: [DONE]\n\ndata: 3\n\n"))
        let source = try source(transport)
        #expect(try await source.decoding(Int.self, until: "[DONE]").all() == [1, 2])
        #expect(source.state == .closed)
        #expect(transport.requests.count == 2)
    }

    @Test func theRequestsDecoderWins() async throws {
        var request = request
        let lenient = JSONDecoder()
        lenient.allowsJSON5 = true
        request.decoder = JSONKeyPathDecoder("v", decoder: lenient)
        let transport = ScriptedTransport(.events("data: {\"v\":1}\n\n"), .json("{v:'gone'}", status: 404))
        let source = try NetworkClient(transport).eventSource(for: request, reconnection: .exact)
        var iterator = source.decoding(Int.self).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(try error?.decode([String: String].self) == ["v": "gone"])
    }

    @Test func aRequiredMarkIsOnlyMissedInABodyThatEnds() async throws {
        let end = EventStreamEnd.data("[DONE]", isRequired: true)
        let refused = try source(ScriptedTransport(.events("data: 1\n\n"), .status(204)))
        #expect(try await refused.decoding(Int.self, until: end).all() == [1])

        var policy = ReconnectionPolicy.exact
        policy.scope = .never
        let ended = try source(ScriptedTransport(.events("data: 1\n\n")), policy: policy)
        var iterator = ended.decoding(Int.self, until: end).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.code == .connectionLost)
        #expect(try await iterator.next() == nil)
    }

    @Test func dataThatIsNoModelIsFinal() async throws {
        let source = try source(ScriptedTransport(.events("data: 1\n\ndata: x\n\n")))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await source.decoding(Int.self).all() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.body == Data("x".utf8))
        #expect(source.state == .closed)
    }

    @Test(arguments: ["retry: 0", "retry: 1"]) func aServerThatAsksForNoWaitIsNotAskedInALoop(field: String)
        async throws
    {
        let transport = ScriptedTransport(
            (0..<100).map { _ in ScriptedReply.events("\(field)\ndata: a\n\n") } + [.status(204)])
        let clock = VirtualClock()
        #expect(try await source(transport, clock: clock).all().count == 100)
        #expect(clock.now > .seconds(270))
    }

    @Test func aConnectionThatLastsForgetsTheBriefOnes() async throws {
        let clock = VirtualClock()
        let brief = (0..<5).map { _ in ScriptedReply.events("retry: 0\ndata: a\n\n") }
        let lasting = ScriptedReply.events(from: QuietSource(clock, lastingFor: .seconds(2), failure: nil))
        let transport = ScriptedTransport(brief + [lasting] + brief.prefix(2) + [.status(204)])
        _ = try await source(transport, clock: clock).all()
        #expect(clock.sleeps == [.milliseconds(500), .seconds(1)])
    }
}
