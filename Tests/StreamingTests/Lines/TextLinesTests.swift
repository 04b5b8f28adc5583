// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

struct TextLinesTests {
    private let request = PlainRequest(path: "log", method: .get)

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func areTheLinesOfTheBody(_ rechunking: Rechunking) async throws {
        for reply in ScriptedReply.stream("\u{FEFF}a\r\n\r\n\u{20AC}\rlast", "text/plain").rechunked(rechunking) {
            let lines = try await NetworkClient(ScriptedTransport(reply)).lines(for: request)
            #expect(lines.response.status == .ok)
            #expect(try await lines.all() == ["a", "", "\u{20AC}", "last"])
        }
    }

    /// The rest of the body never comes.
    @Test(arguments: ["a\n", "\n", "\u{FEFF}a\n", "\u{FEFF}\n", "\u{20AC}\n"])
    func aLineIsThereAsSoonAsItHasEnded(text: String) async throws {
        let transport = ScriptedTransport(.source { HangingSource(text) })
        var lines = try await NetworkClient(transport).lines(for: request).makeAsyncIterator()
        let expected = text.filter { $0 != "\n" }.replacing("\u{FEFF}", with: "")
        #expect(try await lines.next() == expected)
    }

    @Test func anEmptyBodyHasNoLines() async throws {
        #expect(try await NetworkClient(ScriptedTransport(.status(200))).lines(for: request).all() == [])
        #expect(try await NetworkClient(ScriptedTransport(.text("\n"))).lines(for: request).all() == [""])
    }

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func aByteOrderMarkAtTheStartIsNeitherTextNorLength(_ rechunking: Rechunking) async throws {
        let bodies: [(String, [String])] = [
            ("\u{FEFF}", []), ("\u{FEFF}\n", [""]), ("\u{FEFF}123\n\u{FEFF}\n", ["123", "\u{FEFF}"]),
        ]
        for (text, expected) in bodies {
            for reply in ScriptedReply.stream(text, "text/plain").rechunked(rechunking) {
                let client = NetworkClient(ScriptedTransport(reply))
                #expect(try await client.lines(for: request, maximumLength: 3).all() == expected)
            }
        }
    }

    @Test(arguments: [Rechunking.whole, .oneByte, .everySplit])
    func theBeginningOfAByteOrderMarkAloneIsText(_ rechunking: Rechunking) async throws {
        let bodies: [([UInt8], String)] = [
            ([0xEF, 0xBB], "\u{FFFD}"), ([0xEF, 0xBB, 0x61], "\u{FFFD}a"),
            ([0xEF, 0xEF, 0xBB, 0xBF], "\u{FFFD}\u{FEFF}"),
        ]
        for (bytes, line) in bodies {
            let reply = ScriptedReply.pieces([Data(bytes)], fields: [.contentType: "text/plain"])
            for reply in reply.rechunked(rechunking) {
                let client = NetworkClient(ScriptedTransport(reply))
                #expect(try await client.lines(for: request).all() == [line])
            }
        }
    }

    @Test func aStatusThrowsWithTheStartOfTheBody() async throws {
        let client = NetworkClient(ScriptedTransport(.text("gone", status: 410)))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await client.lines(for: request) }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.body == Data("gone".utf8))
    }

    @Test func leavingTheLoopCancelsTheTransfer() async throws {
        let source = PiecesSource([Data("a\nb\n".utf8), Data("c\n".utf8)])
        let client = NetworkClient(ScriptedTransport(.events(from: source, contentType: "text/plain")))
        let lines = try await client.lines(for: request)
        for try await line in lines where line == "a" { break }
        #expect(source.isCancelled)
        #expect(source.remaining == 1)
        _ = lines
    }

    @Test func aLineOverTheLimitThrowsAndCancels() async throws {
        let source = PiecesSource([Data("12345\n".utf8), Data("c\n".utf8)])
        let client = NetworkClient(ScriptedTransport(.events(from: source, contentType: "text/plain")))
        let lines = try await client.lines(for: request, maximumLength: 4)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await lines.all() }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.response?.status == .ok)
        #expect(source.isCancelled)
    }
}
