// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import Testing

@testable import StrataCurl
@testable import StrataTesting

/// What the rules ask of a transport, over TLS, where libcurl hides more and most connections are HTTP/2.
struct CurlSecureLifeTests {
    private func withFront(
        _ ports: [String: Int], ending: TLSFront.Ending = .orderly,
        _ configure: @escaping (inout CurlTransport.Configuration) -> Void = { _ in },
        _ body: (CurlTransport, String) async throws -> Void
    ) async throws {
        try await TLSFront.withServer(ports, ending: ending) { front in
            try await withCurl({ configuration in
                configuration.tls.trust = .pem(Data(front.authority.certificatePEM.utf8))
                configure(&configuration)
            }) { try await body($0, front.url) }
        }
    }

    // MARK: - Silence

    @Test(arguments: ["idle", "attempt", "cancel"])
    func leavesAConnectionOverHTTP2ThatAnswersNothing(_ ending: String) async throws {
        let server = try RawServer.start(streams: [.answer("one"), [], .answer("two"), .answer("three")])
        defer { server.stop() }
        try await withFront(["h2": server.port]) { transport, url in
            expectEqual(try await transport.text(.get, url), "one")
            let limit = Duration.milliseconds(500)
            var timeouts = Timeouts(idle: ending == "idle" ? limit : .seconds(60))
            if ending == "attempt" { timeouts.attempt = limit }
            let call = Task { [timeouts] in try await transport.text(.get, url, timeouts: timeouts) }
            try await server.wait(within: .seconds(20)) { $0.streams.count == 2 }
            if ending == "cancel" {
                try await Task.sleep(for: limit)
                call.cancel()
            }
            await #expect(throws: (any Error).self) { try await call.value }
            for text in ["two", "three"] { expectEqual(try await transport.text(.get, url), text) }
            let connections = server.log.streams.map(\.connection)
            #expect(connections == [1, 1, 2, 2])
        }
    }

    /// It answers the others.
    @Test(.enabled(if: CurlVersion.current.sharesConnections, "this libcurl confuses requests that share a connection"))
    func keepsAConnectionOverHTTP2ThatIsSilentForOneCallAlone() async throws {
        let drops = (0..<30).flatMap { _ in [HTTP2Script.Step.data("a", ends: false), .wait(.milliseconds(50))] }
        let slow = HTTP2Script(
            steps: [.fields([":status": "200"])] + drops + [
                .until { $0.streams.count == 3 && $0.streams[2].isResetByPeer }, .data("b"),
            ])
        let server = try RawServer.start(streams: [.answer("one"), slow, [], .answer("two")])
        defer { server.stop() }
        try await withFront(["h2": server.port]) { transport, url in
            expectEqual(try await transport.text(.get, url), "one")
            let slow = Task { try await transport.text(.get, url) }
            try await server.wait(within: .seconds(20)) { $0.streams.count == 2 }
            await #expect(throws: NetworkClientError.self) {
                try await transport.text(.get, url, timeouts: Timeouts(idle: .seconds(1)))
            }
            expectEqual(try await slow.value, String(repeating: "a", count: 30) + "b")
            expectEqual(try await transport.text(.get, url), "two")
            #expect(Set(server.log.streams.map(\.connection)) == [1])
        }
    }

    // MARK: - Unread bodies

    /// libcurl takes in 32 MB of each by itself, when they share a connection.
    @Test func limitsWhatWaitsInAllBodiesThatNobodyReads() async throws {
        let megabyte = [UInt8](repeating: 1, count: 1 << 20)
        let script: HTTP2Script = [.fields([":status": "200"]), .body(megabyte, times: 24, ends: true)]
        let server = try RawServer.start(streams: [.answer("one")] + Array(repeating: script, count: 4))
        defer { server.stop() }
        try await withFront(["h2": server.port], { $0.maximumUnreadBytes = 8 << 20 }) { transport, url in
            expectEqual(try await transport.text(.get, url), "one")
            var responses: [TransportResponse] = []
            for _ in 0..<4 { responses.append(try await transport.send(.get, url)) }
            try await Task.sleep(for: .seconds(1))
            var failed = 0
            for response in responses {
                do {
                    expectEqual(try await response.body.collect(upTo: .max).count, 24 << 20)
                } catch let error as NetworkClientError where error.code == .bodyTooLarge {
                    failed += 1
                }
            }
            #expect((failed > 0) == CurlVersion.current.sharesConnections)
        }
    }

    // MARK: - Refusals

    @Test(arguments: [HTTPMethod.get, .post])
    func goesOnOverHTTP1WhenTheServerAsksForIt(_ method: HTTPMethod) async throws {
        let h2 = try RawServer.start(streams: [[.reset(.http11Required)]])
        // What chooses h2 once more is refused once more.
        let http1 = try RawServer.start(script: .forever(.readRequest, .respond(body: "ok")))
        defer {
            h2.stop()
            http1.stop()
        }
        try await withFront(["h2": h2.port, "http/1.1": http1.port]) { transport, url in
            let body: RequestBody = method == .post ? .data(Data("order".utf8)) : .empty
            expectEqual(try await transport.text(method, url, body: body), "ok")
            #expect(http1.log.requests.map(\.body) == [method == .post ? Array("order".utf8) : []])
        }
    }

    // MARK: - Early answers

    @Test(arguments: [200_000, 20_000_000])
    func deliversAnAnswerThatComesDuringTheUpload(_ size: Int) async throws {
        let answer = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig"
        let server = try RawServer.start(script: [.readHead, .send(answer), .reset])
        defer { server.stop() }
        try await withFront(["http/1.1": server.port]) { transport, url in
            var lost: [String] = []
            for _ in 0..<40 {
                do {
                    let response = try await transport.send(.post, url, body: .data(Data(count: size)))
                    let text = String(decoding: try await response.body.collect(), as: UTF8.self)
                    if response.head.status.code != 413 || text != "big" { lost.append(text) }
                } catch {
                    lost.append("\(error)")
                }
            }
            #expect(lost.isEmpty, "\(lost.count) of 40: \(lost.first ?? "")")
        }
    }

    // MARK: - The end of TLS

    @Test(arguments: [true, false], [TLSFront.Ending.orderly, .withoutCloseNotify])
    func believesTheEndOfABodyWhenTLSEndsAsItShould(_ isRequired: Bool, _ ending: TLSFront.Ending) async throws {
        let server = try RawServer.start(script: [
            .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"), .wait(.milliseconds(50)), .close,
        ])
        defer { server.stop() }
        try await withFront(
            ["http/1.1": server.port], ending: ending, { $0.tls.requiresCloseNotify = isRequired }
        ) { transport, url in
            let response = try await transport.send(.get, url)
            #expect(response.head.status == .ok)
            if isRequired, ending == .withoutCloseNotify {
                let error = await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
                #expect(error?.code == .connectionLost)
                #expect(error?.message.contains("close_notify") == true)
            } else {
                expectEqual(String(decoding: try await response.body.collect(), as: UTF8.self), "hello")
            }
        }
    }

    /// Its end is known without it.
    @Test(arguments: ["Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"])
    func needsNoEndOfTLSBehindABodyOfKnownLength(_ rest: String) async throws {
        let server = try RawServer.start(script: [.readRequest, .send("HTTP/1.1 200 OK\r\n\(rest)"), .close])
        defer { server.stop() }
        try await withFront(["http/1.1": server.port], ending: .withoutCloseNotify) { transport, url in
            for _ in 0..<3 { expectEqual(try await transport.text(.get, url), "hello") }
        }
    }
}
