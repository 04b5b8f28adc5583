// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataTesting
import Testing

@testable import StrataWebSocket

/// The cases are those of the Autobahn test suite, sections 1 to 7, as far as a reader decides them.
struct FrameReaderTests {
    private func check(
        _ bytes: Data, gives events: [String], _ status: WebSocket.CloseCode? = nil, role: FrameRole = .client,
        limits: MessageLimits = MessageLimits(), sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let readings = Frames.readAtEverySplit(bytes, role, limits: limits)
        #expect(readings.count == 1, "it hangs on where the bytes are cut", sourceLocation: sourceLocation)
        #expect(readings.first?.events == events, sourceLocation: sourceLocation)
        #expect(readings.first?.failure?.status == status, sourceLocation: sourceLocation)
    }

    // MARK: Messages (sections 1 and 5)

    @Test(arguments: [0, 1, 125, 126, 127, 128, 300])
    func readsMessagesOfEachLength(_ length: Int) {
        let text = String(repeating: "*", count: length)
        check(Frames.text(text), gives: ["text \(text)"])
        check(
            Frames.frame(.binary, text.utf8), gives: ["data \(Data(text.utf8).base64EncodedString())"])
    }

    @Test(arguments: [65_535, 65_536, 1 << 20])
    func readsLongMessages(_ length: Int) {
        let data = StoredBody.bytes(length, seed: 3)
        let bytes = Frames.frame(.binary, data)
        for pieces in [[bytes], bytes.rechunked(.every(997))[0]] {
            let reading = Frames.read(pieces)
            #expect(reading.events == [.message(.data(data))])
            #expect(reading.failure == nil)
        }
    }

    @Test func putsFragmentsTogether() {
        check(
            Frames.text("frag", isFinal: false) + Frames.more("", isFinal: false) + Frames.more("ment"),
            gives: ["text fragment"])
        check(Frames.text("", isFinal: false) + Frames.more("", isFinal: false) + Frames.more(""), gives: ["text "])
    }

    @Test func readsControlFramesBetweenFragments() {
        check(
            Frames.text("a", isFinal: false) + Frames.frame(.ping, [1]) + Frames.more("b", isFinal: false)
                + Frames.frame(.pong, [2]) + Frames.more("c"),
            gives: ["ping AQ==", "pong Ag==", "text abc"])
    }

    @Test func aCloseWithinAMessageCounts() {
        check(Frames.text("a", isFinal: false) + Frames.close(1000), gives: ["close 1000 "])
    }

    @Test func nothingIsReadBehindAClose() {
        check(Frames.close(1000) + Frames.text("more") + Data([0xff]), gives: ["close 1000 "])
    }

    @Test func aServerReadsWhatIsMasked() {
        let mask = FrameMask([1, 2, 3, 4])
        let bytes = Frames.frame(.text, "hello, masked".utf8, mask: mask) + Frames.frame(.ping, [9], mask: mask)
        check(bytes, gives: ["text hello, masked", "ping CQ=="], role: .server)
    }

    // MARK: What no frame may be (sections 2 to 5)

    @Test(arguments: [0x10, 0x20, 0x30, 0x50] as [UInt8])
    func refusesReservedBits(_ bits: UInt8) {
        for opcode: UInt8 in [1, 2, 8, 9, 10] {
            check(Data([0x80 | bits | opcode, 0]), gives: [], .protocolError)
        }
    }

