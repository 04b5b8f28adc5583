// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import StrataWebSocket
import TestSupport
import Testing

/// WebSockets, recorded and replayed.
@Suite(.timeLimit(.minutes(10)))
struct SocketCassetteTests {
    let tape: Tape

    init() throws { tape = try Tape() }

    /// Records a conversation, and the socket's end.
    func record(
        _ serve: @escaping @Sendable (WebSocket) async throws -> Void, options: WebSocket.Options = .init(ping: .never),
        recording: RecordingOptions = .init(), as client: (WebSocket) async throws -> Void
    ) async throws -> Cassette {
        let transport = ScriptedTransport(
            .webSocket(options: .init(ping: .never, compression: .init()), serve: serve))
        let (recorded, recorder) = try tape.recorder(transport, recording)
        do {
            let socket = try await recorded.webSocket("live?token=s3cret", options: options)
            try await client(socket)
            try await socket.close()
        }
        try recorder.finish()
        return try tape.cassette()
    }

    func open(_ transport: CassetteTransport, options: WebSocket.Options = .init(ping: .never)) async throws
        -> WebSocket
    {
        try await tape.client(transport).webSocket("live?token=another", options: options)
    }

    static let echo: @Sendable (WebSocket) async throws -> Void = { socket in
        while let message = try await socket.receive() { try await socket.send(message) }
    }

    private func message(_ generator: inout SeededGenerator) -> WebSocket.Message {
        let size = [0, 1, 125, 126, 300, 5000].randomElement(using: &generator) ?? 0
        let data = StoredBody.bytes(size, seed: generator.next())
        // Of letters in which no secret is found.
        let text = data.map { ["a", "b ", "é", "κ"][Int($0 & 3)] }.joined()
        return Bool.random(using: &generator) ? .data(data) : .text(text)
    }

    // MARK: What is recorded is replayed

    /// Whatever is said, and however it is compressed, the replay says the same.
    @Test(arguments: 0..<20 as Range<UInt64>) func aReplayIsTheRecording(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let script = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
            (
                sends: (0..<Int.random(in: 0...3, using: &generator)).map { _ in message(&generator) },
                answers: (0..<Int.random(in: 0...3, using: &generator)).map { _ in message(&generator) }
            )
        }
        let compression: WebSocket.Compression? = Bool.random(using: &generator) ? .init() : nil
        let closes = Bool.random(using: &generator)
        @Sendable func serve(_ socket: WebSocket) async throws {
            for turn in script {
                for _ in turn.sends { _ = try await socket.receive() }
                for answer in turn.answers { try await socket.send(answer) }
            }
            if closes { try await socket.close(.init(rawValue: 4007), reason: "enough") }
            while try await socket.receive() != nil {}
        }
        func converse(_ socket: WebSocket) async throws -> [WebSocket.Message] {
            var received: [WebSocket.Message] = []
            for turn in script {
                for message in turn.sends { try await socket.send(message) }
                for _ in turn.answers { received.append(try #require(try await socket.receive())) }
            }
            if closes {
                let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
                #expect(
                    error?.cause as? WebSocket.Closure
                        == WebSocket.Closure(.init(rawValue: 4007), reason: "enough"))
            }
            return received
        }
        var received: [WebSocket.Message] = []
        let cassette = try await record(serve, options: .init(ping: .never, compression: compression)) {
            received = try await converse($0)
        }
        #expect(received == script.flatMap(\.answers))
        for compression in [nil, WebSocket.Compression()] {
            let transport = CassetteTransport(cassette)
            let socket = try await open(transport, options: .init(ping: .never, compression: compression))
            #expect(try await converse(socket) == received)
            try await socket.close()
            try transport.verify()
        }
    }

    @Test func messagesComeWhenTheyCame() async throws {
        let clock = tape.clock
        let cassette = try await record({ socket in
            for second in [2, 3, 5] {
                clock.advance(by: .seconds(second))
                try await socket.send("after \(second)")
                // The client has it before time goes on.
                _ = try await socket.receive()
            }
        }) { socket in
            for _ in 0..<3 {
                _ = try await socket.receive()
                try await socket.send("ok")
            }
        }
        for (time, ends) in [
            (ReplayTime.asRecorded, [2, 5, 10]), (.scaled(by: 10), [20, 50, 100]), (.immediate, [0, 0, 0]),
        ] {
            let replay = try Tape()
            let socket = try await replay.client(CassetteTransport(cassette, time: time))
                .webSocket("live?token=x", options: .init(ping: .never))
            for second in ends {
                _ = try await socket.receive()
                #expect(replay.clock.now == .seconds(second))
                try await socket.send("ok")
            }
            try await socket.close()
        }
    }

