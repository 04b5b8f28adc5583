// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTesting
import StrataTransportSupport
import Testing

@testable import StrataNative

/// Responses that are made up by seed: what is sent arrives, and what is damaged is never taken for whole.
struct ResponseReaderPropertyTests {
    private struct Message {
        var bytes: [UInt8] = []
        var status = 200
        var fields: [(String, String)] = []
        var body: [UInt8] = []
        var trailers: [(String, String)] = []
        var interim: [Int] = []
        var length = ResponseReader.BodyLength.none

        init(_ generator: inout SeededGenerator) {
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let code = [100, 102, 103, 199].randomElement(using: &generator) ?? 100
                interim.append(code)
                bytes += Array("HTTP/1.1 \(code) Wait\r\nX-Early: 1\r\n\r\n".utf8)
            }
            status = [200, 201, 404, 500, 799].randomElement(using: &generator) ?? 200
            body = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...255, using: &generator)
                    : Array("\r\n0:;HTTP/1.1".utf8).randomElement(using: &generator) ?? 0
            }
            fields = Self.someFields(&generator)
            let framing: [(String, String)]
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: (length, framing) = (.exactly(Int64(body.count)), [("content-length", "\(body.count)")])
            case 1:
                (length, framing) = (.chunked, [("Transfer-Encoding", "chunked")])
                trailers = Self.someFields(&generator)
            default: (length, framing) = (.untilClose, [])
            }
            let place = Int.random(in: 0...fields.count, using: &generator)
            fields.insert(contentsOf: framing, at: place)
            bytes += Array("HTTP/1.1 \(status) Some Reason\r\n".utf8)
            bytes += fields.flatMap { Self.line($0, &generator) } + [0x0d, 0x0a]
            bytes += length == .chunked ? chunks(&generator) : body
        }

        private static func someFields(_ generator: inout SeededGenerator) -> [(String, String)] {
            (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                let name = ["X-A", "x-a", "Server", "ETag", "X-\(Int.random(in: 0...9, using: &generator))"]
                let value = [
                    "", "1", "a b", "\"q,;:\"",
                    String(repeating: "v", count: Int.random(in: 0...90, using: &generator)),
                ]
                return (name.randomElement(using: &generator) ?? "X", value.randomElement(using: &generator) ?? "")
            }
        }

        private static func line(_ field: (String, String), _ generator: inout SeededGenerator) -> [UInt8] {
            let blanks = ["", " ", "\t", "  "]
            let before = blanks.randomElement(using: &generator) ?? ""
            let after = blanks.randomElement(using: &generator) ?? ""
            return Array("\(field.0):\(before)\(field.1)\(after)\r\n".utf8)
        }

        private func chunks(_ generator: inout SeededGenerator) -> [UInt8] {
            var rest = body[...]
            var bytes: [UInt8] = []
            while !rest.isEmpty {
                let chunk = rest.prefix(Int.random(in: 1...120, using: &generator))
                rest = rest.dropFirst(chunk.count)
                let size = String(chunk.count, radix: 16, uppercase: Bool.random(using: &generator))
                let zeros = String(repeating: "0", count: Int.random(in: 0...4, using: &generator))
                let more = ["", ";a", ";a=\"b\"", " ; c=d", " "].randomElement(using: &generator) ?? ""
                bytes += Array("\(zeros)\(size)\(more)\r\n".utf8) + chunk + [0x0d, 0x0a]
            }
            return bytes + Array("0\r\n".utf8) + trailers.flatMap { Self.line($0, &generator) } + [0x0d, 0x0a]
        }

        func pieces(_ generator: inout SeededGenerator) -> [[UInt8]] { Self.pieces(of: bytes, &generator) }

        static func pieces(of bytes: [UInt8], _ generator: inout SeededGenerator) -> [[UInt8]] {
            var rest = bytes[...]
            var pieces: [[UInt8]] = []
            let most = [1, 4, 40, 1000].randomElement(using: &generator) ?? 1
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...most, using: &generator))
                pieces.append(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            return pieces
        }
    }

    private func texts(_ fields: HTTPFields?) -> [String] { (fields ?? [:]).map { "\($0.name.rawName): \($0.value)" } }

    @Test(arguments: 0..<8) func whatIsSentArrives(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var reader = ResponseReader(method: .get, fields: FieldMemory())
        for number in 0..<250 {
            let message = Message(&generator)
            reader.begin(method: .get)
            let reading = Reading.of(
                message.pieces(&generator), &reader, readsAhead: Bool.random(using: &generator))
            #expect(reading.isWhole, "\(seed), \(number): \(reading.message ?? "")")
            #expect(reading.head?.status.code == message.status)
            #expect(texts(reading.head?.headerFields) == message.fields.map { "\($0.0): \($0.1)" })
            #expect(texts(reading.trailers) == message.trailers.map { "\($0.0): \($0.1)" })
            #expect(reading.body == message.body)
            #expect(reading.length == message.length)
            #expect(reading.interim == message.interim)
            #expect(reading.rest.isEmpty)
        }
    }

    @Test(arguments: 0..<8) func aCutBodyIsNeverWhole(seed: UInt64) {
        var generator = SeededGenerator(seed: 100 + seed)
        for number in 0..<250 {
            let message = Message(&generator)
            guard message.length != .untilClose else { continue }
            let cut = Array(message.bytes.prefix(Int.random(in: 0..<message.bytes.count, using: &generator)))
            let reading = Reading.of(Message.pieces(of: cut, &generator))
            #expect(reading.error == .connectionLost, "\(seed), \(number)")
            #expect(message.body.starts(with: reading.body))
        }
    }

    /// Whatever the bytes are, the reader ends, takes no byte twice, and calls no body whole that is shorter than announced.
    @Test(arguments: 0..<8) func damageNeverTraps(seed: UInt64) {
        var generator = SeededGenerator(seed: 200 + seed)
        var reader = ResponseReader(method: .get, fields: FieldMemory())
        for number in 0..<400 {
            var bytes = Message(&generator).bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &generator)
                let odd = Array("\r\n\0 \t:;,-+019afxF\u{7f}H".utf8) + [0xff]
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = odd.randomElement(using: &generator) ?? 0
                case 1: bytes.insert(odd.randomElement(using: &generator) ?? 0, at: place)
                case 2: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                }
            }
            reader.begin(method: .get, skipsInvalidFields: number % 2 == 0)
            let reading = Reading.of(Message.pieces(of: bytes, &generator), &reader)
            guard reading.isWhole else {
                #expect(
                    reading.error == .protocolViolation || reading.error == .connectionLost
                        || reading.length == .switched)
                continue
            }
            if case .exactly(let count) = reading.length { #expect(Int64(reading.body.count) == count) }
            if reading.length == .chunked { #expect(bytes.dropLast(reading.rest.count).last == 0x0a) }
            #expect(reading.body.count + reading.rest.count <= bytes.count)
        }
    }
}
