// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

/// Leaving, closing and cancelling, wherever the stream is at that moment.
struct EventSourceEndingTests {
    private let request = PlainRequest(path: "events", method: .get)

    @Test func leavingTheLoopEndsTheTransferAndTheStream() async throws {
        let body = PiecesSource([Data("data: a\n\ndata: b\n\n".utf8), Data("data: c\n\n".utf8)])
        let transport = ScriptedTransport(.events(from: body))
        let source = try source(transport)
        for try await _ in source { break }
        #expect(body.isCancelled)
        #expect(source.state == .closed)
        #expect(transport.requests.count == 1)
    }

    @Test func closingEndsTheLoopWithoutAnErrorWhileItWaitsForAnEvent() async throws {
        let closing = Box<EventSource>()
        let body = HangingSource("data: a\n\n") { closing.value?.close() }
        let transport = ScriptedTransport(.events(from: body))
        let source = try source(transport)
        closing.value = source
        #expect(try await source.all().map(\.data) == ["a"])
        #expect(body.isCancelled)
        #expect(transport.requests.count == 1)
    }

    /// Answers by itself, with a body from an asynchronous sequence.
    private struct Answer: NetworkMiddleware {
        let pieces: AsyncStream<Data>

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"]),
                body: ResponseBody(from: pieces))
        }
    }

    @Test(.timeLimit(.minutes(10))) func closingEndsTheLoopWhileItWaitsForAnElementOfASequence() async throws {
        let closing = Box<EventSource>()
        let first = Box<Data>()
        first.value = Data("data: a\n\n".utf8)
        let pieces = AsyncStream<Data>(unfolding: {
            if let piece = first.value {
                first.value = nil
                return piece
            }
            try? await StuckClock { closing.value?.close() }.sleep(for: .seconds(1))
            return nil
        })
        let client = NetworkClient(ScriptedTransport(), middleware: [Answer(pieces: pieces)])
        let source = try client.eventSource(for: request, reconnection: .exact)
        closing.value = source
        #expect(try await source.all().map(\.data) == ["a"])
        #expect(source.state == .closed)
    }

    @Test func closingEndsTheLoopWhileItWaitsForTheNextConnection() async throws {
        let closing = Box<EventSource>()
        let transport = ScriptedTransport(.events("data: a\n\n"))
        let source = try source(transport, clock: StuckClock { closing.value?.close() })
        closing.value = source
        #expect(try await source.all().map(\.data) == ["a"])
        #expect(transport.requests.count == 1)
    }

    @Test func closingEndsTheLoopWhileItConnects() async throws {
        let closing = Box<EventSource>()
        let transport = ScriptedTransport { _ in
            closing.value?.close()
            try await untilCancelled()
        }
        let source = try source(transport)
        closing.value = source
        #expect(try await source.all().isEmpty)
        #expect(transport.requests.count == 1)
    }

    /// As a layer does that has errors of its own.
    private struct Wrapping: NetworkMiddleware {
        struct Wrapped: Error {}

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            do { return try await next(request) } catch { throw Wrapped() }
        }
    }

    @Test func closingIsNoFailureWhateverALayerMakesOfIt() async throws {
        let closing = Box<EventSource>()
        let transport = ScriptedTransport { _ in
            closing.value?.close()
            try await untilCancelled()
        }
        let source = try NetworkClient(transport, middleware: [Wrapping()]).eventSource(for: request)
        closing.value = source
        #expect(try await source.all().isEmpty)
    }

    /// An empty body, at whose end the stream is closed.
    private final class ClosingSource: BodySource {
        private let closing: Box<EventSource>

        init(_ closing: Box<EventSource>) { self.closing = closing }

        func next() -> Data? {
            closing.value?.close()
            return nil
        }

        func cancel() {}
    }

    @Test(arguments: [Int?.none, 1]) func closingWhenABodyEndsIsNoFailure(_ maximumFailures: Int?) async throws {
        let closing = Box<EventSource>()
        let announced = Recorder<ReconnectionPolicy.Reconnection>()
        var policy = ReconnectionPolicy.exact
        policy.maximumFailures = maximumFailures
        policy.onReconnect = { announced.add($0) }
        let source = try source(ScriptedTransport(.events(from: ClosingSource(closing))), policy: policy)
        closing.value = source
        #expect(try await source.all().isEmpty)
        #expect(announced.all.isEmpty)
    }

    @Test func closingEndsTheLoopWhileItReadsABodyOfAnotherType() async throws {
        let closing = Box<EventSource>()
        let body = HangingSource("<p>") { closing.value?.close() }
        let source = try source(ScriptedTransport(.events(from: body, contentType: "text/html")))
        closing.value = source
        #expect(try await source.all().isEmpty)
    }

    @Test func closingWhenAReconnectionIsAnnouncedPreventsIt() async throws {
        let closing = Box<EventSource>()
        var policy = ReconnectionPolicy.exact
        policy.onReconnect = { _ in closing.value?.close() }
        let transport = ScriptedTransport(.failure(.cannotConnect))
        let clock = VirtualClock()
        let source = try source(transport, clock: clock, policy: policy)
        closing.value = source
        #expect(try await source.all().isEmpty)
        #expect(transport.requests.count == 1)
        #expect(clock.sleeps.isEmpty)
    }

    @Test func closingWithinTheLoopKeepsBackWhatHasArrived() async throws {
        let source = try source(ScriptedTransport(.events("data: a\n\ndata: b\n\n")))
        var data: [String] = []
        for try await event in source {
            data.append(event.data)
            source.close()
        }
        #expect(data == ["a"])
    }

    @Test func closingIsNoFailureWhenAMarkIsRequired() async throws {
        let source = try source(ScriptedTransport(.events("data: a\n\ndata: b\n\n")))
        var data: [String] = []
        for try await text in source.decoding(String.self, until: .data("[DONE]", isRequired: true)) {
            data.append(text)
            source.close()
        }
        #expect(data == ["a"])
    }

    @Test func closingBeforeReadingSendsNothing() async throws {
        let transport = ScriptedTransport(.events("data: a\n\n"))
        let source = try source(transport)
        source.close()
        #expect(try await source.all().isEmpty)
        #expect(transport.requests.isEmpty)
    }

    @Test func cancellingTheTaskThrowsAndEndsTheTransfer() async throws {
        let task = Box<Task<Void, any Error>>()
        let body = HangingSource("data: a\n\n") { task.value?.cancel() }
        let source = try source(ScriptedTransport(.events(from: body)))
        await expectCancellation(of: task, reading: source)
        #expect(body.isCancelled)
    }

    /// Reads the source in a task that is put into the box, and is cancelled from there.
    private func expectCancellation(of task: Box<Task<Void, any Error>>, reading source: EventSource) async {
        // The task must not run before it can be found in the box.
        let (gate, open) = AsyncStream<Void>.makeStream()
        task.value = Task {
            for await _ in gate { break }
            _ = try await source.all()
        }
        open.yield()
        await #expect(throws: CancellationError.self) { try await task.value?.value }
        #expect(source.state == .closed)
    }

    @Test func cancellingWithinTheLoopKeepsBackWhatHasArrived() async throws {
        let source = try source(ScriptedTransport(.events("data: a\n\ndata: b\n\n")))
        let data = Recorder<String>()
        let task = Task {
            for try await event in source {
                data.add(event.data)
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(data.all == ["a"])
        #expect(source.state == .closed)
    }

    @Test func cancellingTheTaskWhileItWaitsThrows() async throws {
        let task = Box<Task<Void, any Error>>()
        let source = try source(ScriptedTransport(.events("data: a\n\n")), clock: StuckClock { task.value?.cancel() })
        await expectCancellation(of: task, reading: source)
    }
}
