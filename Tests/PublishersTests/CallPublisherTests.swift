// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import StrataPublishers
import Synchronization
import TestSupport
import Testing

struct CallPublisherTests {
    private struct Failure: Error, Equatable {}

    /// Counts the calls, and holds them up until it is told to go on.
    private final class Gate: Sendable {
        let calls = Atomic(0)
        let cancelled = Atomic(0)

        func wait() async throws {
            calls.add(1, ordering: .relaxed)
            defer { if Task.isCancelled { cancelled.add(1, ordering: .relaxed) } }
            try await untilCancelled()
        }
    }

    @Test func beginsWithTheFirstDemand() async {
        let calls = Mutex(0)
        let publisher = CallPublisher { () async throws(Failure) -> Int in
            calls.withLock {
                $0 += 1; return $0
            }
        }
        let recorder = Recorder<Int, Failure>()
        await giveTurns()
        publisher.subscribe(recorder)
        await giveTurns()
        #expect(calls.withLock { $0 } == 0)

        recorder.request(.max(1))
        for await _ in recorder.signals {}
        #expect(calls.withLock { $0 } == 1)
        #expect(recorder.values == [1])
        #expect(recorder.isCompleted)
    }

    @Test func callsAnewForEachSubscriber() async {
        let calls = Mutex(0)
        let publisher = CallPublisher { () async throws(Failure) -> Int in
            calls.withLock {
                $0 += 1; return $0
            }
        }
        for number in 1...3 {
            let recorder = Recorder<Int, Failure>(demand: .unlimited)
            publisher.subscribe(recorder)
            for await _ in recorder.signals {}
            #expect(recorder.values == [number])
        }
    }

    @Test func deliversTheFailureAndNoValue() async {
        let publisher = CallPublisher { () async throws(Failure) -> Int in throw Failure() }
        let recorder = Recorder<Int, Failure>(demand: .unlimited)
        publisher.subscribe(recorder)
        var failures = 0
        for await signal in recorder.signals {
            if case .failure = signal { failures += 1 }
        }
        #expect(failures == 1)
        #expect(recorder.values.isEmpty)
    }

    @Test func cancelEndsTheCallAndDeliversNothing() async {
        let gate = Gate()
        let recorder = Recorder<Void, any Error>(demand: .unlimited)
        CallPublisher { try await gate.wait() }.subscribe(recorder)
        await eventually { gate.calls.load(ordering: .relaxed) > 0 }
        recorder.cancel()
        await eventually { gate.cancelled.load(ordering: .relaxed) > 0 }
        await giveTurns()
        #expect(recorder.values.isEmpty)
        #expect(!recorder.isCompleted)
    }

    @Test func cancelBeforeTheFirstDemandMeansNoCallAtAll() async {
        let gate = Gate()
        let recorder = Recorder<Void, any Error>()
        CallPublisher { try await gate.wait() }.subscribe(recorder)
        recorder.cancel()
        recorder.request(.unlimited)
        await giveTurns()
        #expect(gate.calls.load(ordering: .relaxed) == 0)
        #expect(!recorder.isCompleted)
    }

    @Test func droppingACancellableCancels() async {
        let gate = Gate()
        var cancellable: AnyCancellable? = CallPublisher { try await gate.wait() }
            .sink(receiveCompletion: { _ in }, receiveValue: {})
        await eventually { gate.calls.load(ordering: .relaxed) > 0 }
        #expect(cancellable != nil)
        cancellable = nil
        await eventually { gate.cancelled.load(ordering: .relaxed) > 0 }
    }

    @Test func theSubscriberIsReleasedAtTheEnd() async {
        weak var released: Recorder<Int, any Error>?
        do {
            let recorder = Recorder<Int, any Error>(demand: .unlimited)
            released = recorder
            CallPublisher { 1 }.subscribe(recorder)
            for await _ in recorder.signals {}
            recorder.cancel()
        }
        await eventually { released == nil }
    }

    @Test func theCallIsReleasedAtTheEnd() async {
        final class Owner: Sendable {}
        let recorder = Recorder<Int, any Error>(demand: .unlimited)
        weak var released: Owner?
        do {
            let owner = Owner()
            released = owner
            CallPublisher<Int, any Error> { withExtendedLifetime(owner) { 1 } }.subscribe(recorder)
            for await _ in recorder.signals {}
        }
        // The subscription is still there: it is the recorder's.
        await eventually { released == nil }
        recorder.cancel()
    }

    @Test func theCallIsReleasedWithTheCancel() async {
        final class Owner: Sendable {}
        let recorder = Recorder<Int, any Error>()
        weak var released: Owner?
        do {
            let owner = Owner()
            released = owner
            CallPublisher<Int, any Error> { withExtendedLifetime(owner) { 1 } }.subscribe(recorder)
        }
        #expect(released != nil)
        recorder.cancel()
        await eventually { released == nil }
        recorder.cancel()
    }

    @Test func valuesArriveOnTheQueueThatIsAskedFor() async {
        let one = CallPublisher { 1 }
        // For the compiler alone: nobody need serve the main queue of a test.
        _ = one.receive(on: DispatchQueue.main)
        let (queue, key) = (DispatchQueue(label: "CallPublisherTests"), DispatchSpecificKey<Bool>())
        queue.setSpecific(key: key, value: true)
        let done = AsyncStream<Bool?>.makeStream()
        let cancellable = one.receive(on: queue).sink { _ in
            done.continuation.finish()
        } receiveValue: { _ in
            done.continuation.yield(DispatchQueue.getSpecific(key: key))
        }
        var isOnQueue: [Bool?] = []
        for await value in done.stream { isOnQueue.append(value) }
        #expect(isOnQueue == [true])
        cancellable.cancel()
    }

    @Test func composesWithOperators() async {
        let done = AsyncStream<[String]>.makeStream()
        let one = CallPublisher { 1 }
        let two = CallPublisher { 2 }
        let cancellable = one.zip(two).map { "\($0)+\($1)" }.collect()
            .sink(receiveCompletion: { _ in done.continuation.finish() }, receiveValue: { done.continuation.yield($0) })
        var received: [[String]] = []
        for await values in done.stream { received.append(values) }
        #expect(received == [["1+2"]])
        cancellable.cancel()
    }
}
