// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct ResponseBodyTests {
    private let pieces = [Data("ab".utf8), Data("c".utf8), Data("def".utf8)]

    @Test func collectsAllPieces() async throws {
        #expect(try await ResponseBody(source: PiecesSource(pieces)).collect() == Data("abcdef".utf8))
        #expect(try await ResponseBody(source: PiecesSource([])).collect() == Data())
        #expect(try await ResponseBody(Data("x".utf8)).collect() == Data("x".utf8))
    }

    /// Pieces that hold nothing, without a pause.
    private final class EmptySource: BodySource {
        func next() async throws -> Data? { Data() }
        func cancel() {}
    }

    @Test func aCancelIsHeardBetweenEmptyPieces() async {
        let bodies = [
            ResponseBody(source: EmptySource()),
            ResponseBody(from: AsyncStream<Data>(unfolding: { Data() })),
        ]
        for body in bodies {
            let task = Task { try await body.collect() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(arguments: 0...7)
    func neverCollectsMoreThanTheLimit(limit: Int) async throws {
        let source = PiecesSource(pieces)
        let body = ResponseBody(source: source)
        if limit >= 6 {
            #expect(try await body.collect(upTo: limit).count == 6)
        } else {
            await #expect {
                _ = try await body.collect(upTo: limit)
            } throws: {
                isFailure($0, .bodyTooLarge)
            }
            #expect(source.isCancelled)
        }
    }

    @Test func asksForNoMoreMemoryThanArrivesWhateverIsAnnounced() async throws {
        let body = ResponseBody(length: .max, source: PiecesSource(pieces))
        await #expect {
            _ = try await body.collect(upTo: .max)
        } throws: {
            isFailure($0, .connectionLost)
        }
    }

    @Test(arguments: [(Int64(7), NetworkClientError.Code.connectionLost), (5, .protocolViolation)])
    func isHeldToItsLength(length: Int64, code: NetworkClientError.Code) async throws {
        var iterator = ResponseBody(length: length, source: PiecesSource(pieces)).makeAsyncIterator()
        // Who asks again is not told that the body has ended well.
        for _ in 0..<2 {
            let error = await #expect(throws: NetworkClientError.self) {
                while try await iterator.next() != nil {}
            }
            #expect(error?.code == code)
        }
        let client = makeClient(ScriptedTransport()) {
            $0.transport = Answering(body: ResponseBody(length: length, source: PiecesSource(pieces)))
        }
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.run(NetworkRequest<VoidRequest, Data>(method: .get))
        }
        #expect(error?.code == code)
        #expect(error?.exchange?.attempts.map(\.error) == [code])
    }

    @Test func aLayerMayMakeABodyShorter() async throws {
        let body = ResponseBody(length: 6, source: PiecesSource(pieces)).mapSource { LimitedPieces($0) }
        #expect(body.length == nil)
        #expect(try await body.collect() == Data("ab".utf8))
    }

    @Test func theLengthInAnAnswerToHEADIsThatOfAnotherBody() async throws {
        let client = makeClient(ScriptedTransport()) {
            $0.transport = Answering(body: ResponseBody(length: 1 << 40, source: PiecesSource([])))
        }
        let response = try await client.execute(TransportRequest(method: .head, url: "https://h/"))
        #expect(response.body.length == 0)
        #expect(try await response.body.collect().isEmpty)
    }

    /// Answers with a body of any make.
    private struct Answering: NetworkTransport {
        let capabilities = TransportCapabilities(name: "answering")
        let body: ResponseBody

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(head: HTTPResponse(status: .ok), body: body)
        }
    }

    /// The first piece of another source, and the rest read without a word.
    private final class LimitedPieces: BodySource {
        private let source: any BodySource
        private let isFirst = Atomic(true)

        init(_ source: any BodySource) { self.source = source }

        func next() async throws -> Data? {
            guard isFirst.exchange(false, ordering: .relaxed) else {
                while try await source.next() != nil {}
                return nil
            }
            return try await source.next()
        }

        func cancel() { source.cancel() }
    }

    /// A sequence that gives nothing, and ends with the task that waits for it.
    private func silence(onRead: @escaping @Sendable () -> Void) -> AsyncStream<Data> {
        AsyncStream<Data>(unfolding: {
            onRead()
            _ = try? await untilCancelled()
            return nil
        })
    }

    @Test func aRestThatIsGivenUpIsNoCancelledAttempt() async throws {
        let (reads, continuation) = AsyncStream.makeStream(of: Void.self)
        for body in [
            ResponseBody(source: HangingSource { continuation.yield() }),
            ResponseBody(from: silence { continuation.yield() }),
        ] {
            let client = makeClient(ScriptedTransport()) { $0.transport = Answering(body: body) }
            let response = try await client.execute(TransportRequest(url: "https://h/"))
            let reading = Task { try await response.body.collect() }
            for await _ in reads { break }
            response.body.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            #expect(response.exchange.attempts.map(\.isCancelled) == [false])
        }
    }

    @Test func aCancelledTaskGetsNoShortBody() async {
        let (reads, continuation) = AsyncStream.makeStream(of: Void.self)
        let body = ResponseBody(from: silence { continuation.yield() })
        let reading = Task { try await body.collect() }
        for await _ in reads { break }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func aPieceThatWasGivenIsNotKept() async throws {
        let isFreed = Mutex(false)
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(
            Data(
                bytesNoCopy: UnsafeMutableRawPointer.allocate(byteCount: 100, alignment: 1), count: 100,
                deallocator: .custom({ pointer, _ in
                    pointer.deallocate()
                    isFreed.withLock { $0 = true }
                })))
        var pieces = ResponseBody(from: stream).makeAsyncIterator()
        let count = try await pieces.next()?.count
        #expect(count == 100)
        await eventually { isFreed.withLock { $0 } }
        continuation.finish()
        let end = try await pieces.next()
        #expect(end == nil)
    }

    @Test func aBodyThatIsGivenUpUnreadIsNoEmptyOne() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("a".utf8))
        continuation.finish()
        for body in [ResponseBody(Data("a".utf8)).mapSource { $0 }, ResponseBody(from: stream)] {
            body.cancel()
            await #expect(throws: CancellationError.self) { try await body.collect() }
        }
    }

    @Test func refusesASecondReading() async throws {
        let body = ResponseBody(source: PiecesSource(pieces))
        _ = try await body.collect()
        await #expect {
            _ = try await body.collect()
        } throws: {
            isFailure($0, .bodyAlreadyConsumed)
        }
    }

    @Test func cancelsTheSourceWhenItIsDroppedUnread() {
        let source = PiecesSource(pieces)
        do { _ = ResponseBody(source: source) }
        #expect(source.isCancelled)
    }

    @Test func cancelsTheSourceWhenTheLoopIsLeft() async throws {
        let source = PiecesSource(pieces)
        let body = ResponseBody(source: source)
        for try await _ in body { break }
        #expect(source.isCancelled)
        #expect(source.remaining == 2)
    }

    @Test func leavesTheSourceAloneAfterItsEnd() async throws {
        let source = PiecesSource(pieces)
        do { _ = try await ResponseBody(source: source).collect() }
        #expect(!source.isCancelled)
    }

    @Test func pullsNoFurtherThanAsked() async throws {
        let source = PiecesSource(pieces)
        var iterator = ResponseBody(source: source).makeAsyncIterator()
        _ = try await iterator.next()
        #expect(source.remaining == 2)
    }

    @Test func discardsAShortRestAndCancelsALongOne() async {
        let short = PiecesSource(pieces)
        await ResponseBody(source: short).discard()
        #expect(short.remaining == 0 && !short.isCancelled)
        let long = PiecesSource([Data](repeating: Data(count: 100_000), count: 9))
        await ResponseBody(source: long).discard()
        #expect(long.isCancelled && long.remaining == 6)
        let announced = PiecesSource(pieces)
        await ResponseBody(length: 1 << 40, source: announced).discard()
        #expect(announced.isCancelled && announced.remaining == 3)
    }

    @Test func trailersComeBehindABodyThatHasBeenRead() async throws {
        let transport = Answering(
            body: ResponseBody(source: PiecesSource(pieces, trailers: [.eTag: "1", .contentType: "a/b"])))
        let response = try await transport.send(TransportRequest(url: "https://h/"))
        await #expect {
            try await response.trailers
        } throws: {
            isFailure($0, .bodyNotRead)
        }
        #expect(try await response.body.collect() == Data("abcdef".utf8))
        #expect(try await response.trailers == [.eTag: "1"])
    }
}