    @Test func pingsAreAnsweredAndNotRecorded() async throws {
        let cassette = try await record(Self.echo) { socket in
            try await socket.ping()
            try await socket.send("a")
            _ = try await socket.receive()
        }
        let messages = try tape.entries()[0]["_webSocketMessages"]
        #expect(messages?.array?.map { $0["opcode"] } == [1, 1, 8, 8])
        let socket = try await open(CassetteTransport(cassette))
        try await socket.ping()
        try await socket.send("a")
        try await socket.ping()
        #expect(try await socket.receive() == .text("a"))
    }

    @Test func aSubprotocolIsChosenAgain() async throws {
        let transport = ScriptedTransport(.webSocket(subprotocol: "ticks.v1", serve: Self.echo))
        let (client, recorder) = try tape.recorder(transport)
        try await client.webSocket("live", protocols: ["ticks.v1"]).close()
        try recorder.finish()
        let socket = try await tape.client(CassetteTransport(tape.cassette())).webSocket(
            "live", protocols: ["ticks.v1"])
        #expect(socket.subprotocol == "ticks.v1")
    }

    @Test func aRefusedHandshakeIsRefusedAgain() async throws {
        let (client, recorder) = try tape.recorder(ScriptedTransport([.status(403, body: Data("no".utf8))]))
        await #expect(throws: NetworkClientError.self) { _ = try await client.webSocket("live") }
        try recorder.finish()
        let error = try await #require(throws: NetworkClientError.self) {
            _ = try await tape.client(CassetteTransport(tape.cassette())).webSocket("live")
        }
        #expect(error.response?.status == .forbidden && error.body == Data("no".utf8))
    }

    // MARK: What the file holds

    @Test func theFileHasTheMembersOfChromium() async throws {
        let clock = tape.clock
        _ = try await record({ socket in
            while let message = try await socket.receive() {
                clock.advance(by: .milliseconds(1250))
                try await socket.send(message)
            }
        }) { socket in
            try await socket.send("hello")
            _ = try await socket.receive()
            try await socket.send(Data([0, 255]))
            _ = try await socket.receive()
        }
        let entry = try #require(try tape.entries().first)
        #expect(entry["_resourceType"] == "websocket")
        #expect(entry["response"]?["status"] == 101)
        let messages = try #require(entry["_webSocketMessages"]?.array)
        #expect(messages.map { $0["type"] } == ["send", "receive", "send", "receive", "send", "receive"])
        #expect(messages.map { $0["opcode"] } == [1, 1, 2, 2, 8, 8])
        #expect(messages.prefix(4).map { $0["data"] } == ["hello", "hello", "AP8=", "AP8="])
        #expect(messages.prefix(4).map { $0["_offset"] } == [0, 1250, 1250, 2500])
        // 2026-01-01, in seconds.
        #expect(messages[3]["time"] == 1_767_225_602.5)
    }

    @Test func secretsAreMaskedAndStillFit() async throws {
        let secret = "pl4nted-s3cret-of-a-socket"
        @Sendable func login(_ token: String) -> String { #"{"access_token": "\#(token)", "id": 1}"# }
        let cassette = try await record({ socket in
            _ = try await socket.receive()
            try await socket.send(login(secret))
            try await socket.send(Data("Authorization: Bearer \(secret)".utf8))
            try await socket.close(.init(rawValue: 4001), reason: "password=\(secret)")
        }) { socket in
            try await socket.send(login(secret))
            _ = try await socket.receive()
            _ = try await socket.receive()
            await #expect(throws: NetworkClientError.self) { try await socket.receive() }
        }
        #expect(try tape.everything().allSatisfy { !$0.contains(secret) })
        let transport = CassetteTransport(cassette)
        let socket = try await open(transport)
        try await socket.send(login("of-another-day"))
        #expect(try await socket.receive() == .text(login("***")))
        #expect(try await socket.receive() == .data(Data("Authorization: Bearer ***".utf8)))
        try await socket.close()
        try transport.verify()
    }

    @Test func largeMessagesAreFilesOfTheirOwn() async throws {
        let (text, data) = (String(repeating: "long ", count: 1000), StoredBody.bytes(5000, seed: 1))
        var options = RecordingOptions()
        options.largestInlineBody = 1000
        let cassette = try await record(Self.echo, recording: options) { socket in
            for message in [WebSocket.Message.text(text), .data(data), .text("short")] {
                try await socket.send(message)
                _ = try await socket.receive()
            }
        }
        let messages = try #require(try tape.entries()[0]["_webSocketMessages"]?.array)
        #expect(messages.map { $0["_file"] != nil } == [true, true, true, true, false, false, false, false])
        let transport = CassetteTransport(cassette)
        let socket = try await open(transport)
        for message in [WebSocket.Message.text(text), .data(data), .text("short")] {
            try await socket.send(message)
            #expect(try await socket.receive() == message)
        }
        try await socket.close()
        try transport.verify()
        // Recorded anew, their files go.
        let files = try FileManager.default.subpathsOfDirectory(atPath: tape.folder.url.path).filter {
            $0.hasSuffix(".bin")
        }
        #expect(files.count == 4)
    }

    @Test func messagesAreLeftOutWhereBodiesAre() async throws {
        var options = RecordingOptions()
        options.recordsBodies = false
        let cassette = try await record(Self.echo, recording: options) { socket in
            try await socket.send("secret")
            _ = try await socket.receive()
        }
        #expect(try tape.everything().allSatisfy { !$0.contains("c2VjcmV0") && !$0.contains(#""secret""#) })
        let error = await #expect(throws: NetworkClientError.self) { _ = try await open(CassetteTransport(cassette)) }
        #expect((error?.cause as? CassetteError)?.member == "log.entries[0]._webSocketMessages[1]")
    }

    // MARK: What is not as recorded

    func conversation() async throws -> Cassette {
        try await record(Self.echo) { socket in
            try await socket.send(#"{"id": 1, "method": "subscribe"}"#)
            _ = try await socket.receive()
            try await socket.send("second")
            _ = try await socket.receive()
        }
    }

    @Test(arguments: [
        (WebSocket.Message.text(#"{"id": 2, "method": "subscribe"}"#), #"body.id is "1" there and "2" here"#),
        (.text("something else"), "differ at byte 0"),
        (.data(Data(#"{"id": 1, "method": "subscribe"}"#.utf8)), "it is text there and data here"),
    ])
    func anotherMessageSaysWhatDiffers(_ message: WebSocket.Message, _ difference: String) async throws {
        let transport = CassetteTransport(try await conversation())
        let socket = try await open(transport)
        let error = await #expect(throws: NetworkClientError.self) { try await socket.send(message) }
        #expect(error?.code == .unsupportedByTransport)
        #expect(
            error?.message.hasPrefix(
                "the socket of entry 0 of tape.har, https://api.example/live?token=***: message 0 of the client, the first being 0: "
            )
                == true)
        #expect(error?.message.contains(difference) == true)
        let received = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
        #expect(received?.message == error?.message)
        let verdict = #expect(throws: CassetteError.self) { try transport.verify() }
        #expect(verdict?.kind == .unmatched && verdict?.message == error?.message)
    }

    @Test func aMessageTooManyIsAnError() async throws {
        let transport = CassetteTransport(try await conversation())
        let socket = try await open(transport)
        try await socket.send(#"{"method":"subscribe","id":1.0}"#)
        try await socket.send("second")
        let error = await #expect(throws: NetworkClientError.self) { try await socket.send("third") }
        #expect(error?.message.contains("a message that was not recorded") == true)
        #expect(throws: CassetteError.self) { try transport.verify() }
    }

    @Test func aMessageTooFewFailsTheVerification() async throws {
        let cassette = try await conversation()
        var options = ReplayOptions()
        for allows in [false, true] {
            options.allowsUnused = allows
            let transport = CassetteTransport(cassette, options: options)
            let socket = try await open(transport)
            try await socket.send(#"{"id": 1, "method": "subscribe"}"#)
            try await socket.close()
            if allows {
                try transport.verify()
            } else {
                let verdict = #expect(throws: CassetteError.self) { try transport.verify() }
                #expect(verdict?.kind == .unused)
                #expect(verdict?.message == "the client of entry 0 has not sent 1 of its recorded messages")
            }
        }
    }

    @Test func messagesMayBeComparedOtherwise() async throws {
        let cassette = try await conversation()
        var options = ReplayOptions()
        options.messages = .json(ignoring: ["id"])
        let socket = try await open(CassetteTransport(cassette, options: options))
        try await socket.send(#"{"id": 99, "method": "subscribe"}"#)
        options.messages = .exact
        let exact = try await open(CassetteTransport(cassette, options: options))
        await #expect(throws: NetworkClientError.self) { try await exact.send(#"{"id":1,"method":"subscribe"}"#) }
    }

    @Test func aCallForNoSocketDoesNotGetOne() async throws {
        let transport = CassetteTransport(try await conversation())
        let response = try await transport.send(TransportRequest(url: "https://api.example/live?token=x"))
        #expect(response.channel == nil && response.head.status == .switchingProtocols)
    }
}
