// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataTesting
import Testing

@testable import StrataWebSocket

struct FrameWriterTests {
    private func frames(_ writer: inout FrameWriter, _ opcode: FrameOpcode, _ payload: Data) throws -> [Data] {
        writer.begin(opcode, payload)
        var frames: [Data] = []
        var isLast = false
        while !isLast {
            var output = Data()
            isLast = try writer.appendFragment(to: &output)
            frames.append(output)
        }
        #expect(!writer.isWithinMessage)
        return frames
    }

    @Test func writesTheExamplesOfTheStandard() throws {
        var server = FrameWriter(.server)
        #expect(try frames(&server, .text, Data("Hello".utf8)) == [Data([0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f])])
        var client = FrameWriter(.client) { FrameMask([0x37, 0xfa, 0x21, 0x3d]) }
        #expect(
            try frames(&client, .text, Data("Hello".utf8))
                == [Data([0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])])
        var ping = Data()
        client.appendControl(.ping, Data("Hello".utf8), to: &ping)
        #expect(ping == Data([0x89, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]))
        #expect(try frames(&server, .binary, Data(count: 256))[0].prefix(4) == Data([0x82, 0x7e, 0x01, 0x00]))
        #expect(
            try frames(&server, .binary, Data(count: 65536))[0].prefix(10)
                == Data([0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0]))
    }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 100_000])
    func aServerReadsWhatAClientWrites(_ length: Int) throws {
        let data = StoredBody.bytes(length, seed: 5)
        var writer = FrameWriter(.client, fragmentSize: 30_000)
        let frames = try frames(&writer, .binary, data)
        #expect(frames.count == max(1, (length + 29_999) / 30_000))
        #expect(Frames.read([frames.reduce(Data(), +)], .server).events == [.message(.data(data))])
    }

    @Test func eachFrameHasAMaskOfItsOwn() throws {
        var writer = FrameWriter(.client)
        let masks = try (0..<64).map { _ in try frames(&writer, .binary, Data([0]))[0][2..<6] }
        #expect(Set(masks.map { Data($0) }).count > 60)
    }

    @Test(arguments: 0..<9)
    func masksFromAnyOffsetOn(_ offset: Int) {
        let mask = FrameMask([1, 2, 4, 8])
        let bytes = StoredBody.bytes(40, seed: 2)
        var whole = bytes
        whole.withUnsafeMutableBytes { mask.apply(to: $0) }
        #expect(whole == Data(bytes.enumerated().map { $0.element ^ mask.bytes[$0.offset & 3] }))
        var part = Data(bytes.dropFirst(offset))
        part.withUnsafeMutableBytes { mask.apply(to: $0, at: offset) }
        #expect(part == Data(whole.dropFirst(offset)))
    }

    @Test func controlFramesGoBetweenFragments() throws {
        var writer = FrameWriter(.server, fragmentSize: 2)
        writer.begin(.text, Data("abc".utf8))
        var output = Data()
        #expect(try !writer.appendFragment(to: &output))
        writer.appendControl(.pong, Data([1]), to: &output)
        #expect(try writer.appendFragment(to: &output))
        #expect(Frames.read([output]).events == [.pong(Data([1])), .message(.text("abc"))])
    }
}
