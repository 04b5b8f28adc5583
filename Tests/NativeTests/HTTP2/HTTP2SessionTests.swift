// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

@testable import StrataNative
@testable import StrataTesting

struct HTTP2SessionTests {
    @Test func beginsWithItsSettingsAndWindow() throws {
        let peer = try HTTP2Peer(settings: false)
        peer.flush()
        #expect(peer.frames.map(\.kind) == [.settings, .windowUpdate])
        // ENABLE_PUSH, INITIAL_WINDOW_SIZE and MAX_HEADER_LIST_SIZE (RFC 9113 §6.5.2).
        let ids = stride(from: 0, to: 18, by: 6).map { peer.frames[0].payload[$0 + 1] }
        #expect(ids == [2, 4, 6])
        #expect(peer.granted(on: 0) + 65_535 == peer.session.limits.connectionWindow)
    }

    @Test func readsAnAnswer() throws {
        let peer = try HTTP2Peer()
        let (stream, body) = try peer.begin()
        peer.receive([.head([":status": "200", "content-length": "5", "x-a": "1"]), .data("hel")])
        #expect(stream.hasHead && !stream.isEnded)
        #expect(peer.session.nextTouched() === stream && peer.session.nextTouched() == nil)
        peer.receive([.data("lo", ends: true)])
        #expect(stream.isEnded && stream.isClosed)
        #expect(stream.parser.response.status == .ok)
        #expect(stream.parser.response.headerFields[.init("x-a")!] == "1")
        #expect(body.text == "hello" && body.lengths == [5, 5])
        guard case .whole = stream.end else {
            Issue.record("it ended otherwise")
            return
        }
        peer.session.leave(stream, .noError)
        #expect(peer.session.live == 0 && peer.session.streams.isEmpty)
        #expect(peer.sent(.rstStream).isEmpty)
    }

    @Test func handsOutInterimHeadsAndTrailers() throws {
        let peer = try HTTP2Peer()
        let (stream, body) = try peer.begin()
        peer.receive([
            .head([":status": "103", "link": "<a>"]), .head([":status": "102"]), .head([":status": "200"]),
            .data("ok"), .head(["x-sum": "7"], ends: true),
        ])
        #expect(stream.interims.map(\.status.code) == [103, 102])
        #expect(body.text == "ok")
        #expect(stream.trailers?[.init("x-sum")!] == "7")
        #expect(stream.isEnded)
    }

    @Test func endsTheRequestWhereItHasNoBody() throws {
        let peer = try HTTP2Peer()
        _ = try peer.begin()
        #expect(peer.sent(.headers)[0].has(HTTP2Frame.endStream))
    }

    // MARK: - How streams end

    private func end(
        _ frames: [HTTP2Frame], _ method: HTTPMethod = .get, skipsInvalidFields: Bool = false
    ) throws -> (ClientStream, HTTP2Peer) {
        let peer = try HTTP2Peer()
        let (stream, _) = try peer.begin(method, skipsInvalidFields: skipsInvalidFields)
        peer.receive(frames)
        return (stream, peer)
    }

    private static let malformed: [[HTTP2Frame]] = [
        [.head([":status": "200", "content-length": "9"]), .data("short", ends: true)],
        [.head([":status": "200", "content-length": "2"]), .data("long")],
        [.head([":status": "200", "content-length": "2"], ends: true)],
        [.head([":status": "200", "content-length": "x"])],
        [.head([":status": "200", "content-length": "1", "Content-Length": "2"])],
        [.head(["x-a": "1"]), .data("ok", ends: true)], [.head([":status": "200", "X-A": "1"])],
        [.head([":status": "200", "connection": "close"])],
        [.head([":status": "200", "transfer-encoding": "chunked"])],
        [.head([":status": "103"], ends: true)], [.head([":status": "101"])], [.head([":status": "20"])],
        [.head([":status": "200", "x-a": "1\r\nx-b: 2"])], [.head([":status": "200", "x a": "1"])],
        [.head([":status": "200", ":path": "/"])], [.head(["x-a": "1", ":status": "200"])],
        [.head([":status": "200"]), .data("a"), .head(["x-b": "1"])], [.data("ok", ends: true)],
    ]

