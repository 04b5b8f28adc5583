// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct SalvagedAnswerTests {
    private struct Result: Equatable {
        var lines: [String] = []
        var body = ""
        var isComplete = false
    }

    /// Takes `text` apart in pieces of a size; `body` is the framing that the head tells.
    private func read(
        _ text: String, size: Int, body: SalvagedAnswer.Part, isCleanEnd: Bool = false
    ) -> Result {
        var (reader, result) = (SalvagedAnswer(.head), Result())
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            Array(bytes[start..<min(bytes.count, start + size)]).withUnsafeBytes { piece in
                var rest = piece
                while !rest.isEmpty {
                    switch reader.next(&rest) {
                    case .headLine(let line):
                        result.lines.append(String(decoding: line, as: UTF8.self))
                        if line == [0x0d, 0x0a] { reader.headEnded(body) }
                    case .body(let piece): result.body += String(decoding: piece, as: UTF8.self)
                    case nil: break
                    }
                }
            }
        }
        result.isComplete = reader.isComplete(atCleanEnd: isCleanEnd)
        return result
    }

    private static let head = ["HTTP/1.1 413 Too Large\r\n", "A: 1\r\n", "\r\n"]

    @Test(arguments: 1...40) func takesABodyOfKnownLength(_ size: Int) {
        let text = Self.head.joined() + "big and more"
        #expect(read(text, size: size, body: .bytes(3)) == Result(lines: Self.head, body: "big", isComplete: true))
        let short = Self.head.joined() + "bi"
        #expect(read(short, size: size, body: .bytes(3)) == Result(lines: Self.head, body: "bi", isComplete: false))
        let empty = Self.head.joined()
        #expect(read(empty, size: size, body: .bytes(0)) == Result(lines: Self.head, body: "", isComplete: true))
    }

    @Test(arguments: 1...60) func takesChunks(_ size: Int) {
        let text = Self.head.joined() + "2\r\nbi\r\n00A;x=y\r\ng enough  .\r\n0\r\nT: 1\r\n\r\n"
        let whole = Result(lines: Self.head, body: "big enough  .", isComplete: true)
        #expect(read(text, size: size, body: .chunkSize).body == "big enough  ")
        let right = text.replacing("00A;x=y", with: "00B;x=y")
        #expect(read(right, size: size, body: .chunkSize) == whole)
        let cut = String(right.dropLast(2))
        #expect(!read(cut, size: size, body: .chunkSize).isComplete)
    }

    @Test(arguments: ["x\r\nbig", "-3\r\nbig", "\r\nbig", "FFFFFFFFFFFFFFFFF\r\nbig"])
    func takesNothingOfAChunkThatHasNoSize(_ chunk: String) {
        let result = read(Self.head.joined() + chunk, size: 100, body: .chunkSize)
        #expect(result.body.isEmpty)
        #expect(!result.isComplete)
    }

    @Test(arguments: [false, true]) func believesTheEndOfTheConnectionWhenItIsClean(_ isClean: Bool) {
        let result = read(Self.head.joined() + "big", size: 7, body: .untilEnd, isCleanEnd: isClean)
        #expect(result == Result(lines: Self.head, body: "big", isComplete: isClean))
    }
}
