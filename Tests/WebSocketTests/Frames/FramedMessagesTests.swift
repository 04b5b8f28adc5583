// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Synchronization
import Testing

@testable import StrataWebSocket

/// A connection of messages, such as a transport has that does the frames itself.
@Suite(.timeLimit(.minutes(10)))
struct FramedMessagesTests {
    /// An end in memory: says what it is given, and notes what it is told.
    private final class Messages: MessageConnection {
        private struct State {
            var told: [SocketMessage] = []
            var asked = 0
            var isCancelled = false
        }

        private let state = Mutex(State())
        private let input: AsyncStream<SocketMessage?>
        let say: AsyncStream<SocketMessage?>.Continuation
        let pong = SharedResult<Void>()

        init() { (input, say) = AsyncStream.makeStream() }

        var told: [SocketMessage] { state.withLock(\.told) }
        var asked: Int { state.withLock(\.asked) }
        var isCancelled: Bool { state.withLock(\.isCancelled) }

        func receive() async throws -> SocketMessage? {
            state.withLock { $0.asked += 1 }
            for await message in input { return message }
            throw NetworkClientError(.connectionLost, "gone")
        }

        func send(_ message: SocketMessage) async throws { state.withLock { $0.told.append(message) } }

        func ping() async throws { try await pong.value() }

        func cancel() {
            state.withLock { $0.isCancelled = true }
            say.finish()
        }
    }

    private func socket(_ messages: Messages, maximumMessageBytes: Int = 16 << 20) -> WebSocketEngine {
        WebSocketEngine(
            ByteChannel(FramedMessages(messages)), role: .client, terms: nil, clock: VirtualClock(),
            options: .init(ping: .never, maximumMessageBytes: maximumMessageBytes))
    }

    @Test func carriesMessagesOfEveryLengthInBothDirections() async throws {
        let messages = Messages()
        let engine = socket(messages)
        for length in [0, 1, 125, 126, 65_535, 65_536, 1_000_000] {
            let data = StoredBody.bytes(length, seed: 1)
            let text = data.base64EncodedString() + "é"
            try await engine.frames.send(.text, Data(text.utf8))
            try await engine.frames.send(.binary, data)
            #expect(messages.told.suffix(2) == [.text(text), .data(data)])
            messages.say.yield(.text(text))
            messages.say.yield(.data(data))
            #expect(try await engine.messages.next() == .text(text))
            #expect(try await engine.messages.next() == .data(data))
        }
    }

    @Test func aPingWaitsForThePeer() async throws {
        let messages = Messages()
        let engine = socket(messages)
        let pinged = Task { try await engine.ping() }
        messages.say.yield(.text("meanwhile"))
        #expect(try await engine.messages.next() == .text("meanwhile"))
        messages.pong.finish(.success(()))
        _ = try await pinged.value
    }

    @Test func bothClosesPass() async throws {
        let messages = Messages()
        let engine = socket(messages)
        let closing = Task { try await engine.close(WebSocket.Closure(.init(rawValue: 4000), reason: "why")) }
        while messages.told.isEmpty { await Task.yield() }
        #expect(messages.told == [.close(code: 4000, reason: "why")])
        messages.say.yield(.close(code: 4001, reason: "because"))
        try await closing.value
        #expect(engine.closure == WebSocket.Closure(.init(rawValue: 4001), reason: "because"))
        #expect(messages.isCancelled)
    }

    @Test func thePeersCloseIsAnswered() async throws {
        let messages = Messages()
        let engine = socket(messages)
        messages.say.yield(.text("last"))
        messages.say.yield(.close(code: 1005, reason: ""))
        #expect(try await engine.messages.next() == .text("last"))
        #expect(try await engine.messages.next() == nil)
        await engine.waitForEnd()
        #expect(engine.closure?.code == .noStatus)
        #expect(messages.told == [.close(code: 1005, reason: "")])
    }

    @Test func aConnectionThatEndsIsLost() async throws {
        for ends in [true, false] {
            let messages = Messages()
            let engine = socket(messages)
            if ends { messages.say.yield(nil) } else { messages.say.finish() }
            let error = await #expect(throws: NetworkClientError.self) { try await engine.messages.next() }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test func aMessageThatIsTooLargeEndsTheSocket() async throws {
        let messages = Messages()
        let engine = socket(messages, maximumMessageBytes: 10)
        messages.say.yield(.text(String(repeating: "x", count: 11)))
        let error = await #expect(throws: NetworkClientError.self) { try await engine.messages.next() }
        #expect(error?.code == .bodyTooLarge)
        await engine.waitForEnd()
        #expect(messages.told == [.close(code: 1009, reason: "")])
    }

    /// Nobody reads, and so nobody asks for more than one message.
    @Test func messagesAreAskedForOneByOne() async throws {
        let messages = Messages()
        let channel = ByteChannel(FramedMessages(messages))
        for number in 0..<5 { messages.say.yield(.text("\(number)")) }
        for number in 0..<5 {
            #expect(messages.asked == number)
            #expect(try await channel.read() == Data([0x81, 1, UInt8(ascii: "0") + UInt8(number)]))
        }
        let waiting = Task { try await channel.read() }
        while messages.asked == 5 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        // What it had asked for is for the next.
        messages.say.yield(.text("5"))
        #expect(try await channel.read() == Data([0x81, 1, UInt8(ascii: "5")]))
        #expect(messages.asked == 6)
    }

    @Test func aCancelEndsWhatWaits() async throws {
        let messages = Messages()
        let channel = ByteChannel(FramedMessages(messages))
        let waiting = Task { try await channel.read() }
        while messages.asked == 0 { await Task.yield() }
        channel.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(messages.isCancelled)
    }
}
