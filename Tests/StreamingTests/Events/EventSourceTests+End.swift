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

extension EventSourceTests {
    // MARK: The end

    @Test(arguments: [201, 210, 400, 404, 410, 500, 503])
    func everyOtherStatusIsFinal(_ status: Int) async throws {
        let reply = ScriptedReply.pieces(
            [Data("data: no\n\n".utf8)], status: status, fields: [.contentType: "text/event-stream"])
        let transport = ScriptedTransport(.events("data: a\n\n"), reply)
        let source = try source(transport)
        var iterator = source.makeAsyncIterator()
        #expect(try await iterator.next()?.data == "a")
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.body == Data("data: no\n\n".utf8))
        #expect(source.state == .closed)
        #expect(try await iterator.next() == nil)
        #expect(transport.requests.count == 2)
    }

    /// As a layer does that validates statuses.
    private struct LenientStatus: NetworkMiddleware {
        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            let response = try await next(request)
            request.call?.acceptedStatus = response.head.status.code
            return response
        }
    }

    @Test(arguments: [201, 206]) func everyOtherStatusIsFinalWhateverALayerAccepts(_ status: Int) async throws {
        let transport = ScriptedTransport(.status(status, fields: [.contentType: "text/event-stream"]))
        let client = NetworkClient(transport, middleware: [LenientStatus()])
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await client.eventSource(for: request, reconnection: .exact).all()
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(transport.requests.count == 1)
    }

    @Test func aLayerThatThrowsOtherStatusesDoesNotMakeAFailureOfTheEnd() async throws {
        let transport = ScriptedTransport(.events("data: a\n\n"), .status(204))
        let client = NetworkClient(transport, middleware: [StrictStatus(policy: .codes(200))])
        let source = try client.eventSource(for: request, reconnection: .exact)
        #expect(try await source.all().map(\.data) == ["a"])
        #expect(transport.requests.count == 2)
    }

    @Test func theErrorOfAStatusThatALayerThrowsCanBeDecoded() async throws {
        let transport = ScriptedTransport(.json(#"{"reason":"gone"}"#, status: 404))
        let client = NetworkClient(transport, middleware: [StrictStatus()])
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await client.eventSource(for: request).all()
        }
        #expect(try error?.decode([String: String].self) == ["reason": "gone"])
    }

    @Test(arguments: ["text/html", "application/json", "text/x-bogus", nil])
    func anotherTypeIsFinal(_ contentType: String?) async throws {
        let transport = ScriptedTransport(.stream("data: no\n\n", contentType))
        let source = try source(transport)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await source.all() }
        #expect(error?.code == .unacceptableContentType)
        #expect(error?.body == Data("data: no\n\n".utf8))
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        NetworkClientError.Code.tlsFailed, .malformedURL, .unsupportedByTransport, .transportShutDown,
        .tooManyRedirects,
    ])
    func aFailureThatWouldRepeatIsFinal(_ code: NetworkClientError.Code) async throws {
        let transport = ScriptedTransport(.events("data: a\n\n", failure: NetworkClientError(code, "final")))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await source(transport).all() }
        #expect(error?.code == code)
        #expect(transport.requests.count == 1)
    }

    @Test func anEventOverTheLimitIsFinal() async throws {
        var options = ServerSentEvents.Options()
        options.maximumEventSize = 8
        let transport = ScriptedTransport(.events("data: 123456789\n\n"))
        let source = try NetworkClient(transport).eventSource(for: request, options: options)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await source.all() }
        #expect(error?.code == .bodyTooLarge)
        #expect(transport.requests.count == 1)
    }

    @Test func whatAMiddlewareThrowsIsFinal() async throws {
        struct Refused: Error {}
        let transport = ScriptedTransport(.failure(Refused()))
        await #expect(throws: Refused.self) { _ = try await source(transport).all() }
        #expect(transport.requests.count == 1)
    }

    @Test func statusesCanBeTakenForALostConnection() async throws {
        var policy = ReconnectionPolicy.exact
        policy.transientStatuses = [502, 503]
        let transport = ScriptedTransport(
            .status(503, retryAfter: 20), .status(502), .events("data: a\n\n"),
            .status(503, fields: [.retryAfter: "soon"]),
            .status(204))
        let clock = VirtualClock()
        #expect(try await source(transport, clock: clock, policy: policy).all().map(\.data) == ["a"])
        #expect(clock.sleeps == [20, 6, 3, 3].map { .seconds($0) })
    }

    @Test func aRefusalMayNameTheDateToComeBackAt() async throws {
        var policy = ReconnectionPolicy.exact
        policy.transientStatuses = [503]
        let clock = VirtualClock()
        let transport = ScriptedTransport(
            .status(503, fields: [.retryAfter: "Thu, 01 Jan 2026 00:01:30 GMT"]), .status(204))
        #expect(try await source(transport, clock: clock, policy: policy).all().isEmpty)
        #expect(clock.sleeps == [.seconds(90)])
    }

    @Test func givesUpAfterAsManyFailuresAsThePolicyAllows() async throws {
        var policy = ReconnectionPolicy.exact
        policy.maximumFailures = 3
        let transport = ScriptedTransport(
            .failure(.cannotConnect), .events("data: a\n\n"), .events(), .events(), .failure(.dnsFailed))
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await source(transport, policy: policy).all()
        }
        #expect(error?.code == .dnsFailed)
        #expect(transport.requests.count == 5)
        let silent = ScriptedTransport(.events())
        let end = await #expect(throws: NetworkClientError.self) { _ = try await source(silent, policy: policy).all() }
        #expect(end?.code == .connectionLost)
        #expect(silent.requests.count == 3)
        policy.maximumFailures = 1
        let once = ScriptedTransport(.failure(.cannotConnect), .events("data: a\n\n"), .status(204))
        await #expect(throws: NetworkClientError.self) { _ = try await source(once, policy: policy).all() }
        #expect(once.requests.count == 1)
    }

    @Test func aConnectionThatGaveAnEventIsNeverOneTooMany() async throws {
        var policy = ReconnectionPolicy.exact
        policy.maximumFailures = 0
        let transport = ScriptedTransport(.events("data: a\n\n"), .status(204))
        #expect(try await source(transport, policy: policy).all().map(\.data) == ["a"])
    }

    /// A server that sends nothing but a comment, and ends the connection behind it, or fails.
    final class QuietSource: BodySource {
        private let clock: VirtualClock
        private let duration: Duration
        private let source: PiecesSource

        init(_ clock: VirtualClock, lastingFor duration: Duration, failure: NetworkClientError? = nil) {
            self.clock = clock
            self.duration = duration
            source = PiecesSource([Data(": ping\n\n".utf8)], failure: failure)
        }

        func next() throws -> Data? {
            guard let piece = try source.next() else { return nil }
            clock.advance(by: duration)
            return piece
        }

        func cancel() { source.cancel() }
    }

    @Test(arguments: [(59, [3, 6, 12]), (60, [3, 3, 3])])
    func aConnectionThatLastedIsNoFailureWithoutAnEvent(_ seconds: Int, _ waits: [Int]) async throws {
        let clock = VirtualClock()
        let quiet = (1...3).map { _ in
            ScriptedReply.events(from: QuietSource(clock, lastingFor: .seconds(seconds)))
        }
        let transport = ScriptedTransport(quiet + [.status(204)])
        #expect(try await source(transport, clock: clock).all().isEmpty)
        #expect(clock.sleeps == waits.map { .seconds($0) })
    }

    @Test(arguments: [Duration.zero, .seconds(600)], [59, 60])
    func howLongAConnectionLastsDoesNotGoByTheWaits(_ maximumDelay: Duration, _ seconds: Int) async throws {
        let failures = Recorder<Int>()
        var policy = ReconnectionPolicy.exact
        policy.maximumDelay = maximumDelay
        policy.onReconnect = { failures.add($0.failures) }
        let clock = VirtualClock()
        let quiet = (1...3).map { _ in
            ScriptedReply.events(from: QuietSource(clock, lastingFor: .seconds(seconds)))
        }
        let transport = ScriptedTransport(quiet + [.status(204)])
        #expect(try await source(transport, clock: clock, policy: policy).all().isEmpty)
        #expect(failures.all == (seconds < 60 ? [1, 2, 3] : [0, 0, 0]))
    }

    @Test func aConnectionThatFellSilentHasFailedHoweverLongItWasOpen() async throws {
        var policy = ReconnectionPolicy.exact
        policy.maximumFailures = 3
        let clock = VirtualClock()
        let silent = (1...3).map { _ in
            ScriptedReply.events(from: QuietSource(clock, lastingFor: .seconds(60), failure: .timedOut(.idle)))
        }
        let transport = ScriptedTransport(silent + [.status(204)])
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await source(transport, clock: clock, policy: policy).all()
        }
        #expect(error?.timeout == .idle)
        #expect(clock.sleeps == [3, 6].map { .seconds($0) })
    }

    /// What is left of the deadline at each request.
    private struct Watching: NetworkMiddleware {
        let remaining = Recorder<Duration?>()

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            remaining.add(request.call?.remaining)
            return try await next(request)
        }
    }

    @Test func theDeadlineIsThatOfTheWholeStream() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport { request in
            guard request.number > 0 else { return .events("data: a\n\n") }
            throw NetworkClientError(.cannotConnect, "refused")
        }
        let waits = Recorder<Duration>()
        var policy = ReconnectionPolicy.exact
        policy.onReconnect = { waits.add($0.delay) }
        let request = PlainRequest(path: "events", method: .get) { $0.timeouts.deadline = .seconds(10) }
        let watching = Watching()
        let source = try NetworkClient(transport, clock: clock, middleware: [watching])
            .eventSource(for: request, reconnection: policy)
        // Before the first connection no time counts.
        clock.advance(by: .seconds(60))
        var iterator = source.makeAsyncIterator()
        #expect(try await iterator.next()?.data == "a")
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.timeout == .deadline)
        #expect((error?.cause as? NetworkClientError)?.code == .cannotConnect)
        #expect(watching.remaining.all == [10, 7, 4].map { .seconds($0) })
        #expect(clock.sleeps == [3, 3, 4].map { .seconds($0) })
        #expect(waits.all == clock.sleeps)
        #expect(source.state == .closed)
    }

    /// Asks another client first, with a deadline of its own and all other options of the request.
    private struct Asking: NetworkMiddleware {
        let client: NetworkClient

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            var options = request.options
            options.timeouts.deadline = .seconds(10)
            _ = try await client.execute(TransportRequest(url: "https://token.example/", options: options))
            return try await next(request)
        }
    }

    @Test func theTimeOfTheStreamIsNotThatOfOtherCallsOfItsLayers() async throws {
        let clock = VirtualClock()
        let other = ScriptedTransport(.status(200), .status(200))
        let transport = ScriptedTransport(.events("data: a\n\n"), .events("data: b\n\n"), .status(204))
        let asking = Asking(client: NetworkClient(other, clock: clock))
        let source = try NetworkClient(transport, clock: clock, middleware: [asking])
            .eventSource(for: PlainRequest(path: "events", method: .get), reconnection: .exact)
        var iterator = source.makeAsyncIterator()
        #expect(try await iterator.next()?.data == "a")
        clock.advance(by: .seconds(3600))
        #expect(try await iterator.next()?.data == "b")
        #expect(other.requests.count == 2)
    }

    @Test func aDeadlineThatPassesIsNamedAsAskedForWithTheFailureBefore() async throws {
        let clock = VirtualClock()
        let request = PlainRequest(path: "events", method: .get) { $0.timeouts.deadline = .seconds(10) }
        let late = QuietSource(clock, lastingFor: .seconds(8))
        for reply in [ScriptedReply.silence, .events(from: late)] {
            let client = NetworkClient(ScriptedTransport(.failure(.cannotConnect), reply), clock: clock)
            let source = try client.eventSource(for: request, reconnection: .exact)
            let error = await #expect(throws: NetworkClientError.self) { _ = try await source.all() }
            #expect(error?.message == "the deadline timeout of 10 s passed")
            #expect((error?.cause as? NetworkClientError)?.code == .cannotConnect)
            #expect(error?.exchange?.attempts.count == 1)
        }
    }

    @Test func aConnectionThatGaveAnEventHasNothingToDoWithFailuresBefore() async throws {
        let clock = VirtualClock()
        let request = PlainRequest(path: "events", method: .get) { $0.timeouts.deadline = .seconds(10) }
        let transport = ScriptedTransport(.failure(.cannotConnect), .events("data: a\n\n", "data: b\n\n"))
        let source = try NetworkClient(transport, clock: clock).eventSource(for: request, reconnection: .exact)
        var iterator = source.makeAsyncIterator()
        #expect(try await iterator.next()?.data == "a")
        clock.advance(by: .seconds(8))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await iterator.next() }
        #expect(error?.timeout == .deadline)
        #expect(error?.cause == nil)
    }

    @Test func noConnectionFollowsOneThatOutlastsTheDeadline() async throws {
        let clock = VirtualClock()
        var policy = ReconnectionPolicy.exact
        policy.reconnectsAfter = { _ in true }
        let transport = ScriptedTransport(
            .events(from: QuietSource(clock, lastingFor: .seconds(4))),
            .events(from: QuietSource(clock, lastingFor: .seconds(4))), .status(204))
        let request = PlainRequest(path: "events", method: .get) { $0.timeouts.deadline = .seconds(10) }
        let source = try NetworkClient(transport, clock: clock).eventSource(for: request, reconnection: policy)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await source.all() }
        #expect(error?.timeout == .deadline)
        #expect(transport.requests.count == 2)
        #expect(clock.sleeps == [.seconds(3)])
    }
}
