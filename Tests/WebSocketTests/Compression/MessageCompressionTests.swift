// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import TestSupport
import Testing

@testable import StrataWebSocket

@Suite(.timeLimit(.minutes(10)))
struct MessageCompressionTests {
    private func check(
        _ bytes: Data, gives events: [FrameEvent], _ status: WebSocket.CloseCode? = nil,
        limits: MessageLimits = MessageLimits(), keepsContext: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let readings = Frames.readAtEverySplit(bytes, limits: limits) { MessageInflater(keepsContext: keepsContext) }
        #expect(readings == [Frames.Reading((events, readings.first?.failure))], sourceLocation: sourceLocation)
        #expect(readings.first?.failure?.status == status, sourceLocation: sourceLocation)
    }

    /// RFC 7692 §7.2.3.
    @Test func readsTheExamplesOfTheStandard() {
        let hello: [FrameEvent] = [.message(.text("Hello"))]
        check(Data([0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]), gives: hello)
        check(
            Data([0x41, 0x03, 0xf2, 0x48, 0xcd, 0x80, 0x04, 0xc9, 0xc9, 0x07, 0x00]), gives: hello)
        // The window goes on, and with it "Hello" is five bytes.
        let first = Data([0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00])
        check(first + Data([0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00]), gives: hello + hello)
        check(
            first + Data([0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00]), gives: hello, .invalidPayload, keepsContext: false
        )
        // Without compression.
        check(
            Data([0xc1, 0x0b, 0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00]), gives: hello)
        // With a final block, and the window goes on behind it.
        let final = Data([0xc1, 0x08, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00])
        check(final, gives: hello)
        check(final + Data([0xc1, 0x05, 0xf2, 0x00, 0x11, 0x00, 0x00]), gives: hello + hello)
        // Two blocks.
        check(
            Data([0xc1, 0x0d, 0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00]),
            gives: hello)
        // No bytes at all.
        check(Data([0xc1, 0x01, 0x00]), gives: [.message(.text(""))])
    }

    @Test func messagesThatAreNotCompressedPassBetween() {
        check(
            Frames.text("plain") + Data([0xc1, 0x07, 0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]) + Frames.text("plain"),
            gives: [.message(.text("plain")), .message(.text("Hello")), .message(.text("plain"))])
    }

    @Test func refusesTheMarkWhereItMayNotBe() {
        check(Frames.frame(.ping, [], isCompressed: true), gives: [], .protocolError)
        check(
            Data([0x41, 0x03, 0xf2, 0x48, 0xcd]) + Data([0xc0, 0x04, 0xc9, 0xc9, 0x07, 0x00]), gives: [],
            .protocolError)
    }

    @Test func refusesWhatIsNotDeflate() {
        check(Frames.frame(.binary, [0xff, 0xff, 0xff], isCompressed: true), gives: [], .invalidPayload)
        // Cut off within a block.
        check(Frames.frame(.binary, [0xf2, 0x48, 0xcd], isCompressed: true), gives: [], .invalidPayload)
        // A stored block of which half is missing.
        check(
            Frames.frame(.binary, [0x00, 0x05, 0x00, 0xfa, 0xff, 0x48], isCompressed: true), gives: [], .invalidPayload)
    }

    @Test func refusesManyFinalBlocks() {
        let blocks = (0..<200).flatMap { _ in [0x03, 0x00] as [UInt8] }
        check(Frames.frame(.binary, blocks, isCompressed: true), gives: [], .invalidPayload)
    }

    @Test func compressedTextHasToBeUTF8() throws {
        let bytes = try MessageDeflater().deflate(Data([0x61, 0xff, 0x61]), isLast: true)
        check(Frames.frame(.text, bytes, isCompressed: true), gives: [], .invalidPayload)
    }

    @Test func refusesWhatGrowsTooMuch() throws {
        let bomb = try MessageDeflater(level: 9).deflate(Data(count: 8 << 20), isLast: true)
        let frame = Frames.frame(.binary, bomb, isCompressed: true)
        let reading = Frames.read([frame], inflater: MessageInflater())
        #expect(reading.failure?.status == .messageTooBig)
        #expect(reading.failure?.message.contains("200 times") == true)
        var limits = MessageLimits()
        limits.expansion = 2000
        #expect(
            Frames.read([frame], limits: limits, inflater: MessageInflater()).events == [
                .message(.data(Data(count: 8 << 20)))
            ])
        limits.bytes = (8 << 20) - 1
        let tooLong = Frames.read([frame], limits: limits, inflater: MessageInflater()).failure
        #expect(tooLong?.status == .messageTooBig)
        #expect(tooLong?.code == .bodyTooLarge)
    }

    @Test(arguments: [8, 9, 10, 12, 15], [true, false])
    func eachWindowReadsWhatWasWrittenForIt(_ bits: Int, keepsContext: Bool) throws {
        var random = SeededGenerator(seed: UInt64(bits))
        let words = (0..<60).map { _ in StoredBody.bytes(Int.random(in: 3...40, using: &random), seed: random.next()) }
        var writer = FrameWriter(
            .server, deflater: MessageDeflater(windowBits: bits, keepsContext: keepsContext), fragmentSize: 5000)
        let inflater = StrictInflater(windowBits: bits)
        var reader = FrameReader(.client, inflater: MessageInflater(windowBits: bits, keepsContext: keepsContext))
        for length in [1, 2, 100, 4_000, 30_000, 5, 100_000] {
            var message = Data()
            while message.count < length { message += words[Int.random(in: 0..<words.count, using: &random)] }
            writer.begin(.binary, message)
            var output = Data()
            while try !writer.appendFragment(to: &output) {}
            #expect(output.count < message.count + 20)
            reader.push(output)
            #expect(try reader.next() == .message(.data(message)))
            // A window of exactly these bits reads it too.
            if keepsContext {
                let compressed = try MessageDeflater(windowBits: bits).deflate(message, isLast: true)
                #expect(inflater.inflate(compressed) == message)
            }
        }
    }

    // MARK: Through a socket

    @Test func bothEndsCompress() async throws {
        let options = WebSocket.Options(ping: .never, compression: .init())
        let client = NetworkClient(serverOptions: options, serving: echo)
        let socket = try await client.webSocket("live", options: options)
        #expect(socket.response.headerFields[.secWebSocketExtensions]?.hasPrefix("permessage-deflate") == true)
        for text in ["short", String(repeating: "compressible ", count: 50_000), "", String(repeating: "é", count: 99)]
        {
            async let sent: Void = socket.send(text)
            #expect(try await socket.receive() == .text(text))
            try await sent
        }
        let received = try #require(socket.exchange.attempts.last?.bytesReceived)
        #expect(received < 10_000)
    }
}
