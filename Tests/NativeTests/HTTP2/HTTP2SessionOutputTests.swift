// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

@testable import StrataNative
@testable import StrataTesting

/// What a session sends.
struct HTTP2SessionOutputTests {
    private func fields(_ fields: HTTPFields, _ method: HTTPMethod = .get) throws -> [String] {
        let peer = try HTTP2Peer()
        _ = try peer.begin(method, path: "/p?q", fields: fields)
        return peer.heads()[0]
    }

    private static let pseudo = [":method: GET", ":scheme: https", ":authority: a.test", ":path: /p?q"]

    @Test func beginsWithThePseudoFields() throws {
        #expect(try fields([:]) == Self.pseudo)
        #expect(try fields([.accept: "*/*", .init("X-Name")!: "v"]) == Self.pseudo + ["accept: */*", "x-name: v"])
    }

    @Test func sendsNothingThatConcernsAConnection() throws {
        var all: HTTPFields = [.connection: "close, X-Hop", .init("X-Hop")!: "1", .upgrade: "h2c", .te: "gzip"]
        all[.transferEncoding] = "chunked"
        all[.contentLength] = "7"
        all[.init("Keep-Alive")!] = "timeout=5"
        all[.init("Proxy-Connection")!] = "keep-alive"
        all[.init("HTTP2-Settings")!] = "AAMAAABkAAQAAP__"
        all[.proxyAuthorization] = "Basic x"
        all[.accept] = "*/*"
        #expect(try fields(all) == Self.pseudo + ["accept: */*"])
        #expect(try fields([.te: "Trailers"]) == Self.pseudo + ["te: Trailers"])
    }

    @Test func namesTheHostThatTheCallerNames() throws {
        let found = try fields([.init("Host")!: "b.test"])
        #expect(found == [":method: GET", ":scheme: https", ":authority: b.test", ":path: /p?q"])
        var two = HTTPFields()
        for host in ["a", "b"] { two.append(HTTPField(name: .init("Host")!, value: host)) }
        #expect(throws: NetworkClientError.self) { try fields(two) }
    }

    @Test func sendsCookiesApart() throws {
        let found = try fields([.cookie: "a=1; b=2"])
        #expect(found == Self.pseudo + ["cookie: a=1; b=2"] || found == Self.pseudo + ["cookie: a=1", "cookie: b=2"])
    }

    @Test func sendsABodyAndItsEnd() throws {
        let peer = try HTTP2Peer()
        let (stream, _) = try peer.begin(.post, length: 5, hasBody: true)
        #expect(peer.heads()[0].last == "content-length: 5")
        #expect(!peer.sent(.headers)[0].has(HTTP2Frame.endStream) && peer.sent(.data).isEmpty)
        stream.output.append(Data("hel".utf8))
        peer.session.resume(stream)
        peer.flush()
        #expect(peer.body(of: 1) == Array("hel".utf8) && !stream.isOutputOver)
        stream.output.append(Data("lo".utf8))
        try peer.session.endOutput(of: stream, trailers: [:])
        peer.flush()
        #expect(peer.body(of: 1) == Array("hello".utf8) && stream.isOutputOver)
        #expect(peer.sent(.data).map { $0.has(HTTP2Frame.endStream) } == [false, true])
    }