    @Test(arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
    func refusesReservedOpcodes(_ opcode: UInt8) {
        check(Frames.text("first") + Data([0x80 | opcode, 0]), gives: ["text first"], .protocolError)
    }

    @Test func refusesCompressionThatNobodyNegotiated() {
        check(Frames.frame(.text, [], isCompressed: true), gives: [], .protocolError)
    }

    @Test func refusesControlFramesThatAreLongOrFragmented() {
        for opcode: UInt8 in [8, 9, 10] {
            check(Data([0x80 | opcode, 126, 0, 126]) + Data(count: 126), gives: [], .protocolError)
            check(Data([opcode, 0]), gives: [], .protocolError)
        }
        check(Frames.frame(.ping, Data(count: 125)), gives: ["ping \(Data(count: 125).base64EncodedString())"])
    }

    @Test func refusesFragmentsOutOfOrder() {
        check(Frames.more("nothing before"), gives: [], .protocolError)
        check(Frames.more("nothing before", isFinal: false), gives: [], .protocolError)
        check(Frames.text("a") + Frames.more("b"), gives: ["text a"], .protocolError)
        check(Frames.text("a", isFinal: false) + Frames.text("b"), gives: [], .protocolError)
        check(Frames.text("a", isFinal: false) + Frames.frame(.binary, [1]), gives: [], .protocolError)
    }

    @Test func refusesTheWrongMasking() {
        check(Frames.frame(.text, [1], mask: FrameMask([0, 0, 0, 0])), gives: [], .protocolError)
        check(Frames.text("a"), gives: [], .protocolError, role: .server)
    }

    @Test func refusesLengthsThatTakeMoreBytesThanTheyNeed() {
        check(Data([0x82, 126, 0, 125]) + Data(count: 125), gives: [], .protocolError)
        check(Data([0x82, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff]), gives: [], .protocolError)
        check(Data([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0]), gives: [], .protocolError)
    }

    @Test func saysWhatIsWrongBeforeThePayloadComes() {
        var reader = FrameReader(.client)
        reader.push(Data([0x83]))
        #expect(throws: WebSocketFailure.self) { try reader.next() }
        // And again.
        reader.push(Frames.text("a"))
        #expect(throws: WebSocketFailure.self) { try reader.next() }
    }

    // MARK: UTF-8 (section 6)

    @Test func readsTextCutWithinCharacters() {
        let text = "Hello-µ@ßöäüàá-UTF-8!! κόσμε \u{10ffff}\u{fffd}\u{d7ff}\u{e000}"
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            let frames =
                Frames.frame(.text, bytes[..<cut], isFinal: false) + Frames.frame(.continuation, bytes[cut...])
            #expect(Frames.read([frames]).events == [.message(.text(text))], "cut at \(cut)")
        }
        check(
            bytes.enumerated().map { index, byte in
                Frames.frame(index == 0 ? .text : .continuation, [byte], isFinal: index == bytes.count - 1)
            }.reduce(Data(), +),
            gives: ["text \(text)"])
    }

