// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataStreaming
import StrataTesting
import Testing

struct LineSplitterTests {
    private func lines(_ pieces: [Data], at ending: LineSplitter.Ending, maximumLength: Int = 16 << 20) throws
        -> [String]
    {
        var splitter = LineSplitter(at: ending, maximumLength: maximumLength)
        var lines: [String] = []
        for piece in pieces {
            try splitter.feed(piece) { lines.append(String(decoding: $0, as: UTF8.self)) }
        }
        if let last = try splitter.finish({ String(decoding: $0, as: UTF8.self) }) { lines.append("last: \(last)") }
        return lines
    }

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func endsLinesAtEveryKindOfEnd(_ rechunking: Rechunking) throws {
        let text = "a\nb\r\nc\rd\r\r\n\n\re\u{2028}f\u{85}g\u{0B}h\r\n\r\nend"
        for pieces in Data(text.utf8).rechunked(rechunking) {
            let expected = ["a", "b", "c", "d", "", "", "", "e\u{2028}f\u{85}g\u{0B}h", "", "last: end"]
            #expect(try lines(pieces, at: .any) == expected)
        }
    }

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func endsLinesAtLineFeedsAlone(_ rechunking: Rechunking) throws {
        for pieces in Data("a\nb\r\nc\rd\n\r\n\r\r\ne\r".utf8).rechunked(rechunking) {
            #expect(try lines(pieces, at: .lineFeed) == ["a", "b", "c\rd", "", "\r", "last: e"])
        }
    }

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func aLineOverTheLimitIsAnErrorAtAnyChunking(_ rechunking: Rechunking) throws {
        for ending in [LineSplitter.Ending.any, .lineFeed] {
            for pieces in Data("1234\r\n123\n1234\r\n".utf8).rechunked(rechunking) {
                #expect(try lines(pieces, at: ending, maximumLength: 4) == ["1234", "123", "1234"])
            }
            for text in ["12345\n", "12345", "1\n12345\r\n"] {
                for pieces in Data(text.utf8).rechunked(rechunking) {
                    let error = #expect(throws: NetworkClientError.self) {
                        _ = try lines(pieces, at: ending, maximumLength: 4)
                    }
                    #expect(error?.code == .bodyTooLarge)
                }
            }
        }
    }

    @Test(arguments: ["12345", "12345\n", "1\n12345\n"]) func keepsNothingOnceItHasFailed(_ text: String) {
        var splitter = LineSplitter(maximumLength: 4)
        #expect(throws: NetworkClientError.self) { try splitter.feed(Data(text.utf8)) { _ in } }
        let isFreed = freesBytes { piece in _ = try? splitter.feed(piece) { _ in } }
        #expect(isFreed)
        #expect(throws: NetworkClientError.self) { try splitter.feed(Data("1\n".utf8)) { _ in } }
    }

    @Test func startsAfreshAfterTheEnd() throws {
        var splitter = LineSplitter()
        var lines: [Int] = []
        try splitter.feed(Data("a\r".utf8)) { lines.append($0.count) }
        #expect(try splitter.finish { $0.count } == nil)
        try splitter.feed(Data("\nbc\n".utf8)) { lines.append($0.count) }
        #expect(lines == [1, 0, 2])
    }

    @Test func aThrowingReceiverLosesNothing() throws {
        struct Stop: Error {}
        var splitter = LineSplitter()
        var lines: [String] = []
        #expect(throws: Stop.self) {
            try splitter.feed(Data("a\nb\nc".utf8)) { line in
                lines.append(String(decoding: line, as: UTF8.self))
                throw Stop()
            }
        }
        try splitter.feed(Data("d\n".utf8)) { lines.append(String(decoding: $0, as: UTF8.self)) }
        #expect(lines == ["a", "b", "cd"])
    }
}
