// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataStreaming
import StrataTesting
import Testing

struct PeekedSourceTests {
    private static let text = " \n\r\n {\"a\": 1}\nsecond\nthird"

    private func pieces(_ text: String, every count: Int) -> [Data] {
        let bytes = Data(text.utf8)
        return stride(from: 0, to: bytes.count, by: count).map { Data(bytes[$0..<min($0 + count, bytes.count)]) }
    }

    private func rest(of source: PeekedSource) async throws -> String {
        var all = Data()
        while let piece = try await source.next() { all += piece }
        return String(decoding: all, as: UTF8.self)
    }

    @Test(arguments: 1...27) func theBodyIsReadFromItsBeginningHoweverItComes(_ count: Int) async throws {
        let source = PeekedSource(PiecesSource(pieces(Self.text, every: count)))
        #expect(try await source.firstLine(upTo: 1000) == Data("{\"a\": 1}".utf8))
        #expect(try await rest(of: source) == Self.text)
    }

    @Test func aBodyThatNobodyLookedAtIsReadAsItIs() async throws {
        #expect(try await rest(of: PeekedSource(PiecesSource(pieces(Self.text, every: 5)))) == Self.text)
    }

    @Test(arguments: ["", " \n ", "half"]) func aLineThatDoesNotEndIsWhatThereIsOfIt(_ text: String) async throws {
        let source = PeekedSource(PiecesSource(pieces(text, every: 2)))
        #expect(try await source.firstLine(upTo: 1000) == Data(text.drop { $0.isWhitespace }.utf8))
        #expect(try await rest(of: source) == text)
    }

    @Test func noMoreIsReadForALineThanTheLimit() async throws {
        let pieces = PiecesSource((0..<10).map { _ in Data("abc".utf8) })
        let source = PeekedSource(pieces)
        #expect(try await source.firstLine(upTo: 4) == Data("abcabc".utf8))
        #expect(pieces.remaining == 8)
        #expect(try await rest(of: source) == String(repeating: "abc", count: 10))
    }

    @Test func aCancelReachesTheBody() {
        let pieces = PiecesSource([Data("a".utf8)])
        PeekedSource(pieces).cancel()
        #expect(pieces.isCancelled)
    }
}