    /// Sequences that are not UTF-8: surrogates, overlong forms, bytes out of place, characters beyond the last.
    private static let invalid: [[UInt8]] = [
        [0x80], [0xbf], [0xc0, 0xaf], [0xc1, 0xbf], [0xe0, 0x80, 0xaf], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80],
        [0xed, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80],
        [0xf5, 0x80, 0x80, 0x80], [0xfe], [0xff], [0xc3, 0x28], [0xe2, 0x28, 0xa1], [0xe2, 0x82, 0x28],
        [0xf0, 0x28, 0x8c, 0xbc], [0xf0, 0x90, 0x28, 0xbc], [0xf0, 0x90, 0x8c, 0x28],
    ]

    @Test(arguments: invalid)
    func refusesTextThatIsNotUTF8(_ sequence: [UInt8]) {
        for before in ["", "ok", "κόσμε, eight", "eight by"] {
            check(Frames.frame(.text, Array(before.utf8) + sequence + Array("edited".utf8)), gives: [], .invalidPayload)
        }
        #expect(Frames.read([Frames.frame(.binary, sequence)]).failure == nil)
    }

    @Test(arguments: [[0xce], [0xf4, 0x8f], [0xf0, 0x9f, 0x98], [0xe2, 0x82]] as [[UInt8]])
    func refusesTextThatEndsWithinACharacter(_ start: [UInt8]) {
        check(Frames.frame(.text, start), gives: [], .invalidPayload)
    }

    @Test func refusesInvalidTextBeforeTheFrameEnds() {
        // κόσμε, a character beyond the last, and a rest that never comes.
        let start = Array("κόσμε".utf8) + [0xf4, 0x90]
        var header = Data()
        FrameHeader(.text, length: 100).append(to: &header)
        var reader = FrameReader(.client)
        reader.push(header + start.dropLast())
        #expect(throws: Never.self) { try reader.next() }
        reader.push(Data([0x90]))
        #expect(throws: WebSocketFailure.notUTF8) { try reader.next() }
    }

    @Test func agreesWithTheStandardLibraryOnUTF8() {
        var random = SeededGenerator(seed: 11)
        let pieces: [[UInt8]] = Self.invalid + [Array("a".utf8), Array("é".utf8), Array("€".utf8), Array("😀".utf8)]
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).flatMap { _ -> [UInt8] in
                let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
                return Bool.random(using: &random) ? piece : Array(piece.dropLast())
            }
            var check = UTF8Check()
            let isValid = bytes.withUnsafeBytes { check.accepts($0) } && check.isComplete
            #expect(isValid == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }

    // MARK: Closing (section 7)

    @Test func readsClosesWithAndWithoutAStatus() {
        check(Frames.frame(.close, []), gives: ["close 1005 "])
        check(Frames.close(1000, Data("bye, κόσμε".utf8)), gives: ["close 1000 bye, κόσμε"])
        check(
            Frames.close(1000, Data(String(repeating: "*", count: 123).utf8)),
            gives: ["close 1000 \(String(repeating: "*", count: 123))"])
        check(Frames.frame(.close, [3]), gives: [], .protocolError)
        check(Frames.close(1000, [0xce, 0xba, 0xe1]), gives: [], .invalidPayload)
    }

    @Test func takesTheStatusesThatMayBeSent() {
        let valid: [UInt16] = [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
        ]
        for code in valid { #expect(Frames.read([Frames.close(code)]).failure == nil, "\(code)") }
        let invalid: [UInt16] = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]
        for code in invalid { check(Frames.close(code), gives: [], .protocolError) }
    }

    // MARK: Limits

    @Test func refusesMessagesThatAreTooLong() {
        var limits = MessageLimits()
        limits.bytes = 10
        check(Frames.text("0123456789"), gives: ["text 0123456789"], limits: limits)
        check(Frames.text("0123456789a"), gives: [], .messageTooBig, limits: limits)
        check(
            Frames.text("01234", isFinal: false) + Frames.more("56789", isFinal: false) + Frames.more("a"), gives: [],
            .messageTooBig, limits: limits)
        // By its header, before a byte of it.
        check(Data([0x82, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), gives: [], .messageTooBig)
    }

    @Test func refusesMessagesOfTooManyFrames() {
        var limits = MessageLimits()
        limits.fragments = 4
        let start = Frames.text("", isFinal: false) + Frames.more("", isFinal: false)
        check(start + Frames.more("a", isFinal: false) + Frames.more("b"), gives: ["text ab"], limits: limits)
        check(
            start + Frames.more("", isFinal: false) + Frames.more("", isFinal: false) + Frames.more(""), gives: [],
            .policyViolation, limits: limits)
        let pings = (0..<4).reduce(Data()) { bytes, _ in bytes + Frames.frame(.ping, []) }
        #expect(Frames.read([start + pings], limits: limits).failure?.status == .policyViolation)
    }

    @Test func holdsNothingBetweenMessages() throws {
        var reader = FrameReader(.client)
        #expect(reader.isBetweenMessages)
        reader.push(Frames.text("a", isFinal: false))
        #expect(try reader.next() == nil)
        #expect(!reader.isBetweenMessages)
        reader.push(Frames.more("b"))
        #expect(try reader.next() == .message(.text("ab")))
        #expect(try reader.next() == nil)
        #expect(reader.isBetweenMessages)
    }
}
