// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

@testable import StrataNative
@testable import StrataTesting

/// How far a session lets its peer send.
struct HTTP2SessionWindowTests {
    private static let limits: HTTP2Session.Limits = {
        var limits = HTTP2Session.Limits()
        limits.streamWindow = 64 * 1024
        limits.largestStreamWindow = 256 * 1024
        limits.connectionWindow = 256 * 1024
        limits.unread = 512 * 1024
        return limits
    }()

    private func peer(_ count: Int) throws -> (HTTP2Peer, [ClientStream]) {
        let peer = try HTTP2Peer(Self.limits)
        let streams = try (0..<count).map { _ in try peer.begin().stream }
        for stream in streams { peer.receive([.head([":status": "200"], on: UInt32(stream.id))]) }
        return (peer, streams)
    }

    @Test func opensAStreamForWhatIsReadAlone() throws {
        let (peer, streams) = try peer(1)
        peer.receive(HTTP2Frame.data(64 * 1024))
        #expect(streams[0].unread == 64 * 1024 && streams[0].isHeldByReader)
        #expect(peer.granted(on: 1) == 0)
        peer.session.noteRead(40 * 1024, of: streams[0])
        peer.flush()
        #expect(peer.granted(on: 1) == 40 * 1024)
        #expect(streams[0].unread == 24 * 1024)
    }

    @Test func whoSendsMoreThanItMayLosesItsStream() throws {
        let (peer, streams) = try peer(1)
        peer.receive(HTTP2Frame.data(64 * 1024 + 1))
        #expect(streams[0].isClosed || peer.session.failure != nil)
    }

    @Test func aSlowReaderHoldsUpNobody() throws {
        let (peer, streams) = try peer(6)
        for stream in streams.dropLast() { peer.receive(HTTP2Frame.data(64 * 1024, on: UInt32(stream.id))) }
        // More than the window of the connection is unread.
        peer.receive(HTTP2Frame.data(64 * 1024, on: UInt32(streams[5].id)))
        #expect(streams[5].unread == 64 * 1024)
        #expect(peer.session.failure == nil && peer.session.hasRoom)
    }

    @Test func holdsABoundedNumberOfBytes() throws {
        let (peer, streams) = try peer(13)
        let most = Self.limits.unread + Self.limits.connectionWindow
        for stream in streams.prefix(9) { peer.receive(HTTP2Frame.data(64 * 1024, on: UInt32(stream.id))) }
        #expect(!peer.session.hasRoom)
        let open = Self.limits.connectionWindow + peer.granted(on: 0) + 65_535 - Self.limits.connectionWindow
        #expect(open <= most)
        // What is read opens the window again.
        for stream in streams.prefix(9) { peer.session.noteRead(64 * 1024, of: stream) }
        peer.flush()
        #expect(peer.session.hasRoom && peer.session.hasMoreRoom)
        for stream in streams.suffix(4) { peer.receive(HTTP2Frame.data(64 * 1024, on: UInt32(stream.id))) }
        #expect(peer.session.failure == nil)
    }

    @Test func opensFurtherForAReaderThatKeepsUp() throws {
        let (peer, streams) = try peer(1)
        for _ in 0..<4 {
            peer.receive(HTTP2Frame.data(streams[0].window / 16_384 * 16_384))
            peer.session.noteRead(streams[0].unread, of: streams[0])
            peer.flush()
        }
        #expect(streams[0].window == Self.limits.largestStreamWindow)
        #expect(peer.session.failure == nil && !streams[0].isClosed)
        peer.receive(HTTP2Frame.data(Self.limits.largestStreamWindow))
        #expect(streams[0].unread == Self.limits.largestStreamWindow && peer.session.failure == nil)
    }

    @Test func whatIsLeftTakesNoWindowFromOthers() throws {
        let (peer, streams) = try peer(40)
        for stream in streams.dropLast() {
            peer.receive(HTTP2Frame.data(32 * 1024, on: UInt32(stream.id)))
            peer.session.leave(stream, .cancel)
            // It was on its way.
            peer.receive(HTTP2Frame.data(32 * 1024, on: UInt32(stream.id)))
        }
        peer.receive(HTTP2Frame.data(64 * 1024, on: UInt32(streams[39].id)))
        #expect(streams[39].unread == 64 * 1024 && peer.session.failure == nil)
    }

    @Test func aBodyThatHasEndedIsNobodysBurden() throws {
        let (peer, streams) = try peer(1)
        peer.receive(HTTP2Frame.data(32 * 1024, ends: true))
        #expect(streams[0].isEnded)
        peer.session.leave(streams[0], .noError)
        #expect(streams[0].unread == 0)
        peer.session.noteRead(32 * 1024, of: streams[0])
        peer.flush()
        #expect(peer.sent(.windowUpdate, on: 1).isEmpty)
    }
}
