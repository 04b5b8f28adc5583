// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import StrataTesting

struct ScriptPlayerTests {
    /// What a script does, and what it is given to read.
    private final class Tape: ScriptConnection, Sendable {
        enum Action: Equatable {
            case send(String)
            case wait(Duration?)
            case closeOutput, close, closeBeforeInputEnds, reset
        }

        private let input: Mutex<[Result<[UInt8], ConnectionLost>]>
        private let done = Mutex<[Action]>([])
        /// The wait of this number finds the server stopped.
        private let turns = Mutex(100)
        let sendFails: Bool

        init(_ input: [Result<[UInt8], ConnectionLost>], sendFails: Bool = false) {
            self.input = Mutex(input)
            self.sendFails = sendFails
        }

        var actions: [Action] { done.withLock { $0 } }

        func receive() throws(ConnectionLost) -> [UInt8] {
            try input.withLock { $0.isEmpty ? .success([]) : $0.removeFirst() }.get()
        }

        func send(_ bytes: [UInt8]) throws(ConnectionLost) {
            if sendFails { throw .resetByPeer }
            note(.send(String(decoding: bytes, as: UTF8.self)))
        }

        func wait(_ duration: Duration?) throws(ConnectionLost) {
            note(.wait(duration))
            let isStopped = turns.withLock { turns in
                turns -= 1
                return turns <= 0
            }
            if duration == nil || isStopped { throw .serverStopped }
        }

        func closeOutput() { note(.closeOutput) }
        func close(beforeInputEnds: Bool) { note(beforeInputEnds ? .closeBeforeInputEnds : .close) }
        func reset() { note(.reset) }

        private func note(_ action: Action) { done.withLock { $0.append(action) } }
    }

    private final class Recorder: Sendable {
        private let state = Mutex(RawLog())
        var log: RawLog { state.withLock { $0 } }
        func record(_ change: (inout RawLog) -> Void) { state.withLock { change(&$0) } }
    }

    private func play(_ script: RawScript, reading input: [String], sendFails: Bool = false) -> (Tape, RawLog) {
        play(script, input.map { .success(Array($0.utf8)) }, sendFails: sendFails)
    }

    private func play(
        _ script: RawScript, _ input: [Result<[UInt8], ConnectionLost>], sendFails: Bool = false
    ) -> (Tape, RawLog) {
        let (tape, recorder) = (Tape(input, sendFails: sendFails), Recorder())
        var player = ScriptPlayer(connection: tape, number: 7) { recorder.record($0) }
        player.play(script)
        return (tape, recorder.log)
    }

    @Test func stepsAreTakenInOrderAndTheConnectionClosed() {
        let script: RawScript = [
            .readRequest, .send("one"), .wait(.milliseconds(5)), .send([0x74, 0x77, 0x6F]), .closeOutput,
        ]
        let (tape, log) = play(script, reading: ["GET /a HTTP/1.1\r\nHost: x\r\n\r\n"])
        #expect(tape.actions == [.send("one"), .wait(.milliseconds(5)), .send("two"), .closeOutput, .close])
        #expect(log.events == [.init(connection: 7, kind: .finished)])
    }

    @Test func requestsAreRecordedAsSent() throws {
        let head = "POST /a b?c HTTP/1.1\r\nx-One:  1 \r\nX-ONE: 2\r\nContent-Length: 3\r\n\r\n"
        let (_, log) = play([.readRequest], reading: [head + "abcREST"])
        let request = try #require(log.requests.first)
        #expect((request.method, request.target, request.version) == ("POST", "/a b?c", "HTTP/1.1"))
        #expect(request.fields.map(\.name) == ["x-One", "X-ONE", "Content-Length"])
        #expect(request.values(of: "X-one") == ["1", "2"])
        #expect(request.rawHead == Array(head.utf8))
        #expect(request.body == Array("abc".utf8))
        #expect(request.connection == 7)
        #expect(log.received[7] == Array((head + "abcREST").utf8))
    }

    @Test func headsAreFoundAtEverySplit() {
        let text =
            "GET /1 HTTP/1.1\r\nA: b\r\n\r\nPOST /2 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
        let bytes = Array(text.utf8)
        for split in 1..<bytes.count {
            let input: [Result<[UInt8], ConnectionLost>] = [
                .success(Array(bytes[..<split])), .success(Array(bytes[split...])),
            ]
            let (_, log) = play([.readRequest, .readRequest], input)
            #expect(log.requests.map(\.target) == ["/1", "/2"], "split at \(split)")
            #expect(log.requests.last?.body == Array("hi".utf8), "split at \(split)")
            #expect(log.has(.finished))
        }
    }

    @Test func theHeadIsKnownBeforeTheBodyComes() {
        let head = "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        let (tape, log) = play([.readHead, .send("100"), .readBody, .send("200")], reading: [head, "ok"])
        #expect(tape.actions == [.send("100"), .send("200"), .close])
        #expect(log.requests.map(\.body) == [Array("ok".utf8)])
    }

