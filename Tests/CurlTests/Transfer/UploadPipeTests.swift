// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import StrataCore
import StrataTesting
import Synchronization
import TestSupport
import Testing

@testable import StrataCurl

struct UploadPipeTests {
    private func source(_ pieces: [Data], length: Int64? = nil) throws -> any BodySource {
        let stream = AsyncStream<Data> { continuation in
            for piece in pieces { continuation.yield(piece) }
            continuation.finish()
        }
        return try RequestBody.stream(length: length, from: stream).makeSource()
    }

    /// Reads as the loop does until the pipe ends, asking again when it starves.
    private func drain(_ pipe: UploadPipe, chunk: Int = 1000) async -> (Data, UploadPipe.Reading) {
        var data = Data()
        var target = [UInt8](repeating: 0, count: chunk)
        while true {
            var reading = UploadPipe.Reading.starving
            await eventually {
                reading = target.withUnsafeMutableBytes { pipe.read(into: $0) }
                return reading != .starving
            }
            guard case .bytes(let count) = reading else { return (data, reading) }
            data += target.prefix(count)
        }
    }

    @Test func carriesEveryByteInOrder() async throws {
        let pieces = (0..<100).map { Data(repeating: UInt8($0), count: 5000) }
        let pipe = UploadPipe(length: 500_000)
        let source = try source(pieces)
        async let pumped: Void = pipe.pump(source) {}
        let (data, reading) = await drain(pipe)
        await pumped
        #expect(reading == .end)
        #expect(data == pieces.reduce(Data(), +))
    }

    @Test func carriesPiecesOfAnySizeInOrder() async throws {
        let pieces = (0..<3000).map { Data(repeating: UInt8(truncatingIfNeeded: $0), count: 1 + $0 % 7) }
        let pipe = UploadPipe(length: nil)
        let source = try source(pieces)
        async let pumped: Void = pipe.pump(source) {}
        let (data, reading) = await drain(pipe, chunk: 11)
        await pumped
        #expect(reading == .end)
        #expect(data == pieces.reduce(Data(), +))
    }

    @Test func holdsTheProducerBackAtTheHighWaterMark() async throws {
        let pipe = UploadPipe(length: nil)
        let source = Endless()
        let task = Task { await pipe.pump(source) {} }
        var target = [UInt8](repeating: 0, count: 16)
        await eventually { target.withUnsafeMutableBytes { pipe.read(into: $0) } != .starving }
        for _ in 0..<1000 { await Task.yield() }
        #expect(source.produced.load(ordering: .relaxed) <= 256 * 1024 + 10_000)
        pipe.close()
        await task.value
    }

    @Test func wakesTheLoopWhenItStarved() async throws {
        let wakes = Atomic(0)
        let pipe = UploadPipe(length: nil)
        var target = [UInt8](repeating: 0, count: 16)
        #expect(target.withUnsafeMutableBytes { pipe.read(into: $0) } == .starving)
        await pipe.pump(try source([Data("abc".utf8)])) { wakes.wrappingAdd(1, ordering: .relaxed) }
        #expect(wakes.load(ordering: .relaxed) == 1)
        #expect(target.withUnsafeMutableBytes { pipe.read(into: $0) } == .bytes(3))
        #expect(target.withUnsafeMutableBytes { pipe.read(into: $0) } == .end)
    }

    @Test(arguments: [(Int64(4), "longer"), (6, "shorter")])
    func refusesALengthThatIsNotTrue(_ length: Int64, _ word: String) async throws {
        let pipe = UploadPipe(length: length)
        let pieces = PiecesSource([Data("abc".utf8), Data("de".utf8)])
        await pipe.pump(try RequestBody.stream(length: length, isReplayable: true) { pieces }.makeSource()) {}
        #expect(pieces.isCancelled)
        let failure = try #require(pipe.failure as? NetworkClientError)
        #expect(failure.code == .uploadFailed)
        #expect(failure.message.contains(word))
        let (_, reading) = await drain(pipe)
        #expect(reading == .failed)
    }