    @Test(arguments: malformed) func refusesMalformedAnswers(_ frames: [HTTP2Frame]) throws {
        let (stream, peer) = try end(frames)
        if peer.session.failure != nil {
            #expect(peer.session.failure?.code == .protocolViolation)
            return
        }
        guard case .failed(let error) = stream.end else {
            Issue.record("it passed")
            return
        }
        #expect(error.code == .protocolViolation)
        #expect(!error.isUnprocessed && !stream.isEnded)
        #expect(peer.resetCode(of: 1) != nil)
    }

    @Test func leavesOutInvalidFieldsWhereThatIsWanted() throws {
        let (stream, _) = try end(
            [.head([":status": "200", "x a": "1", "x-b": "2"], ends: true)], skipsInvalidFields: true)
        #expect(stream.isEnded)
        #expect(stream.parser.skippedLines == 1)
        #expect(stream.parser.response.headerFields.count == 1)
        for name in ["content length", "transfer encoding"] {
            let (stream, _) = try end([.head([":status": "200", name: "1"], ends: true)], skipsInvalidFields: true)
            #expect(!stream.isEnded, "\(name)")
        }
    }

    @Test func needsNoBodyWhereThereIsNone() throws {
        for (method, status) in [(HTTPMethod.head, "200"), (.get, "304")] {
            let (stream, _) = try end([.head([":status": status, "content-length": "9"], ends: true)], method)
            #expect(stream.isEnded)
        }
    }

    @Test func tellsRefusalsFromFailures() throws {
        func isUnprocessed(_ frames: [HTTP2Frame]) throws -> Bool {
            let (stream, _) = try end(frames)
            if case .unprocessed = stream.end { return true }
            #expect(stream.isClosed)
            return false
        }
        #expect(try isUnprocessed([.reset(.refusedStream)]))
        #expect(try isUnprocessed([.goAway(last: 0)]))
        #expect(try !isUnprocessed([.reset(.cancel)]))
        #expect(try !isUnprocessed([.reset(.noError)]))
        #expect(try !isUnprocessed([.head([":status": "200"]), .reset(.refusedStream)]))
        #expect(try !isUnprocessed([.head([":status": "103"]), .reset(.refusedStream)]))
        let (stream, _) = try end([.reset(.http11Required)])
        guard case .http11Required = stream.end else {
            Issue.record("it ended otherwise")
            return
        }
    }

    @Test func namesTheCodeOfAReset() throws {
        let (stream, _) = try end([.head([":status": "200"]), .data("part"), .reset(.internalError)])
        guard case .failed(let error) = stream.end else {
            Issue.record("it passed")
            return
        }
        #expect(error.code == .connectionLost && error.message.contains("INTERNAL_ERROR"))
    }

    /// As a server does that takes its client for an attacker.
    @Test(arguments: [HTTP2Code.enhanceYourCalm, .noError])
    func aGOAWAYThatLeavesOutABegunAnswerIsALostConnection(_ code: HTTP2Code) throws {
        let (stream, _) = try end([.head([":status": "200"]), .data("part"), .goAway(last: 0, code)])
        guard case .failed(let error) = stream.end else {
            Issue.record("it passed")
            return
        }
        #expect(error.code == .connectionLost)
        #expect(error.message.contains("ENHANCE_YOUR_CALM") == (code == .enhanceYourCalm))
    }

    @Test func aConnectionThatWasSentManyResetsTakesNoFurtherStream() throws {
        let peer = try HTTP2Peer()
        let (kept, body) = try peer.begin()
        for count in 0..<HTTP2Session.mostResets {
            #expect(peer.session.hasRoom && !peer.session.isExhausted, "\(count)")
            let (stream, _) = try peer.begin()
            peer.flush()
            peer.session.leave(stream, .cancel)
        }
        peer.flush()
        #expect(peer.sent(.rstStream).count == HTTP2Session.mostResets)
        #expect(!peer.session.hasRoom && peer.session.isExhausted && peer.session.failure == nil)
        peer.receive([.head([":status": "200"]), .data("ok", ends: true)])
        #expect(kept.isEnded && body.text == "ok")
    }

