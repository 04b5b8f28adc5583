// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataTesting

struct HTTP2FrameTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let frames = [
        HTTP2Frame(.settings), HTTP2Frame(.headers, flags: 0x5, stream: 1, payload: [0x82]),
        HTTP2Frame(.data, flags: 0x1, stream: 0x7fff_ffff, payload: [UInt8](repeating: 7, count: 300)),
    ]

    /// Feeds the pieces, and takes what there is after each.
    private func read(_ pieces: [ArraySlice<UInt8>]) -> [HTTP2Frame] {
        var (reader, frames) = (HTTP2FrameReader(), [HTTP2Frame]())
        for piece in pieces {
            reader.feed(Array(piece))
            while let frame = reader.next() { frames.append(frame) }
        }
        return frames
    }

    @Test func framesAreFoundAtEverySplit() {
        let bytes = Self.preface + Self.frames.flatMap(\.encoded)
        for split in 0...bytes.count {
            #expect(read([bytes[..<split], bytes[split...]]) == Self.frames, "split at \(split)")
        }
        #expect(read(bytes.indices.map { bytes[$0...$0] }) == Self.frames)
    }

    @Test func aFrameIsWrittenAsTheRFCHasIt() {
        let frame = HTTP2Frame(.rstStream, flags: 0x5, stream: 0x0102_0304, payload: [1, 2])
        #expect(frame.encoded == [0, 0, 2, 3, 5, 1, 2, 3, 4, 1, 2])
        let long = HTTP2Frame(.data, payload: [UInt8](repeating: 0, count: 0x01_0203))
        #expect(long.encoded.prefix(9) == [1, 2, 3, 0, 0, 0, 0, 0, 0])
    }

    @Test func unknownKindsAndTheReservedBitAreIgnored() {
        let unknown: [UInt8] = [0, 0, 1, 0xbe, 0, 0, 0, 0, 0, 9]
        let ping: [UInt8] = [0, 0, 0, 6, 0, 0x80, 0, 0, 3]
        #expect(read([(Self.preface + unknown + ping)[...]]) == [HTTP2Frame(.ping, stream: 3)])
    }

    @Test func anotherProtocolIsNoticedAtItsFirstWrongByte() {
        var reader = HTTP2FrameReader()
        reader.feed(Array("PRI".utf8))
        #expect(reader.isHTTP2)
        reader.feed(Array("NT / HTTP/1.1\r\n\r\n".utf8))
        #expect(!reader.isHTTP2)
        let frame = reader.next()
        #expect(frame == nil)
    }

    @Test func fieldsAreLiteralsWithoutIndexing() {
        let block = HTTP2Frame.block([":status": "200", "x": ""])
        #expect(String(decoding: block, as: UTF8.self) == "\u{0}\u{7}:status\u{3}200\u{0}\u{1}x\u{0}")
    }
}
