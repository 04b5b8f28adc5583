// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataTesting

struct RawLogTests {
    private func request(_ method: String, _ target: String, body: Int = 0) -> RawLog.Request {
        let head = "\(method) \(target) HTTP/1.1\r\nAuthorization: Bearer hunter2\r\n\r\n"
        var request = RawLog.Request(connection: 1, rawHead: Array(head.utf8))
        request.body = [UInt8](repeating: 7, count: body)
        request.rawBody = request.body
        return request
    }

    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test func aLogTellsWhatHappenedWithoutSecretsAndBodies() {
        var log = RawLog()
        log.requests = [request("POST", "/a/b?token=hunter2", body: 300_000), request("GET", "*")]
        log.received = [1: [UInt8](repeating: 7, count: 300_200), 2: [1]]
        log.events = [.init(connection: 1, kind: .accepted), .init(connection: 2, kind: .accepted)]
        log.events.append(.init(connection: 1, kind: .closedByPeer))
        let words =
            "2 connections, 300201 bytes; requests: POST /a/b (300000 bytes), GET * (0 bytes); "
            + "events: 1 accepted, 2 accepted, 1 closedByPeer"
        let error = RawServer.WaitedTooLong(log: log)
        #expect("\(log)" == words)
        #expect("\(error)" == "waited too long; so far: \(words)")
        #expect("\(log.requests)" == "[POST /a/b (300000 bytes), GET * (0 bytes)]")
        for text in [dumped(log), dumped(error), dumped(log.requests), String(reflecting: log.requests[0])] {
            #expect(!text.contains("hunter2"))
            #expect(text.utf8.count < 1000)
        }
    }

    @Test func whatIsMuchIsCut() {
        var log = RawLog()
        log.requests = (0..<5000).map { request("GET", "/\($0)") }
        log.requests.append(request("GET", "/" + String(repeating: "x", count: 100_000)))
        let text = "\(log)"
        #expect(text.hasPrefix("0 connections, 0 bytes; requests: …, GET /4981 (0 bytes), GET /4982"))
        #expect(text.hasSuffix("GET /4999 (0 bytes), GET /\(String(repeating: "x", count: 99))… (0 bytes)"))
    }

    @Test func anEmptyLogIsShort() {
        #expect("\(RawLog())" == "0 connections, 0 bytes")
    }
}