    @Test func aCompleteAnswerStandsWhateverComesBehind() throws {
        let peer = try HTTP2Peer()
        let (stream, _) = try peer.begin(.post, hasBody: true)
        peer.receive([.head([":status": "200"], ends: true)])
        #expect(stream.isEnded && !stream.isClosed)
        peer.receive([.reset(.noError)])
        guard case .whole = stream.end else {
            Issue.record("it ended otherwise")
            return
        }
    }

    @Test func goesOnWithWhatGOAWAYLeaves() throws {
        let peer = try HTTP2Peer()
        let (first, body) = try peer.begin()
        let (second, _) = try peer.begin()
        peer.receive([.goAway(last: 1)])
        #expect(second.isClosed && !first.isClosed)
        #expect(peer.session.isGoingAway && !peer.session.hasRoom)
        peer.receive([.head([":status": "200"]), .data("ok", ends: true)])
        #expect(first.isEnded && body.text == "ok")
        #expect(peer.session.failure == nil)
    }

    @Test func takesAsManyStreamsAsItMay() throws {
        let peer = try HTTP2Peer(settings: false)
        #expect(peer.session.streamLimit == 100 && !peer.session.hasSettings)
        peer.receive([.settings([3: 2])])
        #expect(peer.session.hasSettings && peer.session.hasMoreRoom)
        let (first, _) = try peer.begin()
        #expect(peer.session.hasRoom)
        _ = try peer.begin()
        #expect(!peer.session.hasRoom)
        peer.session.leave(first, .cancel)
        #expect(peer.session.hasRoom)
        peer.flush()
        #expect(peer.resetCode(of: 1) == .cancel)
        peer.receive([.settings([3: 0])])
        #expect(!peer.session.hasRoom)
    }

    /// nghttp2 keeps what may not begin yet; it was never sent.
    @Test func aRequestThatWasNeverSentIsUnprocessed() throws {
        let peer = try HTTP2Peer()
        peer.receive([.settings([3: 1])])
        _ = try peer.begin()
        let (second, _) = try peer.begin()
        #expect(!second.isSent)
        peer.receive([.goAway(last: 1)])
        guard case .unprocessed = second.end else {
            Issue.record("it ended otherwise")
            return
        }
    }

    @Test func endsTheConnectionThatBreaksTheRules() throws {
        for frames in [
            [HTTP2Frame(.settings, payload: [1, 2, 3])], [HTTP2Frame(.data, stream: 2, payload: [1])],
            [HTTP2Frame(.pushPromise, flags: 4, stream: 1, payload: [0, 0, 0, 2])], [.window(0)],
            [.window(0x7fff_ffff), .window(0x7fff_ffff)], [HTTP2Frame(.continuation, stream: 1)],
            [.settings([4: 0x8000_0000])], [HTTP2Frame(.headers, flags: 4, stream: 1, payload: [0x80])],
            [HTTP2Frame(.ping, payload: [0])],
        ] {
            let peer = try HTTP2Peer()
            _ = try peer.begin()
            peer.receive(frames)
            #expect(peer.session.failure?.code == .protocolViolation, "\(frames)")
            #expect(!peer.sent(.goAway).isEmpty)
        }
        let peer = try HTTP2Peer(settings: false)
        peer.receive(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        #expect(peer.session.failure?.code == .protocolViolation)
    }

    @Test func asksForASignOfLife() throws {
        let peer = try HTTP2Peer()
        peer.session.ping()
        peer.flush()
        #expect(!peer.session.isPingAnswered)
        let ping = try #require(peer.sent(.ping).first)
        peer.receive([HTTP2Frame(.ping, flags: HTTP2Frame.ack, payload: ping.payload)])
        #expect(peer.session.isPingAnswered)
        peer.receive([HTTP2Frame(.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8])])
        #expect(peer.sent(.ping).last == HTTP2Frame(.ping, flags: HTTP2Frame.ack, payload: [1, 2, 3, 4, 5, 6, 7, 8]))
    }
}