    @Test func sendsTrailers() throws {
        let peer = try HTTP2Peer()
        let (stream, _) = try peer.begin(.post, hasBody: true)
        stream.output.append(Data("x".utf8))
        #expect(throws: NetworkClientError.self) {
            try peer.session.endOutput(of: stream, trailers: [.contentLength: "1"])
        }
        try peer.session.endOutput(of: stream, trailers: [.init("X-Sum")!: "7"])
        peer.flush()
        #expect(peer.heads().last == ["x-sum: 7"])
        #expect(peer.sent(.headers).last?.has(HTTP2Frame.endStream) == true)
        #expect(peer.sent(.data).allSatisfy { !$0.has(HTTP2Frame.endStream) })
    }

    @Test func waitsForTheWindow() throws {
        let peer = try HTTP2Peer()
        let (stream, _) = try peer.begin(.post, length: 100_000, hasBody: true)
        stream.output.append(Data(count: 100_000))
        try peer.session.endOutput(of: stream, trailers: [:])
        peer.flush()
        #expect(peer.body(of: 1).count == 65_535 && !stream.isOutputOver)
        peer.receive([.window(10, on: 1)])
        #expect(peer.body(of: 1).count == 65_535)
        peer.receive([.window(1 << 20), .window(10, on: 1)])
        #expect(peer.body(of: 1).count == 65_555)
        peer.receive([.window(1 << 20, on: 1)])
        #expect(peer.body(of: 1).count == 100_000 && stream.isOutputOver)
    }

    @Test func producesNoMoreAtOnceThanItIsAskedFor() throws {
        let peer = try HTTP2Peer()
        peer.receive([.settings([4: 0x7fff_ffff]), .window(0x7000_0000)])
        let (stream, _) = try peer.begin(.post, hasBody: true)
        stream.output.append(Data(count: 1 << 20))
        try peer.session.endOutput(of: stream, trailers: [:])
        var rounds = 0
        while !stream.isOutputOver, rounds < 1000 {
            peer.session.produce(atMost: 10_000)
            #expect(peer.session.outgoing.count < 10_000 + 16_384 + 100)
            peer.flush(atMost: 10_000)
            rounds += 1
        }
        #expect(peer.body(of: 1).count == 1 << 20)
    }

    @Test func resetsWhatIsLeft() throws {
        let peer = try HTTP2Peer()
        let (stream, _) = try peer.begin(.post, hasBody: true)
        stream.output.append(Data(count: 100_000))
        peer.session.resume(stream)
        peer.flush()
        peer.session.leave(stream, .cancel)
        peer.flush()
        #expect(peer.resetCode(of: 1) == .cancel)
        #expect(stream.isClosed && peer.session.streams.isEmpty)
    }

    /// However much has been produced: a frame that had begun to be sent is not, and the others are whole.
    @Test(arguments: [1, 60, 10_000, 16_400, 16_500, 33_000, 40_000])
    func leavesAStreamAmidItsBody(_ produced: Int) throws {
        let peer = try HTTP2Peer()
        let bodies = try [1, 3, 5].map { _ in
            let (stream, _) = try peer.begin(.post, length: 20_000, hasBody: true)
            stream.output.append(Data(repeating: 7, count: 20_000))
            stream.isOutputEnded = true
            return stream
        }
        for stream in bodies { peer.session.resume(stream) }
        peer.flush(atMost: produced)
        for stream in bodies where !stream.isOutputOver && stream.id != 5 { peer.session.leave(stream, .cancel) }
        peer.flush()
        #expect(peer.session.failure == nil)
        for stream in bodies where stream.receiver == nil {
            #expect(peer.resetCode(of: UInt32(stream.id)) == .cancel)
            #expect(!peer.sent(.data, on: UInt32(stream.id)).contains { $0.has(HTTP2Frame.endStream) })
        }
        #expect(peer.body(of: 5).count == 20_000 && bodies[2].isOutputOver)
    }

    @Test func leavesARequestThatWasNeverSent() throws {
        let peer = try HTTP2Peer()
        peer.receive([.settings([3: 1])])
        let (first, _) = try peer.begin()
        let (second, _) = try peer.begin()
        peer.session.leave(second, .cancel)
        peer.receive([.head([":status": "200"], ends: true)])
        #expect(first.isEnded)
        #expect(peer.sent(.headers).count == 1 && peer.session.streams.isEmpty)
    }

    @Test func saysGoodbye() throws {
        let peer = try HTTP2Peer()
        peer.session.goAway()
        peer.flush()
        #expect(peer.sent(.goAway).count == 1 && !peer.session.hasRoom)
        #expect(peer.session.failure == nil)
    }
}
