// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTesting
import StrataTransportSupport
import TestSupport
import Testing

@testable import StrataNative

/// However the bytes come, they mean the same.
struct ResponseReaderSplitTests {
    private static let messages: [String] = [
        head("Content-Length: 5", "X-Fold: a", " b", "Server: s") + "hello" + "more",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" + head("Content-Length: 2") + "ok",
        chunked + "2\r\nok\r\n00003;a=\"b\"\r\n\r\n!\r\n0\r\nX-Sum: 1\r\nX-Fold: a\r\n b\r\n\r\nmore",
        head() + "until the end", "HTTP/1.0 204 \r\n\r\n", "HTTP/1.1 200\nX:\n\n\r\n",
        chunked + "2\r\nokX", chunked + "2\r\nok\r\n0\r\nContent-Length: 1\r\n\r\n",
        head("Content-Length: 9") + "short",
        head("X : 1") + "x", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nraw bytes\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        chunked + "ffffffffffffffffffff\r\n",
    ]

    @Test(arguments: messages) func everySplitOfTwoMeansTheSame(_ message: String) {
        let bytes = Array(message.utf8)
        let whole = Reading.of([bytes], upgrade: "x")
        for place in 0...bytes.count {
            for readsAhead in [false, true] {
                let pieces = [Array(bytes[..<place]), Array(bytes[place...])]
                let reading = Reading.of(pieces, upgrade: "x", readsAhead: readsAhead)
                #expect(reading == whole.sameOutcome(reading), "split at \(place)")
            }
        }
    }

    @Test(arguments: messages, [1, 2, 3, 7]) func smallPiecesMeanTheSame(_ message: String, _ size: Int) {
        let bytes = Array(message.utf8)
        let reading = Reading.of(bytes.pieces(of: size), upgrade: "x")
        #expect(reading == Reading.of([bytes], upgrade: "x").sameOutcome(reading))
    }

    /// The last head is remembered, whatever it was.
    @Test func aHeadThatCameBeforeMeansTheSame() {
        var reader = ResponseReader(method: .get, upgrade: "x", fields: FieldMemory())
        for round in 0..<4 {
            for message in Self.messages {
                // Some after one another, some alone.
                for _ in 0..<(1 + round % 2) {
                    reader.begin(method: .get, upgrade: "x")
                    let reading = Reading.of([Array(message.utf8)], &reader)
                    #expect(reading == Reading.of([Array(message.utf8)], upgrade: "x"), "\(message)")
                }
            }
        }
    }

    /// A read of nothing comes before the first byte too, as a split at 0 has it.
    @Test(arguments: messages) func aHeadThatCameBeforeMeansTheSameAtEverySplit(_ message: String) {
        let bytes = Array(message.utf8)
        var reader = ResponseReader(method: .get, upgrade: "x", fields: FieldMemory())
        let whole = Reading.of([bytes], &reader)
        for place in 0...bytes.count {
            for readsAhead in [false, true] {
                reader.begin(method: .get, upgrade: "x")
                let pieces = [Array(bytes[..<place]), Array(bytes[place...])]
                let reading = Reading.of(pieces, &reader, readsAhead: readsAhead)
                #expect(reading == whole.sameOutcome(reading), "split at \(place)")
            }
        }
    }

    @Test func theSameHeadMeansAnotherThingToAnotherMethod() {
        var reader = ResponseReader(method: .get, fields: FieldMemory())
        let message = Array((head("Content-Length: 2") + "ok").utf8)
        for method in [HTTPMethod.get, .head, .get, .connect, .get] {
            reader.begin(method: method)
            let reading = Reading.of([message], &reader)
            #expect(reading == Reading.of([message], method))
        }
    }

    @Test func theSameHeadSharesItsFields() throws {
        var reader = ResponseReader(method: .get, fields: FieldMemory())
        let message = Array((chunked + "1\r\na\r\n0\r\nT: 1\r\n\r\n").utf8)
        let first = Reading.of([message], &reader)
        #expect(first.trailers?.count == 1)
        for _ in 0..<3 {
            reader.begin(method: .get)
            #expect(Reading.of([message], &reader) == first)
            // Also when it comes in pieces, and so is parsed.
            reader.begin(method: .get)
            #expect(Reading.of(message.pieces(of: 5), &reader) == first)
        }
    }

    @Test func aHeadWithSecretsIsNotKept() {
        var reader = ResponseReader(method: .get, fields: FieldMemory())
        let message = Array(head("Set-Cookie: session=hunter2", "Content-Length: 0").utf8)
        _ = Reading.of([message], &reader)
        reader.begin(method: .get)
        let reading = Reading.of([message], &reader)
        #expect(reading.head?.headerFields[.setCookie] == "session=hunter2")
        reader.begin(method: .get)
        let remembers = reader.remembersAHead
        #expect(!remembers)
    }
}

extension Reading {
    /// This, with what may depend on how the bytes came taken from the other: how much there was before an error, and the words
    /// for it.
    fileprivate func sameOutcome(_ other: Reading) -> Reading {
        var reading = self
        if error != nil, error == other.error {
            reading.message = other.message
            reading.body = other.body
        }
        return reading
    }
}