    @Test func holdsTheLastByteBackUntilTheSourceEnds() async {
        let pipe = UploadPipe(length: 20)
        let source = WatchedSource([Data(count: 10), Data(count: 10)], pipe)
        await pipe.pump(source) {}
        #expect(source.readings == [.starving, .bytes(10), .bytes(9)])
        #expect(source.read() == .bytes(1))
        #expect(source.read() == .end)
    }

    @Test func givesTheLastByteWhenItIsReleased() async {
        let pipe = UploadPipe(length: 20)
        let source = WatchedSource([Data(count: 20)], pipe) {
            #expect(pipe.isHoldingLastByte)
            pipe.releaseLastByte()
            #expect(!pipe.isHoldingLastByte)
        }
        await pipe.pump(source) {}
        #expect(source.readings == [.starving, .bytes(19)])
        #expect(source.read() == .bytes(1))
    }

    @Test func failsBeforeTheLastByteOfASourceThatGoesOn() async throws {
        let pipe = UploadPipe(length: 20)
        let source = WatchedSource([Data(count: 10), Data(count: 10), Data(count: 10)], pipe)
        let body = RequestBody.stream(length: 20, isReplayable: false) { source }
        await pipe.pump(try body.makeSource()) {}
        #expect(source.readings == [.starving, .bytes(10), .bytes(9)])
        #expect(source.read() == .failed)
    }

    /// The loop closes it, and has other transfers.
    @Test func isClosedWithoutWaitingForItsSource() async {
        let pipe = UploadPipe(length: nil)
        let source = ReluctantSource()
        pipe.start(source) {}
        await eventually { source.isAsked }
        pipe.close()
        source.allow()
        await eventually { source.wasAllowed != nil }
        #expect(source.wasAllowed == true)
    }

    /// Is cancelled when it is allowed to be; after a while without that.
    private final class ReluctantSource: BodySource {
        private let hanging = HangingSource()
        private let asked = Atomic(false)
        private let permission = DispatchSemaphore(value: 0)
        private let outcome = Mutex<Bool?>(nil)

        var isAsked: Bool { asked.load(ordering: .relaxed) }
        /// Of the first cancel.
        var wasAllowed: Bool? { outcome.withLock { $0 } }

        func next() async throws -> Data? {
            asked.store(true, ordering: .relaxed)
            return try await hanging.next()
        }

        func allow() { permission.signal() }

        func cancel() {
            let isAllowed = permission.wait(timeout: .now() + 20) == .success
            outcome.withLock { $0 = $0 ?? isAllowed }
            hanging.cancel()
            allow()
        }
    }

    /// Pieces, each asked for when the loop has read what came before.
    private final class WatchedSource: BodySource {
        private let state: Mutex<(pieces: [Data], readings: [UploadPipe.Reading])>
        private let pipe: UploadPipe

        private let onEnd: @Sendable () -> Void

        init(_ pieces: [Data], _ pipe: UploadPipe, onEnd: @escaping @Sendable () -> Void = {}) {
            state = Mutex((pieces, []))
            self.pipe = pipe
            self.onEnd = onEnd
        }

        var readings: [UploadPipe.Reading] { state.withLock { $0.readings } }

        func next() async throws -> Data? {
            let reading = read()
            let piece = state.withLock { state in
                state.readings.append(reading)
                return state.pieces.isEmpty ? nil : state.pieces.removeFirst()
            }
            if piece == nil { onEnd() }
            return piece
        }

        func read() -> UploadPipe.Reading {
            var target = [UInt8](repeating: 0, count: 100)
            return target.withUnsafeMutableBytes { pipe.read(into: $0) }
        }

        func cancel() {}
    }

    /// Endless pieces of 10 kB, counted.
    private final class Endless: BodySource {
        let produced = Atomic(0)

        func next() async throws -> Data? {
            produced.wrappingAdd(10_000, ordering: .relaxed)
            return Data(count: 10_000)
        }

        func cancel() {}
    }
}
