// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Synchronization
import Testing

struct ByteChannelTests {
    /// Gives the pieces, then what its end is, and notes what it is asked to do. A call waits where the script says so.
    private final class Script: ByteConnection {
        struct State {
            var pieces: [Data]
            var calls: [String] = []
            var writesUnderWay = 0
            var mostWritesAtOnce = 0
        }

        let state: Mutex<State>
        let end: (any Error)?
        let writeFailure: (any Error)?

        init(_ pieces: [String] = [], end: (any Error)? = nil, writeFailure: (any Error)? = nil) {
            state = Mutex(State(pieces: pieces.map { Data($0.utf8) }))
            self.end = end
            self.writeFailure = writeFailure
        }

        var calls: [String] { state.withLock(\.calls) }

        func read() async throws -> Data? {
            let piece = state.withLock { state -> Data? in
                state.calls.append("read")
                return state.pieces.isEmpty ? nil : state.pieces.removeFirst()
            }
            if piece == nil, let end { throw end }
            return piece
        }

        func write(_ bytes: Data) async throws {
            state.withLock { state in
                state.calls.append("write \(String(decoding: bytes, as: UTF8.self))")
                state.writesUnderWay += 1
                state.mostWritesAtOnce = max(state.mostWritesAtOnce, state.writesUnderWay)
            }
            await Task.yield()
            state.withLock { $0.writesUnderWay -= 1 }
            if let writeFailure { throw writeFailure }
        }

        func closeOutput() async throws { state.withLock { $0.calls.append("closeOutput") } }

        func cancel() { state.withLock { $0.calls.append("cancel") } }
    }

    private func bytes(_ text: String) -> Data { Data(text.utf8) }

    @Test func givesTheBytesAndThenTheEndForEver() async throws {
        let script = Script(["a", "", "b"])
        let channel = ByteChannel(script)
        #expect(try await channel.read() == bytes("a"))
        #expect(try await channel.read() == bytes("b"))
        for _ in 0..<3 { #expect(try await channel.read() == nil) }
        // The end is asked for once.
        #expect(script.calls == ["read", "read", "read", "read"])
    }

    @Test func writesNothingWhereThereIsNothing() async throws {
        let script = Script()
        let channel = ByteChannel(script)
        try await channel.write(Data())
        try await channel.write(bytes("a"))
        #expect(script.calls == ["write a"])
    }

    @Test func letsOneWriteThroughAtATime() async throws {
        let script = Script()
        let channel = ByteChannel(script)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 { group.addTask { try await channel.write(bytes("\(number)")) } }
            try await group.waitForAll()
        }
        #expect(script.state.withLock(\.mostWritesAtOnce) == 1)
        #expect(script.calls.count == 50)
    }

