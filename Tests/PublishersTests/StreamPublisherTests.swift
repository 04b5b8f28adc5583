// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataPublishers
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct StreamPublisherTests {
    private struct Failure: Error, Equatable {}

    private func pieces(_ count: Int) -> [Data] { (0..<count).map { Data([UInt8($0)]) } }

    @Test func pullsAsMuchAsIsAskedForAndNoMore() async {
        let source = PiecesSource(pieces(10))
        let recorder = Recorder<Data, any Error>()
        StreamPublisher { ResponseBody(source: source) }.subscribe(recorder)
        await giveTurns()
        #expect(source.remaining == 10)

        var signals = recorder.signals.makeAsyncIterator()
        recorder.request(.max(2))
        _ = await signals.next()
        _ = await signals.next()
        await giveTurns()
        #expect(source.remaining == 8)
        #expect(recorder.values == pieces(2))

        recorder.request(.max(1))
        recorder.request(.max(2))
        for _ in 0..<3 { _ = await signals.next() }
        await giveTurns()
        #expect(source.remaining == 5)

        recorder.request(.unlimited)
        while await signals.next() != nil {}
        #expect(recorder.values == pieces(10))
        #expect(recorder.isCompleted)
    }

    @Test func opensTheSequenceAnewForEachSubscriberAndNotBefore() async {
        let opened = Mutex(0)
        let publisher = StreamPublisher {
            opened.withLock { $0 += 1 }
            return ResponseBody(Data("x".utf8))
        }
        await giveTurns()
        #expect(opened.withLock { $0 } == 0)
        for count in 1...2 {
            let recorder = Recorder<Data, any Error>(demand: .unlimited)
            publisher.subscribe(recorder)
            for await _ in recorder.signals {}
            #expect(opened.withLock { $0 } == count)
            #expect(recorder.values == [Data("x".utf8)])
        }
    }

    @Test func deliversWhatArrivedAndThenTheFailure() async throws {
        let recorder = Recorder<Data, any Error>(demand: .unlimited)
        let body = pieces(2)
        StreamPublisher { ResponseBody(source: PiecesSource(body, failure: Failure())) }.subscribe(recorder)
        var failure: (any Error)?
        for await signal in recorder.signals {
            if case .failure(let error) = signal { failure = error }
        }
        #expect(recorder.values == body)
        #expect(failure is Failure)
    }

    @Test func failsWithTheMappedErrorOfOpening() async {
        let recorder = Recorder<Data, Failure>(demand: .unlimited)
        StreamPublisher<Data, Failure>(mapError: { _ in Failure() }) { () async throws -> ResponseBody in
            throw NetworkClientError(.cannotConnect, "refused")
        }.subscribe(recorder)
        var failure: Failure?
        for await signal in recorder.signals {
            if case .failure(let error) = signal { failure = error }
        }
        #expect(failure == Failure())
    }

    @Test func cancelWhileItWaitsForDemandEndsTheTransfer() async {
        let source = PiecesSource(pieces(3))
        let recorder = Recorder<Data, any Error>(demand: .max(1))
        StreamPublisher { ResponseBody(source: source) }.subscribe(recorder)
        var signals = recorder.signals.makeAsyncIterator()
        _ = await signals.next()
        await giveTurns()
        #expect(!source.isCancelled)
        recorder.cancel()
        await eventually { source.isCancelled }
        recorder.request(.unlimited)
        await giveTurns()
        #expect(source.remaining == 2)
        #expect(recorder.values.count == 1)
        #expect(!recorder.isCompleted)
    }

    @Test func cancelWhileAnElementIsAwaitedEndsTheTransfer() async {
        let source = SilentSource()
        let recorder = Recorder<Data, any Error>(demand: .unlimited)
        StreamPublisher { ResponseBody(source: source) }.subscribe(recorder)
        await eventually { source.isAsked }
        recorder.cancel()
        await eventually { source.isCancelled }
        await giveTurns()
        #expect(!recorder.isCompleted)
    }

    @Test func anOperatorThatHasEnoughEndsTheTransfer() async {
        let source = PiecesSource(pieces(5))
        let done = AsyncStream<Data>.makeStream()
        let cancellable = StreamPublisher { ResponseBody(source: source) }
            .prefix(2)
            .sink(receiveCompletion: { _ in done.continuation.finish() }, receiveValue: { done.continuation.yield($0) })
        var received: [Data] = []
        for await piece in done.stream { received.append(piece) }
        #expect(received == pieces(2))
        await eventually { source.isCancelled }
        #expect(source.remaining == 3)
        cancellable.cancel()
    }

    @Test(arguments: [-1, 0, 1, 2]) func aPrefixEndsWithItsLastElement(_ length: Int) async {
        // It gives two elements and then says nothing.
        let numbers = AsyncStream<Int>.makeStream()
        numbers.continuation.yield(1)
        numbers.continuation.yield(2)
        let recorder = Recorder<Int, any Error>(demand: .unlimited)
        StreamPublisher { numbers.stream }.prefix(length).prefix(5).subscribe(recorder)
        for await _ in recorder.signals {}
        #expect(recorder.values == Array([1, 2].prefix(max(length, 0))))
        #expect(recorder.isCompleted)
    }

    @Test func aPrefixOfNothingOpensNoStream() async {
        let recorder = Recorder<Int, any Error>(demand: .unlimited)
        let publisher = StreamPublisher { () async throws -> AsyncStream<Int> in throw Failure() }
        publisher.prefix(0).subscribe(recorder)
        for await signal in recorder.signals {
            if case .failure(let error) = signal { Issue.record(error) }
        }
    }

    @Test func aThousandSubscriptionsCancelledAtAnyMomentLeaveNothingRunning() async {
        let sources = await withTaskGroup(of: PiecesSource.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let source = PiecesSource((0..<50).map { Data([UInt8($0)]) })
                    let recorder = Recorder<Data, any Error>(demand: .max(1 + number % 7))
                    StreamPublisher { ResponseBody(source: source) }.subscribe(recorder)
                    for _ in 0..<(number % 5) { await Task.yield() }
                    recorder.request(.max(1))
                    recorder.cancel()
                    #expect(recorder.values.count <= 8)
                    #expect(!recorder.isCompleted)
                    return source
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await eventually { sources.allSatisfy { $0.remaining == 50 || $0.isCancelled } }
    }
}

/// A body that never says anything.
private final class SilentSource: BodySource {
    private let state = Mutex((isAsked: false, isCancelled: false))

    var isAsked: Bool { state.withLock(\.isAsked) }
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    func next() async throws -> Data? {
        state.withLock { $0.isAsked = true }
        try await untilCancelled()
    }

    func cancel() { state.withLock { $0.isCancelled = true } }
}
