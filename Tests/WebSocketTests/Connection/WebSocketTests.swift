// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

@testable import StrataWebSocket

@Suite(.timeLimit(.minutes(10)))
struct WebSocketTests {
    private struct Tick: Codable, Equatable {
        var price: Int
    }

    // MARK: Messages

    @Test func sendsAndReceivesTextAndData() async throws {
        let socket = try await NetworkClient(serving: echo).webSocket("live")
        try await socket.send("hello, κόσμε")
        try await socket.send(Data([0, 255]))
        try await socket.send("")
        #expect(try await socket.receive() == .text("hello, κόσμε"))
        #expect(try await socket.receive() == .data(Data([0, 255])))
        #expect(try await socket.receive() == .text(""))
        try await socket.close()
        #expect(socket.closure == WebSocket.Closure(.normal))
        #expect(try await socket.receive() == nil)
        #expect(try await socket.receive() == nil)
    }

    @Test func readsModels() async throws {
        let client = NetworkClient(serving: { socket in
            #expect(try await socket.receive() == .text(#"{"price":1}"#))
            for price in 2...3 { try await socket.send(json: Tick(price: price)) }
            try await socket.send("plain")
        })
        let socket = try await client.webSocket("live")
        try await socket.send(json: Tick(price: 1))
        #expect(try await socket.receive(as: Tick.self) == Tick(price: 2))
        var ticks: [Tick] = []
        let error = await #expect(throws: NetworkClientError.self) {
            for try await tick in socket.messages(decoding: Tick.self) { ticks.append(tick) }
        }
        #expect(ticks == [Tick(price: 3)])
        #expect(error?.code == .decodingFailed)
        #expect(error?.body == Data("plain".utf8))
    }

    @Test func longMessagesPassInFragments() async throws {
        let data = StoredBody.bytes(1_000_000, seed: 1)
        let socket = try await NetworkClient(serving: echo).webSocket("live")
        async let sent: Void = socket.send(data)
        #expect(try await socket.receive() == .data(data))
        try await sent
    }

    @Test func messagesOfManyTasksStayWhole() async throws {
        let socket = try await NetworkClient(serving: echo).webSocket("live")
        let letters = (0..<20).map { String(repeating: Character(UnicodeScalar(97 + $0)!), count: 300_000) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for letter in letters { group.addTask { try await socket.send(letter) } }
            var received: Set<String> = []
            for _ in letters {
                guard case .text(let text) = try await socket.receive() else { break }
                received.insert(text)
            }
            #expect(received == Set(letters))
            try await group.waitForAll()
        }
    }

    // MARK: Loops

    @Test func theLoopEndsWhenThePeerClosesInOrder() async throws {
        for code in [WebSocket.CloseCode.normal, .goingAway] {
            let client = NetworkClient(serving: { socket in
                try await socket.send("a")
                try await socket.close(code, reason: "bye")
            })
            let socket = try await client.webSocket("live")
            var messages: [WebSocket.Message] = []
            for try await message in socket.messages { messages.append(message) }
            #expect(messages == [.text("a")])
            #expect(socket.closure == WebSocket.Closure(code, reason: "bye"))
        }
    }

    @Test func aCloseForAFailureIsAnError() async throws {
        let client = NetworkClient(serving: { socket in
            try await socket.send("a")
            try await socket.close(.init(rawValue: 4400), reason: "token=secret")
        })
        let socket = try await client.webSocket("live")
        #expect(try await socket.receive() == .text("a"))
        let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
        #expect(error?.code == .errorEvent)
        #expect(error?.cause as? WebSocket.Closure == WebSocket.Closure(.init(rawValue: 4400), reason: "token=secret"))
        #expect(error?.response?.status == .switchingProtocols)
        #expect(error.map { "\($0)" }?.contains("secret") == false)
        #expect(error.map { String(reflecting: $0) }?.contains("secret") == false)
    }

    @Test func leavingTheLoopClosesWith1001() async throws {
        let closure = SharedResult<WebSocket.Closure?>()
        let client = NetworkClient(serving: { socket in
            try await socket.send("a")
            while try await socket.receive() != nil {}
            closure.finish(.success(socket.closure))
        })
        let socket = try await client.webSocket("live")
        for try await _ in socket.messages { break }
        #expect(try await closure.value() == WebSocket.Closure(.goingAway))
        await #expect(throws: NetworkClientError.self) { try await socket.send("late") }
    }

    @Test func theLastReferenceCloses() async throws {
        let closure = SharedResult<WebSocket.Closure?>()
        let client = NetworkClient(serving: { socket in
            while try await socket.receive() != nil {}
            closure.finish(.success(socket.closure))
        })
        _ = try await client.webSocket("live")
        #expect(try await closure.value() == WebSocket.Closure(.goingAway))
    }

    @Test func anEndWithoutACloseIsALostConnection() async throws {
        let client = NetworkClient(channel: { channel in try await channel.write(Frames.text("a") + [0x81, 5, 0x61]) })
        let socket = try await client.webSocket("live")
        #expect(try await socket.receive() == .text("a"))
        for _ in 0..<2 {
            let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
            #expect(error?.code == .connectionLost)
        }
        #expect(socket.closure == WebSocket.Closure(.abnormal))
        let error = await #expect(throws: NetworkClientError.self) { try await socket.send("late") }
        #expect(error?.code == .connectionLost)
    }

    // MARK: What the peer may not send

    @Test(
        arguments: [
            (Frames.more("no start"), 1002, NetworkClientError.Code.protocolViolation),
            (Frames.frame(.text, [0xff]), 1007, .protocolViolation),
            (Frames.text(String(repeating: "a", count: 1001)), 1009, .bodyTooLarge),
        ] as [(Data, UInt16, NetworkClientError.Code)])
    func tellsThePeerWhatItMayNotSend(_ bytes: Data, _ status: UInt16, _ code: NetworkClientError.Code) async throws {
        let told = SharedResult<FrameEvent?>()
        let client = NetworkClient(channel: { channel in
            try await channel.write(Frames.text("before") + bytes)
            var frames = ClientFrames(channel)
            told.finish(.success(try await frames.next()))
        })
        let socket = try await client.webSocket("live", options: .init(maximumMessageBytes: 1000))
        #expect(try await socket.receive() == .text("before"))
        let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
        #expect(error?.code == code)
        #expect(try await told.value() == .close(WebSocket.Closure(.init(rawValue: status))))
    }

    // MARK: Control frames

    @Test func answersPingsWhileNobodyReads() async throws {
        let pongs = SharedResult<[FrameEvent?]>()
        let client = NetworkClient(channel: { channel in
            for number in 0..<10 as Range<UInt8> { try await channel.write(Frames.frame(.ping, [number])) }
            var frames = ClientFrames(channel)
            var events: [FrameEvent?] = []
            for _ in 0..<10 { events.append(try await frames.next()) }
            pongs.finish(.success(events))
        })
        let socket = try await client.webSocket("live")
        #expect(try await pongs.value() == (0..<10 as Range<UInt8>).map { .pong(Data([$0])) })
        _ = socket
    }

    @Test func measuresAPing() async throws {
        let clock = VirtualClock()
        let client = NetworkClient(
            clock: clock,
            channel: { channel in
                var frames = ClientFrames(channel)
                while let event = try await frames.next() {
                    guard case .ping(let payload) = event else { continue }
                    clock.advance(by: .milliseconds(30))
                    // One that nobody has asked for counts for nothing.
                    try await channel.write(Frames.frame(.pong, [1, 2, 3]) + Frames.frame(.pong, payload))
                }
            })
        let socket = try await client.webSocket("live", options: .init(ping: .never))
        #expect(try await socket.ping() == .milliseconds(30))
        socket.cancel()
        await #expect(throws: (any Error).self) { try await socket.ping() }
    }

    @Test func aPeerThatAnswersNoPingIsDead() async throws {
        let clock = VirtualClock()
        let pinged = SharedResult<FrameEvent?>()
        let client = NetworkClient(
            clock: clock,
            channel: { channel in
                var frames = ClientFrames(channel)
                pinged.finish(.success(try await frames.next()))
                while try await frames.next() != nil {}
            })
        let socket = try await client.webSocket(
            "live", options: .init(ping: .every(.seconds(20), within: .seconds(5))))
        let reading = Task { try await socket.receive() }
        // As often as it takes: the wait for the ping may begin after the first step.
        let moving = Task { while !Task.isCancelled { clock.advance(by: .seconds(1)); await Task.yield() } }
        defer { moving.cancel() }
        #expect(try await pinged.value() == .ping(Data("1".utf8)))
        let error = await #expect(throws: NetworkClientError.self) { try await reading.value }
        #expect(error?.code == .timedOut)
        #expect(error?.timeout == .idle)
    }

    // MARK: Closing

    @Test func closeWaitsForThePeerWithinItsLimit() async throws {
        let clock = VirtualClock()
        let closing = SharedResult<FrameEvent?>()
        let client = NetworkClient(
            clock: clock,
            channel: { channel in
                var frames = ClientFrames(channel)
                closing.finish(.success(try await frames.next()))
                while try await channel.read() != nil {}
            })
        let socket = try await client.webSocket("live", options: .init(ping: .never))
        let close = Task { try await socket.close(.init(rawValue: 4000), reason: "enough") }
        #expect(
            try await closing.value() == .close(WebSocket.Closure(.init(rawValue: 4000), reason: "enough")))
        let moving = Task { while !Task.isCancelled { clock.advance(by: .seconds(1)); await Task.yield() } }
        try await close.value
        moving.cancel()
        #expect(socket.closure == WebSocket.Closure(.abnormal))
        #expect(try await socket.receive() == nil)
    }

    @Test func closeGoesBehindWhatWaits() async throws {
        let received = SharedResult<[WebSocket.Message]>()
        let client = NetworkClient(serving: { socket in
            var messages: [WebSocket.Message] = []
            while let message = try await socket.receive() { messages.append(message) }
            received.finish(.success(messages))
        })
        let socket = try await client.webSocket("live")
        for number in 0..<5 { try await socket.send("\(number)") }
        try await socket.close()
        #expect(try await received.value() == (0..<5).map { .text("\($0)") })
    }

    @Test func refusesACloseThatMayNotBeSent() async throws {
        let socket = try await NetworkClient(serving: echo).webSocket("live")
        for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 2999, 5000] {
            let error = await #expect(throws: NetworkClientError.self) {
                try await socket.close(.init(rawValue: code))
            }
            #expect(error?.code == .invalidRequest)
        }
        await #expect(throws: NetworkClientError.self) {
            try await socket.close(reason: String(repeating: "a", count: 124))
        }
        try await socket.send("still open")
        #expect(try await socket.receive() == .text("still open"))
    }

    @Test func answersTheCloseOfThePeerWithItsStatus() async throws {
        let answer = SharedResult<FrameEvent?>()
        let client = NetworkClient(channel: { channel in
            try await channel.write(Frames.close(3999, "x".utf8))
            var frames = ClientFrames(channel)
            answer.finish(.success(try await frames.next()))
        })
        let socket = try await client.webSocket("live")
        await #expect(throws: NetworkClientError.self) { try await socket.receive() }
        #expect(try await answer.value() == .close(WebSocket.Closure(.init(rawValue: 3999), reason: "x")))
    }

    // MARK: Flow

    @Test func aSlowReaderSlowsThePeer() async throws {
        let sent = Mutex(0)
        let client = NetworkClient(serving: { socket in
            for _ in 0..<1000 {
                try await socket.send(Data(count: 10_000))
                sent.withLock { $0 += 1 }
            }
        })
        let socket = try await client.webSocket("live")
        #expect(try await socket.receive() == .data(Data(count: 10_000)))
        for _ in 0..<2000 { await Task.yield() }
        // What both ends hold: a queue of 64 KiB, and 64 KiB under way.
        #expect(sent.withLock { $0 } < 60)
        var count = 1
        while try await socket.receive() != nil { count += 1 }
        #expect(count == 1000)
    }

    @Test func aSendWaitsForRoom() async throws {
        let goOn = SharedResult<Void>()
        let client = NetworkClient(channel: { channel in
            try await goOn.value()
            var frames = ClientFrames(channel)
            while try await frames.next() != nil {}
        })
        let socket = try await client.webSocket("live")
        let sent = Mutex(0)
        let sending = Task {
            for _ in 0..<100 {
                try await socket.send(Data(count: 10_000))
                sent.withLock { $0 += 1 }
            }
        }
        for _ in 0..<2000 { await Task.yield() }
        #expect(sent.withLock { $0 } < 20)
        goOn.finish(.success(()))
        try await sending.value
    }

    @Test func aCancelledSendLeavesNoHalfOfAFrame() async throws {
        let (hasBegun, goOn) = (SharedResult<Void>(), SharedResult<Void>())
        let received = SharedResult<[FrameEvent]>()
        let client = NetworkClient(channel: { channel in
            var frames = ClientFrames(channel)
            try await frames.read()
            hasBegun.finish(.success(()))
            try await goOn.value()
            var events: [FrameEvent] = []
            while let event = try await frames.next() {
                events.append(event)
                if case .close = event { break }
            }
            try await channel.write(Frames.close(1000))
            received.finish(.success(events))
        })
        let socket = try await client.webSocket("live")
        // More than the channel holds, so that the first is in the middle of it, and the second waits for its turn.
        let first = Task { try await socket.send(String(repeating: "a", count: 700_000)) }
        try await hasBegun.value()
        let second = Task { try await socket.send("never sent") }
        for _ in 0..<200 { await Task.yield() }
        for task in [first, second] { task.cancel() }
        for task in [first, second] {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        let third = Task { try await socket.send("third") }
        goOn.finish(.success(()))
        try await third.value
        try await socket.close()
        let events = try await received.value()
        #expect(
            events == [
                .message(.text(String(repeating: "a", count: 700_000))), .message(.text("third")),
                .close(WebSocket.Closure(.normal)),
            ])
    }

    @Test func aCancelledReceiveTakesNothing() async throws {
        let goOn = SharedResult<Void>()
        let client = NetworkClient(serving: { socket in
            try await goOn.value()
            try await socket.send("a")
            while try await socket.receive() != nil {}
        })
        let socket = try await client.webSocket("live")
        let reading = Task { try await socket.receive() }
        for _ in 0..<50 { await Task.yield() }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        goOn.finish(.success(()))
        #expect(try await socket.receive() == .text("a"))
    }

    @Test func cancellingTheSocketEndsWhatWaits() async throws {
        let client = NetworkClient(channel: { channel in while try await channel.read() != nil {} })
        let socket = try await client.webSocket("live")
        let reading = Task { try await socket.receive() }
        for _ in 0..<50 { await Task.yield() }
        socket.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }
}