    @Test func closesItsOutputOnceAndReadsOn() async throws {
        let script = Script(["a"])
        let channel = ByteChannel(script)
        try await channel.closeOutput()
        try await channel.closeOutput()
        await #expect {
            try await channel.write(bytes("x"))
        } throws: { ($0 as? NetworkClientError)?.code == .invalidRequest }
        #expect(try await channel.read() == bytes("a"))
        #expect(script.calls == ["closeOutput", "read"])
    }

    @Test func isOverWhenItIsCancelled() async throws {
        let script = Script(["a"])
        let channel = ByteChannel(script)
        channel.cancel()
        await #expect(throws: CancellationError.self) { try await channel.read() }
        await #expect(throws: CancellationError.self) { try await channel.write(bytes("x")) }
        await #expect(throws: CancellationError.self) { try await channel.closeOutput() }
        #expect(script.calls == ["cancel"])
    }

    @Test func isCancelledWhenNobodyHasItAnyMore() {
        let script = Script()
        do { _ = ByteChannel(script) }
        #expect(script.calls == ["cancel"])
    }

    @Test func aFailedReadIsItsReadersAlone() async throws {
        let script = Script(end: NetworkClientError(.connectionLost, "reset"))
        let channel = ByteChannel(script)
        await #expect { try await channel.read() } throws: { ($0 as? NetworkClientError)?.code == .connectionLost }
        try await channel.write(bytes("a"))
        #expect(script.calls == ["read", "write a"])
    }

    @Test func aWriteThatIsCancelledHalfwayEndsTheChannel() async throws {
        let script = Script(writeFailure: CancellationError())
        let channel = ByteChannel(script)
        await #expect(throws: CancellationError.self) { try await channel.write(bytes("a")) }
        #expect(script.calls == ["write a", "cancel"])
        await #expect(throws: CancellationError.self) { try await channel.read() }
    }

    @Test func aWriteThatIsCancelledBeforeItsTurnWritesNothing() async throws {
        let (one, two) = MemoryConnection.pair(capacity: 1)
        let (channel, peer) = (ByteChannel(one), ByteChannel(two))
        let first = Task { try await channel.write(bytes("aa")) }
        while one.unread == 0 { await Task.yield() }
        let second = Task { try await channel.write(bytes("b")) }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await peer.read() == bytes("aa"))
        try await first.value
        let third = Task { try await channel.write(bytes("c")) }
        #expect(try await peer.read() == bytes("c"))
        try await third.value
    }

    @Test func aCancelledReadTakesNothing() async throws {
        let (channel, peer) = ByteChannel.pair()
        let read = Task { try await channel.read() }
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        try await peer.write(bytes("a"))
        #expect(try await channel.read() == bytes("a"))
    }

    @Test func closingDropsWhatStillComesAndEnds() async throws {
        let script = Script(["a", "b"])
        let channel = ByteChannel(script)
        await channel.close()
        #expect(script.calls == ["closeOutput", "read", "read", "read", "cancel"])
        await #expect(throws: CancellationError.self) { try await channel.read() }
    }

    @Test func closingDoesNotWaitForAPeerThatGoesOn() async throws {
        let (channel, peer) = ByteChannel.pair()
        await channel.close(within: .milliseconds(1))
        #expect(try await peer.read() == nil)
        await #expect { try await peer.write(bytes("x")) } throws: {
            ($0 as? NetworkClientError)?.code == .connectionLost
        }
    }

    @Test func closingAfterALossDoesNotThrow() async {
        let script = Script(end: NetworkClientError(.connectionLost, "reset"))
        let channel = ByteChannel(script)
        await channel.close()
        #expect(script.calls == ["closeOutput", "read", "cancel"])
    }

    @Test func showsNothingOfWhatPasses() {
        let channel = ByteChannel(Script(["opensesame"]))
        var dumped = "\(channel) \(String(reflecting: channel))"
        dump(channel, to: &dumped)
        #expect(!dumped.contains("opensesame"))
    }

    // MARK: A pair

    @Test func eachEndIsTheOthersPeer() async throws {
        let (one, two) = ByteChannel.pair()
        try await one.write(bytes("a"))
        try await two.write(bytes("b"))
        #expect(try await two.read() == bytes("a"))
        #expect(try await one.read() == bytes("b"))
        try await one.closeOutput()
        #expect(try await two.read() == nil)
        try await two.write(bytes("c"))
        #expect(try await one.read() == bytes("c"))
    }

    @Test func aFullPairHoldsItsWriterBack() async throws {
        let (one, two) = ByteChannel.pair(capacity: 3)
        try await one.write(bytes("ab"))
        let write = Task { try await one.write(bytes("cd")) }
        #expect(try await two.read() == bytes("ab"))
        #expect(try await two.read() == bytes("cd"))
        try await write.value
    }

    @Test func theOtherEndOfACancelledPairHasLostTheConnection() async throws {
        let (one, two) = ByteChannel.pair()
        try await one.write(bytes("a"))
        one.cancel()
        #expect(try await two.read() == bytes("a"))
        await #expect { try await two.read() } throws: { ($0 as? NetworkClientError)?.code == .connectionLost }
        await #expect { try await two.write(bytes("x")) } throws: {
            ($0 as? NetworkClientError)?.code == .connectionLost
        }
    }

    @Test func cancellingEndsAReadThatWaits() async throws {
        let (one, two) = ByteChannel.pair()
        let read = Task { try await one.read() }
        for _ in 0..<10 { await Task.yield() }
        one.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        _ = two
    }

    // MARK: Executors

    /// Runs what it is given on the spot.
    private final class Here: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private final class OnLoop: ExecutorConnection {
        let executor: (any TaskExecutor)?

        init(_ executor: (any TaskExecutor)?) { self.executor = executor }

        func read() async throws -> Data? { nil }
        func write(_ bytes: Data) async throws {}
        func closeOutput() async throws {}
        func cancel() {}
    }

    /// Others would have their tasks run where they had not asked for it.
    @Test func anExecutorIsForTasksThatPreferIt() async {
        let (loop, other) = (Here(), Here())
        let channel = ByteChannel(OnLoop(loop))
        #expect(channel.preferredExecutor == nil)
        let onLoop = Task(executorPreference: loop) { channel.preferredExecutor === loop }
        #expect(await onLoop.value)
        let elsewhere = Task(executorPreference: other) { channel.preferredExecutor == nil }
        #expect(await elsewhere.value)
        let none = Task(executorPreference: loop) {
            (ByteChannel(OnLoop(nil)).preferredExecutor, ByteChannel(Script()).preferredExecutor)
        }
        let (unnamed, plain) = await none.value
        #expect(unnamed == nil && plain == nil)
    }
}