    @Test func aClientThatClosesEndsTheScript() {
        let (tape, log) = play(
            [.readRequest, .send("never")], reading: ["POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\npart"])
        #expect(tape.actions == [.close])
        #expect(log.events.map(\.kind) == [.closedByPeer])
        #expect(log.requests.first?.body == Array("part".utf8))
    }

    @Test func aResetEndsTheScriptWhetherReadingOrSending() {
        let (_, reading) = play([.readBytes(1)], [.failure(.resetByPeer)])
        #expect(reading.events.map(\.kind) == [.resetByPeer])
        let (_, sending) = play([.send("x"), .reset], reading: [], sendFails: true)
        #expect(sending.events.map(\.kind) == [.resetByPeer])
    }

    @Test(arguments: [
        ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", Tape.Action.closeBeforeInputEnds),
        ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", .close),
        ("GET / HTTP/1.1\r\n\r\n", .close),
    ])
    private func closingKnowsWhetherTheClientStillSends(request: String, close: Tape.Action) {
        #expect(play([.readHead, .close], reading: [request]).0.actions == [close])
        #expect(play([.readHead], reading: [request]).0.actions == [close])
    }

    @Test func resetAndCloseEndTheScript() {
        let (reset, log) = play([.reset, .send("never")], reading: [])
        #expect(reset.actions == [.reset])
        #expect(log.events.map(\.kind) == [.finished])
        #expect(play([.close, .send("never")], reading: []).0.actions == [.close])
    }

    @Test func hangingLastsUntilTheServerStops() {
        let (tape, log) = play([.hang, .send("never")], reading: [])
        #expect(tape.actions == [.wait(nil), .close])
        #expect(log.events.isEmpty)
    }

    @Test func bytesLeftOverServeTheNextStep() {
        let (tape, _) = play([.readBytes(2), .send("a"), .readBytes(3), .send("b")], reading: ["12345"])
        #expect(tape.actions == [.send("a"), .send("b"), .close])
    }

    @Test func stepsRepeat() {
        let (tape, log) = play(
            [.repeat([.readRequest, .respond(body: "x")], times: 2)],
            reading: ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"])
        let response = "HTTP/1.1 200 Status\r\nContent-Length: 1\r\n\r\nx"
        #expect(tape.actions == [.send(response), .send(response), .close])
        #expect(log.has(.finished, on: 7))

        let (_, endless) = play(
            .forever(.readRequest, .respond()), reading: Array(repeating: "GET / HTTP/1.1\r\n\r\n", count: 3))
        #expect(endless.requests.count == 3)
        #expect(endless.events.map(\.kind) == [.closedByPeer])
        #expect(play([.repeat([])], reading: []).0.actions == [.close])
    }

    /// It neither takes a processor for itself, nor goes on behind the end of the server.
    @Test(
        arguments: [
            [], [.send("")], [.closeOutput], [.readBody], [.readBytes(0)], [.readBytes(-1)], [.drip("", every: .zero)],
            [.repeat([.send("")], times: 2)],
        ] as [[RawScript.Step]])
    func anEndlessTurnThatMovesNoBytesWaits(steps: [RawScript.Step]) {
        let (tape, log) = play([.repeat([.repeat([], times: 1)] + steps)], reading: [])
        #expect(tape.actions.count { $0 == .wait(.milliseconds(1)) } == 100)
        #expect(log.events.isEmpty)
    }

    @Test func anEndlessTurnThatMovesBytesGoesOnAtOnce() {
        let (tape, _) = play(.forever(.readBytes(1), .send("a")), reading: ["12", "3"])
        #expect(tape.actions == [.send("a"), .send("a"), .send("a"), .close])
        #expect(play(.forever(.readBytes(1)), reading: ["12", "3"]).0.actions == [.close])
    }

    @Test func aWaitBeforeNowIsNoneAndOneWithoutEndIsLong() {
        let connection = SocketConnection(-1)
        #expect(throws: Never.self) { try connection.wait(.seconds(Int64.min)) }
        #expect(throws: Never.self) { try connection.wait(.nanoseconds(-1)) }
        connection.interrupt()
        for duration in [.zero, .seconds(Int64.min), .seconds(Int64.max)] as [Duration] {
            #expect(throws: ConnectionLost.serverStopped) { try connection.wait(duration) }
        }
    }

    @Test func dripsAreSplitAndSpaced() {
        let (tape, _) = play([.drip("abcde", size: 2, every: .milliseconds(1))], reading: [])
        let pause = Tape.Action.wait(.milliseconds(1))
        #expect(tape.actions == [.send("ab"), pause, .send("cd"), pause, .send("e"), pause, .close])
    }

    @Test func readingToTheEndKeepsNothingBack() {
        let (tape, log) = play([.readToEnd], reading: ["a", "b"])
        #expect(tape.actions == [.close])
        #expect(log.received[7] == Array("ab".utf8))
        #expect(log.events.map(\.kind) == [.closedByPeer])
    }

    @Test func headsWithoutEndAreGivenUp() {
        let (_, log) = play(
            [.readHead], Array(repeating: .success([UInt8](repeating: 0x61, count: 1 << 20)), count: 20))
        #expect(log.requests.isEmpty)
        #expect(log.events.map(\.kind) == [.finished])
    }
}
