// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataEncoding
import StrataMiddleware
import StrataStreaming
import Testing

@testable import StrataTesting

/// What is asked again, by the client itself, when a connection that served before answers nothing any more: over another one.
@Suite(.timeLimit(.minutes(2)))
struct SilentConnectionTests {
    private typealias PlainRequest = NetworkRequest<VoidRequest, VoidResponse>

    /// How far an answer comes before the silence.
    enum Reach: CaseIterable { case nothing, head, part }

    private static let idle = Duration.milliseconds(500)
    private static let stream = "Content-Type: text/event-stream"

    /// Answers one request on the first connection, and falls silent; answers on any other. Over HTTP/2 inside of TLS.
    private func withServer(
        isHTTP2: Bool, _ reach: Reach, answers: (first: String, second: String),
        _ body: (NetworkClient, RawServer) async throws -> Void
    ) async throws {
        let server = try isHTTP2 ? Self.startHTTP2(reach, answers) : Self.startHTTP1(reach, answers)
        defer { server.stop() }
        guard isHTTP2 else { return try await withClient(to: server.url) { try await body($0, server) } }
        try await TLSFront.withServer(["h2": server.port]) { front in
            let authority = Data(front.authority.certificatePEM.utf8)
            try await withClient(to: front.url, trusting: authority) { try await body($0, server) }
        }
    }

    private static func startHTTP1(_ reach: Reach, _ answers: (first: String, second: String)) throws -> RawServer {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\(stream)\r\n\r\n"
        let start: [RawScript.Step] =
            switch reach {
            case .nothing: []
            case .head: [.send(head)]
            case .part: [.send(head + ": half")]
            }
        let well: [RawScript.Step] = [.readRequest, .respond(fields: [stream], body: answers.second)]
        return try RawServer.start(scripts: [
            RawScript([.readRequest, .respond(fields: [stream], body: answers.first), .readRequest] + start + [.hang]),
            RawScript(well + [.readRequest, .send("HTTP/1.1 204 No Content\r\n\r\n"), .readToEnd]),
        ])
    }

    private static func startHTTP2(_ reach: Reach, _ answers: (first: String, second: String)) throws -> RawServer {
        let head = HTTP2Script.Step.fields([":status": "200", "content-type": "text/event-stream"])
        let start: [HTTP2Script.Step] =
            switch reach {
            case .nothing: []
            case .head: [head]
            case .part: [head, .data(": half", ends: false)]
            }
        return try RawServer.start(streams: [
            [head, .data(answers.first)], HTTP2Script(steps: start), [head, .data(answers.second)],
            [.fields([":status": "204"], ends: true)],
        ])
    }

    private func withClient(
        to url: String, trusting authority: Data? = nil, _ body: (NetworkClient) async throws -> Void
    ) async throws {
        try await withCurl({ if let authority { $0.tls.trust = .pem(authority) } }) { transport in
            let retry = RetryMiddleware(maxAttempts: 5, backoff: .constant(.milliseconds(5)), budget: nil)
            try await body(
                NetworkClient(
                    configuration: NetworkConfiguration(
                        baseURL: URL(string: url), transport: transport, middleware: [retry])))
        }
    }

    /// The connections of the requests, in their order.
    private func connections(_ server: RawServer) -> [Int] {
        let log = server.log
        return log.streams.isEmpty ? log.requests.map(\.connection) : log.streams.map(\.connection)
    }

    @Test(arguments: [false, true], Reach.allCases) func aRetryTakesAnother(_ isHTTP2: Bool, _ reach: Reach)
        async throws
    {
        try await withServer(isHTTP2: isHTTP2, reach, answers: ("one", "two")) { client, server in
            let request = NetworkRequest<VoidRequest, Data>(method: .get) { $0.timeouts.idle = Self.idle }
            for text in ["one", "two"] { expectEqual(try await client.run(request).value, Data(text.utf8)) }
            let connections = connections(server)
            #expect(connections[1] == connections[0])
            #expect(connections.dropFirst(2).allSatisfy { $0 != connections[0] })
        }
    }

    @Test(arguments: [false, true], Reach.allCases)
    func aReconnectionOfAnEventSourceTakesAnother(_ isHTTP2: Bool, _ reach: Reach) async throws {
        let answers = ("retry: 1\nid: 1\ndata: one\n\n", "data: two\n\n")
        try await withServer(isHTTP2: isHTTP2, reach, answers: answers) { client, server in
            var policy = ReconnectionPolicy()
            policy.initialDelay = .milliseconds(10)
            let request = PlainRequest(method: .get) { $0.timeouts.idle = Self.idle }
            var seen: [String] = []
            for try await event in try client.eventSource(for: request, reconnection: policy) {
                seen.append(event.data)
                if event.data == "two" { break }
            }
            #expect(seen == ["one", "two"])
            let connections = connections(server)
            #expect(connections[1] == connections[0])
            #expect(connections.dropFirst(2).allSatisfy { $0 != connections[0] })
        }
    }
}
