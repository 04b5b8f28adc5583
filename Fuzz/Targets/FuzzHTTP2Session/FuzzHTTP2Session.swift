// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
import HTTPTypes
import StrataCore

@testable import StrataNative
@testable import StrataTransportSupport

/// What a server may send over HTTP/2: however the bytes come, they mean the same, no body is whole that is shorter than announced,
/// and what waits unread stays within its bound.
@main struct FuzzHTTP2Session {
    static func main() { Fuzzer.run(check) }
}

/// The first byte says how the others are cut, and what becomes of the streams meanwhile.
private func check(_ data: Data) {
    guard let first = data.first else { return }
    let bytes = Array(data.dropFirst())
    let whole = outcome([bytes], first)
    let place = bytes.count * Int(first >> 2) / 64
    for pieces in [[Array(bytes[..<place]), Array(bytes[place...])], bytes.map { [$0] }] {
        let other = outcome(pieces, first)
        // Behind the last answer of a connection that takes no more, nobody looks at what comes. And what comes on a stream that
        // the server has ended badly breaks the connection until our reset has left; from then on it is ignored (RFC 9113 §5.1).
        if other.isFailed != whole.isFailed {
            precondition(other.isOver && whole.isOver || other.hasRefused && whole.hasRefused)
        }
        if !whole.isFailed, !other.isFailed { precondition(other == whole) }
    }
}

private struct Outcome: Equatable {
    var isFailed = false
    var isOver = false
    /// Whether an answer was malformed.
    var hasRefused = false
    var bodies: [[UInt8]] = []
    var heads: [HTTPResponse?] = []
    var trailers: [HTTPFields?] = []
    var isEnded: [Bool] = []
}

private final class Collector: HTTP2Receiver {
    var body: [UInt8] = []
    func take(_ bytes: UnsafeRawBufferPointer, length: Int64?) { body += bytes }
}

private func outcome(_ pieces: [[UInt8]], _ choice: UInt8) -> Outcome {
    var limits = HTTP2Session.Limits()
    (limits.head, limits.streamWindow, limits.connectionWindow, limits.unread) = (4096, 65_535, 65_535, 65_535)
    guard let session = try? HTTP2Session(limits, fields: FieldMemory()) else { preconditionFailure("no session") }
    // SETTINGS_ENABLE_CONNECT_PROTOCOL, without which the last would not begin (RFC 8441 §3).
    let settings: [UInt8] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1]
    settings.withUnsafeBytes { session.receive($0, now: 1) }
    let methods: [HTTPMethod] = [.get, .head, .post, .connect]
    let calls = methods.map { method in
        let head = HTTPRequest(method: method, scheme: "https", authority: "a.test", path: "/")
        let body = Collector()
        let stream = try? session.begin(
            head, length: nil, hasBody: method == .post, upgrade: method == .connect ? "x" : nil, acceptEncoding: nil,
            skipsInvalidFields: choice & 1 != 0,
            receiver: body)
        guard let stream else { preconditionFailure("no stream begins") }
        if method == .post { stream.output.append(Data(count: 100_000)) }
        return (stream, body, method)
    }
    send(session)
    for piece in pieces {
        piece.withUnsafeBytes { session.receive($0, now: 1) }
        send(session)
        while let stream = session.nextTouched() {
            precondition(stream.unread <= stream.window)
            if choice & 2 != 0 { session.noteRead(stream.unread, of: stream) }
        }
    }
    var outcome = Outcome(
        isFailed: session.failure != nil, isOver: session.isGoingAway && session.streams.isEmpty,
        hasRefused: calls.contains { $0.0.violation != nil })
    if let failure = session.failure { precondition(failure.code == .protocolViolation) }
    for (stream, body, method) in calls {
        // How much comes of a broken answer depends on where it is cut.
        let isBroken = stream.isClosed && !stream.isEnded
        outcome.bodies.append(isBroken ? [] : body.body)
        outcome.heads.append(isBroken ? nil : stream.parser.response)
        outcome.trailers.append(isBroken ? nil : stream.trailers)
        outcome.isEnded.append(stream.isEnded)
        guard stream.isEnded else { continue }
        precondition(stream.hasHead && stream.parser.code >= 200)
        if method != .head, stream.parser.code != 304, !stream.isSwitched, let length = stream.parser.contentLength {
            precondition(Int64(body.body.count) == length)
        }
    }
    return outcome
}

private func send(_ session: HTTP2Session) {
    for _ in 0..<100 {
        session.produce(atMost: 10_000)
        precondition(session.outgoing.count < 10_000 + 64 * 1024)
        if session.outgoing.isEmpty { return }
        session.removeOutgoing()
    }
    preconditionFailure("it sends without end")
}
