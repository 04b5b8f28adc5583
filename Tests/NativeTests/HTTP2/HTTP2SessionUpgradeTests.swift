// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import TestSupport
import Testing

@testable import StrataNative
@testable import StrataTesting

/// Streams that go on in another protocol (RFC 8441).
struct HTTP2SessionUpgradeTests {
    private static let consent = HTTP2Frame.settings([8: 1])

    /// With a server that takes them.
    private func peer(_ limits: HTTP2Session.Limits = .init()) throws -> HTTP2Peer {
        let peer = try HTTP2Peer(limits, settings: false)
        peer.receive([Self.consent, HTTP2Frame(.settings, flags: HTTP2Frame.ack)])
        return peer
    }

    private func isWhole(_ stream: ClientStream) -> Bool {
        if case .whole? = stream.end { true } else { false }
    }

    private func failure(of stream: ClientStream) -> NetworkClientError? {
        if case .failed(let error)? = stream.end { error } else { nil }
    }

    // MARK: - The request

    @Test func asksByCONNECT() throws {
        let peer = try peer()
        let fields: HTTPFields = [
            .connection: "upgrade", .upgrade: "websocket", .secWebSocketKey: "AQIDBAUGBwgJCgsMDQ4PEA==",
            .secWebSocketVersion: "13", .secWebSocketProtocol: "chat",
        ]
        _ = try peer.begin(path: "/live?a=1", fields: fields, upgrade: "websocket")
        #expect(
            peer.heads() == [
                [
                    ":method: CONNECT", ":protocol: websocket", ":scheme: https", ":authority: a.test",
                    ":path: /live?a=1", "sec-websocket-version: 13", "sec-websocket-protocol: chat",
                ]
            ])
        #expect(!peer.sent(.headers)[0].has(HTTP2Frame.endStream) && peer.sent(.data).isEmpty)
    }

    @Test func keepsTheKeyOfAnOrdinaryRequest() throws {
        let peer = try peer()
        _ = try peer.begin(fields: [.secWebSocketKey: "k"])
        #expect(peer.heads()[0].last == "sec-websocket-key: k")
    }

    @Test func waitsForTheSettings() throws {
        let peer = try HTTP2Peer(settings: false)
        let (stream, _) = try peer.begin(upgrade: "echo")
        let (other, _) = try peer.begin()
        #expect(peer.heads().count == 1 && other.id == 1 && stream.id == 0)
        #expect(peer.session.live == 2)
        peer.receive([Self.consent])
        try #require(peer.heads().count == 2)
        #expect(stream.id == 3 && !stream.isClosed)
        #expect(peer.heads()[1].prefix(2) == [":method: CONNECT", ":protocol: echo"])
    }

    @Test(arguments: [[:], [8: 0], [3: 100]] as [KeyValuePairs<UInt16, UInt32>])
    func asksForNothingThatTheServerDoesNotTake(_ settings: KeyValuePairs<UInt16, UInt32>) throws {
        let peer = try HTTP2Peer(settings: false)
        let (held, _) = try peer.begin(upgrade: "echo")
        peer.receive([.settings(settings)])
        let (late, _) = try peer.begin(upgrade: "echo")
        for stream in [held, late] {
            guard case .upgradeNotTaken? = stream.end else {
                Issue.record("it ended otherwise: \(String(describing: stream.end))")
                continue
            }
            #expect(peer.session.nextTouched() === stream)
            peer.session.leave(stream, .cancel)
        }
        peer.flush()
        #expect(peer.sent(.headers).isEmpty && peer.sent(.rstStream).isEmpty)
        #expect(peer.session.live == 0 && peer.session.failure == nil && peer.session.hasRoom)
        // It may take them later.
        peer.receive([Self.consent])
        let (last, _) = try peer.begin(upgrade: "echo")
        #expect(last.id == 1 && !last.isClosed)
    }

    @Test func leavesOneThatWaits() throws {
        let peer = try HTTP2Peer(settings: false)
        let streams = try (0..<3).map { _ in try peer.begin(upgrade: "echo").stream }
        peer.session.leave(streams[1], .cancel)
        #expect(peer.session.live == 2)
        #expect(peer.session.unfinished.map { $0 === streams[1] } == [false, false])
        peer.receive([Self.consent])
        #expect(peer.sent(.headers).count == 2 && peer.sent(.rstStream).isEmpty)
        #expect([streams[0].id, streams[1].id, streams[2].id] == [1, 0, 3])
    }

    @Test func oneThatWaitsIsUnprocessedBehindGOAWAY() throws {
        let peer = try HTTP2Peer(settings: false)
        let (stream, _) = try peer.begin(upgrade: "echo")
        peer.receive([Self.consent, .goAway(last: 0)])
        guard case .unprocessed? = stream.end else {
            Issue.record("it ended otherwise: \(String(describing: stream.end))")
            return
        }
    }

    @Test func aWrongRequestIsRefusedBeforeTheSettingsCome() throws {
        let peer = try HTTP2Peer(settings: false)
        var hosts = HTTPFields()
        for host in ["a", "b"] { hosts.append(HTTPField(name: .init("Host")!, value: host)) }
        #expect(throws: NetworkClientError.self) { try peer.begin(fields: hosts, upgrade: "echo") }
        #expect(peer.session.live == 0 && peer.session.held.isEmpty)
    }

    // MARK: - Refusals

    @Test(arguments: ["302", "401", "403", "404", "501"]) func aRefusalIsAnAnswer(_ status: String) throws {
        let peer = try peer()
        let (stream, body) = try peer.begin(upgrade: "echo")
        peer.receive([.head([":status": status, "content-length": "2"]), .data("no", ends: true)])
        #expect(!stream.isSwitched && stream.isEnded && !stream.isClosed && body.text == "no")
        peer.session.leave(stream, .noError)
        peer.flush()
        #expect(peer.resetCode(of: 1) == .noError && peer.sent(.data).isEmpty)
        #expect(stream.isClosed && isWhole(stream) && peer.session.failure == nil)
    }

    @Test(arguments: ["1", "3"]) func aRefusalHasTheLengthThatItAnnounces(_ length: String) throws {
        let peer = try peer()
        let (stream, _) = try peer.begin(upgrade: "echo")
        peer.receive([.head([":status": "403", "content-length": length]), .data("no", ends: true)])
        #expect(failure(of: stream)?.code == .protocolViolation && !stream.isEnded)
    }

    @Test func a101IsNoAnswer() throws {
        let peer = try peer()
        let (stream, _) = try peer.begin(upgrade: "echo")
        peer.receive([.head([":status": "101"])])
        #expect(failure(of: stream)?.code == .protocolViolation && !stream.isSwitched)
    }

    @Test func aRefusedStreamIsUnprocessed() throws {
        let peer = try peer()
        let (stream, _) = try peer.begin(upgrade: "echo")
        peer.receive([.reset(.refusedStream)])
        guard case .unprocessed? = stream.end else {
            Issue.record("it ended otherwise: \(String(describing: stream.end))")
            return
        }
    }

    // MARK: - Streams that have switched

    @Test func bytesGoBothWaysUntilBothHaveEnded() throws {
        for serverIsFirst in [true, false] {
            let peer = try peer()
            let (stream, body) = try peer.begin(upgrade: "echo")
            peer.receive([.head([":status": "103"]), .head([":status": "200"]), .data("hel")])
            #expect(stream.isSwitched && stream.interims.count == 1 && !stream.isEnded)
            stream.output.append(Data("question".utf8))
            peer.session.resume(stream)
            peer.flush()
            #expect(peer.body(of: 1) == Array("question".utf8) && stream.output.isEmpty)
            if serverIsFirst {
                peer.receive([.data("lo", ends: true)])
                #expect(stream.isEnded && !stream.isClosed)
                stream.output.append(Data("!".utf8))
                peer.session.endOutput(of: stream)
                peer.flush()
            } else {
                stream.output.append(Data("!".utf8))
                peer.session.endOutput(of: stream)
                peer.flush()
                #expect(!stream.isEnded && !stream.isClosed)
                peer.receive([.data("lo", ends: true)])
            }
            #expect(peer.body(of: 1) == Array("question!".utf8) && body.text == "hello")
            #expect(peer.sent(.data).last?.has(HTTP2Frame.endStream) == true)
            #expect(stream.isClosed && isWhole(stream) && peer.session.failure == nil)
        }
    }

    @Test func anyTwoHundredIsConsent() throws {
        let peer = try peer()
        let (stream, _) = try peer.begin(upgrade: "echo")
        peer.receive([.head([":status": "204"])])
        #expect(stream.isSwitched && !stream.isClosed)
    }

    @Test func fieldsAreNoPartOfAnotherProtocol() throws {
        let peer = try peer()
        let (stream, _) = try peer.begin(upgrade: "echo")
        let (other, body) = try peer.begin()
        peer.receive([.head([":status": "200"]), .data("a"), .head(["x-a": "1"], ends: true)])
        #expect(failure(of: stream)?.code == .protocolViolation && peer.resetCode(of: 1) == .protocolError)
        peer.receive([.head([":status": "200"], on: 3), .data("ok", on: 3, ends: true)])
        #expect(isWhole(other) && body.text == "ok" && peer.session.failure == nil)
    }

    @Test(arguments: [HTTP2Code.noError, .cancel, .internalError, .refusedStream])
    func aResetEndsItAlone(_ code: HTTP2Code) throws {
        let peer = try peer()
        let (stream, _) = try peer.begin(upgrade: "echo")
        let (other, _) = try peer.begin(upgrade: "echo")
        peer.receive([.head([":status": "200"]), .head([":status": "200"], on: 3), .data("a"), .reset(code)])
        #expect(failure(of: stream)?.code == .connectionLost)
        #expect(!other.isClosed && other.isSwitched && peer.session.failure == nil)
    }

    @Test func goesOnBehindGOAWAY() throws {
        let peer = try peer()
        let (stream, body) = try peer.begin(upgrade: "echo")
        peer.receive([.head([":status": "200"]), .goAway(last: 1), .data("still")])
        stream.output.append(Data("here".utf8))
        peer.session.resume(stream)
        peer.flush()
        #expect(!stream.isClosed && body.text == "still" && peer.body(of: 1) == Array("here".utf8))
        #expect(!peer.session.hasRoom)
    }

    @Test func windowsHoldBothSidesBack() throws {
        var limits = HTTP2Session.Limits()
        limits.streamWindow = 64 * 1024
        let peer = try peer(limits)
        let (stream, body) = try peer.begin(upgrade: "echo")
        peer.receive([.head([":status": "200"])])
        stream.output.append(Data(count: 100_000))
        peer.session.resume(stream)
        peer.flush()
        #expect(peer.body(of: 1).count == 65_535 && stream.output.count == 100_000 - 65_535)
        peer.receive([.window(1 << 20), .window(1, on: 1)])
        #expect(stream.output.count == 100_000 - 65_536)
        peer.receive([.window(1 << 20, on: 1)])
        #expect(stream.output.isEmpty && peer.body(of: 1).count == 100_000)
        // And the other way.
        peer.receive(HTTP2Frame.data(64 * 1024))
        #expect(body.body.count == 64 * 1024 && stream.isHeldByReader && peer.granted(on: 1) == 0)
        peer.session.noteRead(64 * 1024, of: stream)
        peer.flush()
        #expect(peer.granted(on: 1) >= 64 * 1024)
    }

    // MARK: - Splits

    private struct Outcome: Equatable {
        var bodies: [String]
        var statuses: [Int]
        var isSwitched: [Bool]
        var ends: [String]
        var failure: NetworkClientError.Code?
    }

    private static let conversations: [[HTTP2Frame]] = [
        [
            .head([":status": "200"]), .head([":status": "200"], on: 3), .data("he"), .data("a", on: 3),
            .data("llo", ends: true), .reset(.cancel, on: 3),
        ],
        [
            .head([":status": "403", "content-length": "2"]), .head([":status": "101"], on: 3), .data("no", ends: true),
        ],
        [.head([":status": "200"]), .data("x"), .head(["x-a": "1"], ends: true), .goAway(last: 1)],
        [.head([":status": "200"], ends: true), .head([":status": "404", "content-length": "1"], on: 3, ends: true)],
        [.head([":status": "200", "content-length": "2"]), .data("no"), .head([":status": "200"], on: 3), consent],
        [.head([":status": "200"]), .settings([8: 0])],
    ]

    private func outcome(_ pieces: [[UInt8]]) throws -> Outcome {
        let peer = try peer()
        let calls = [try peer.begin(upgrade: "echo"), try peer.begin(upgrade: "echo")]
        for piece in pieces { peer.receive(piece) }
        return Outcome(
            bodies: calls.map(\.body.text), statuses: calls.map(\.stream.parser.code),
            isSwitched: calls.map(\.stream.isSwitched),
            ends: calls.map { $0.stream.end.map { "\($0)" } ?? "none" }, failure: peer.session.failure?.code)
    }

    @Test(arguments: conversations.indices) func everySplitMeansTheSame(_ index: Int) throws {
        let bytes = Self.conversations[index].flatMap(\.encoded)
        let whole = try outcome([bytes])
        for place in 0...bytes.count {
            #expect(try outcome([Array(bytes[..<place]), Array(bytes[place...])]) == whole, "split at \(place)")
        }
        for size in [1, 2, 3, 7] { #expect(try outcome(bytes.pieces(of: size)) == whole, "pieces of \(size)") }
    }
}
