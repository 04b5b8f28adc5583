// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataTesting
import TestSupport
import Testing

/// What comes on a connection when nobody has asked for it (RFC 9112 §9.2).
struct CurlUnaskedBytesTests {
    @Test func aConnectionThatRestsIsWatched() async throws {
        let unasked: [RawScript.Step] = [
            .readRequest, .respond(body: "asked"), .wait(.milliseconds(200)), .respond(body: "unasked"), .readToEnd,
        ]
        try await RawServer.withServer(script: RawScript(unasked)) { server in
            try await withCurl { transport in
                expectEqual(try await transport.text(.get, server.url), "asked")
                try await server.wait(within: .seconds(60)) { log in log.has(.resetByPeer, on: 1) }
            }
        }
    }

    @Test func whatCameUnaskedSinceTheLastAnswerIsNoAnswer() async throws {
        let answers = RawScript.Step.repeat([.readRequest, .respondWithTarget], times: 12)
        let evil: RawScript = [answers, .wait(.milliseconds(1)), .respond(body: "evil"), .readToEnd]
        let server = try RawServer.start(scripts: [evil, .forever(.readRequest, .respondWithTarget)])
        defer { server.stop() }
        try await withCurl { transport in
            for number in 1...12 {
                expectEqual(try await transport.text(.get, "\(server.url)/\(number)"), "/\(number)")
            }
            try await Task.sleep(for: .milliseconds(10))
            expectEqual(try await transport.text(.get, "\(server.url)/next"), "/next")
        }
    }

    @Test func whatCameUnaskedIsNoAnswerThoughAnotherServerHasJustAnswered() async throws {
        let answers = RawScript.Step.repeat([.readRequest, .respondWithTarget], times: 12)
        let evil: RawScript = [answers, .wait(.milliseconds(1)), .respond(body: "evil"), .readToEnd]
        let server = try RawServer.start(scripts: [evil, .forever(.readRequest, .respondWithTarget)])
        defer { server.stop() }
        try await RawServer.withServer(script: .forever(.readRequest, .respondWithTarget)) { other in
            try await withCurl { transport in
                for number in 1...12 {
                    expectEqual(try await transport.text(.get, "\(server.url)/\(number)"), "/\(number)")
                }
                let end = ContinuousClock.now + .milliseconds(10)
                while .now < end { expectEqual(try await transport.text(.get, "\(other.url)/other"), "/other") }
                expectEqual(try await transport.text(.get, "\(server.url)/next"), "/next")
            }
        }
    }

    /// The answer fills what libcurl reads at once, and the next request follows at once.
    @Test func whatLibcurlHasNotReadWithAnAnswerIsNoAnswer() async throws {
        let size = 16 * 1024
        let (start, end) = ("HTTP/1.1 200 OK\r\nX: ", "\r\nContent-Length: 5\r\n\r\nhello")
        let padding = String(repeating: "x", count: size - start.utf8.count - end.utf8.count)
        let more = start + padding + end + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        let answers = RawScript.Step.repeat([.readRequest, .respondWithTarget], times: 12)
        let evil: RawScript = [answers, .readRequest, .send(more), .readToEnd]
        let server = try RawServer.start(scripts: [evil, .forever(.readRequest, .respondWithTarget)])
        defer { server.stop() }
        try await withCurl({ $0.receiveBuffer = size }) { transport in
            for number in 1...12 {
                expectEqual(try await transport.text(.get, "\(server.url)/\(number)"), "/\(number)")
            }
            expectEqual(try await transport.text(.get, server.url), "hello")
            expectEqual(try await transport.text(.get, "\(server.url)/next"), "/next")
        }
    }
}
