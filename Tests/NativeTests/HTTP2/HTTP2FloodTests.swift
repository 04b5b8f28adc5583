// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

@testable import StrataNative
@testable import StrataTesting

/// A peer that sends what carries nothing loses its connection, and is named.
struct HTTP2FloodTests {
    private static let eight = [UInt8](repeating: 0, count: 8)

    private static let floods: [(name: String, frame: HTTP2Frame)] = [
        ("empty DATA", HTTP2Frame(.data, stream: 1)),
        ("empty DATA", HTTP2Frame(.data, flags: 8, stream: 1, payload: [3, 0, 0, 0])),
        ("PING", HTTP2Frame(.ping, payload: eight)), ("PING", HTTP2Frame(.ping, flags: 1, payload: eight)),
        ("SETTINGS", HTTP2Frame(.settings)), ("WINDOW_UPDATE", .window(1)), ("WINDOW_UPDATE", .window(1, on: 1)),
        ("PRIORITY", HTTP2Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 15])), ("RST_STREAM", .reset(.cancel)),
        ("GOAWAY", .goAway(last: 1)),
    ]

    @Test(arguments: floods) func isNamed(_ name: String, _ frame: HTTP2Frame) throws {
        let peer = try HTTP2Peer()
        _ = try peer.begin()
        peer.receive([.head([":status": "200"])])
        let bytes = Array(repeatElement(frame.encoded, count: 100).joined())
        for _ in 0..<(HTTP2FloodGuard.burst / 100 + 1) { peer.receive(bytes) }
        let failure = try #require(peer.session.failure)
        #expect(failure.code == .protocolViolation)
        #expect(failure.message.contains("floods") && failure.message.contains(name), "\(failure.message)")
    }

    @Test func unknownFramesAreNamed() throws {
        let peer = try HTTP2Peer()
        let frames = Array(repeatElement([0, 0, 0, 0xbe, 0, 0, 0, 0, 0] as [UInt8], count: 1000).joined())
        for _ in 0..<1000 where peer.session.failure == nil { peer.receive(frames) }
        #expect(peer.session.failure?.message.contains("unknown") == true)
    }

    @Test func aHeadWithoutEndIsNamed() throws {
        var limits = HTTP2Session.Limits()
        limits.head = 16 * 1024
        let peer = try HTTP2Peer(limits)
        _ = try peer.begin()
        peer.receive([HTTP2Frame(.headers, stream: 1, payload: HTTP2Frame.block([":status": "200"]))])
        // Changes of the table's size carry no field.
        let more = HTTP2Frame(.continuation, stream: 1, payload: [])
        for _ in 0..<20_000 where peer.session.failure == nil { peer.receive([more]) }
        #expect(peer.session.failure?.message.contains("CONTINUATION") == true)
    }

    @Test func aHeadIsLimited() throws {
        var limits = HTTP2Session.Limits()
        limits.head = 1000
        let peer = try HTTP2Peer(limits)
        let (stream, _) = try peer.begin()
        peer.receive([
            .head([
                ":status": "200", "x-a": String(repeating: "a", count: 120), "x-b": String(repeating: "a", count: 120),
                "x-c": String(repeating: "a", count: 120), "x-d": String(repeating: "a", count: 120),
                "x-e": String(repeating: "a", count: 120), "x-f": String(repeating: "a", count: 120),
                "x-g": String(repeating: "a", count: 120), "x-h": String(repeating: "a", count: 120),
            ])
        ])
        guard case .failed(let error) = stream.end else {
            Issue.record("it passed")
            return
        }
        #expect(error.message.contains("larger than 1000 bytes"))
    }

    @Test func interimHeadsAreLimited() throws {
        let peer = try HTTP2Peer()
        let (stream, _) = try peer.begin()
        for _ in 0...1000 { peer.receive([.head([":status": "103"])]) }
        guard case .failed(let error) = stream.end else {
            Issue.record("it passed")
            return
        }
        #expect(error.code == .protocolViolation)
    }

    @Test func whatIsUsefulIsNoFlood() throws {
        let peer = try HTTP2Peer()
        let (stream, _) = try peer.begin()
        peer.receive([.head([":status": "200"])])
        for _ in 0..<10_000 {
            peer.receive([.data("x"), .window(1)])
            peer.session.noteRead(1, of: stream)
        }
        #expect(peer.session.failure == nil)
    }

    @Test func signsOfLifeNowAndThenAreNoFlood() throws {
        let peer = try HTTP2Peer()
        for _ in 0..<10_000 {
            peer.receive([HTTP2Frame(.ping, payload: Self.eight)])
            peer.now += 10_000_000
        }
        #expect(peer.session.failure == nil)
    }

    @Test func windowsThatOpenWhileMuchIsSentAreNoFlood() throws {
        let peer = try HTTP2Peer()
        let (stream, _) = try peer.begin(.post, hasBody: true)
        for _ in 0..<10_000 {
            stream.output.append(Data(count: 1000))
            peer.session.resume(stream)
            peer.flush()
            peer.receive([.window(1000), .window(1000, on: 1)])
        }
        #expect(peer.session.failure == nil)
        #expect(peer.body(of: 1).count == 10_000_000)
    }

    /// A server opens both windows for each, and need not answer.
    @Test func windowsThatOpenForSmallMessagesAreNoFlood() throws {
        let peer = try HTTP2Peer()
        peer.receive([.settings([8: 1])])
        let (stream, _) = try peer.begin(upgrade: "websocket")
        peer.receive([.head([":status": "200"])])
        for _ in 0..<10_000 {
            stream.output.append(Data(count: 10))
            peer.session.resume(stream)
            peer.flush()
            peer.receive([.window(10), .window(10, on: 1)])
        }
        #expect(peer.session.failure == nil)
        #expect(peer.body(of: 1).count == 100_000)
    }

    /// nghttp2 says nothing of the end of such a head.
    @Test func theHeadOfAStreamThatWasLeftEndsAllTheSame() throws {
        let peer = try HTTP2Peer()
        let (left, _) = try peer.begin()
        let (stream, body) = try peer.begin()
        peer.receive([.head([":status": "200"], on: 3)])
        peer.session.leave(left, .cancel)
        peer.flush()
        peer.receive([.head([":status": "200"], on: 1)])
        let piece = HTTP2Frame(.data, stream: 3, payload: [UInt8](repeating: 0, count: 16_384))
        for _ in 0..<100 {
            peer.receive([piece])
            peer.session.noteRead(stream.unread, of: stream)
        }
        #expect(peer.session.failure == nil)
        #expect(body.body.count == 100 * 16_384)
    }

    @Test func bytesOfStreamsThatWereLeftAreNoFlood() throws {
        let peer = try HTTP2Peer()
        for number in 0..<100 {
            let (stream, _) = try peer.begin()
            peer.receive([.head([":status": "200"], on: UInt32(stream.id))])
            peer.session.leave(stream, .cancel)
            peer.receive((0..<100).map { _ in .data("xxxxxxxxxx", on: UInt32(stream.id)) })
            #expect(peer.session.failure == nil, "\(number)")
        }
    }
}
