// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import Testing

/// Interim answers, trailers and channels on their way through the layers.
struct InteractionTests {
    private static let sum = HTTPField.Name("X-Sum") ?? .accept

    private static let echo = ScriptedReply.upgrade(to: "echo", fields: [.setCookie: "a=1"]) { channel in
        while let bytes = try await channel.read() { try await channel.write(bytes) }
    }

    private final class Codes: Sendable {
        private let codes = Mutex<[Int]>([])
        var all: [Int] { codes.withLock { $0 } }
        func add(_ head: HTTPResponse) { codes.withLock { $0.append(head.status.code) } }
    }

    private func isEchoing(_ response: TransportResponse) async throws -> Bool {
        guard let channel = response.channel else { return false }
        try await channel.write(Data("hello".utf8))
        return try await channel.read() == Data("hello".utf8)
    }

    @Test func aRetryEndsWithTheChannel() async throws {
        let transport = ScriptedTransport(.status(503), .status(503), Self.echo)
        let client = makeClient(transport, RetryMiddleware())
        let response = try await client.call {
            $0.upgrade = "echo"
            $0.delivery = .collected
        }
        #expect(try await isEchoing(response))
        #expect(transport.requests.map(\.options.upgrade) == ["echo", "echo", "echo"])
    }

    @Test func aChannelIsNoStatusToRefuse() async throws {
        let client = makeClient(ScriptedTransport(Self.echo), StatusValidationMiddleware())
        #expect(try await isEchoing(client.call { $0.upgrade = "echo" }))
    }

    @Test func aLoggedChannelIsTheCallersAlone() async throws {
        let collector = LogCollector()
        let client = makeClient(
            ScriptedTransport(Self.echo), LoggingMiddleware(collector.logger(), details: .everything))
        #expect(try await isEchoing(client.call { $0.upgrade = "echo" }))
        #expect(collector.messages.contains { $0.contains("101") })
        #expect(!collector.messages.contains { $0.contains("hello") })
    }

    @Test func cookiesOfASwitchAreKept() async throws {
        let jar = CookieJar()
        let client = makeClient(ScriptedTransport(Self.echo), CookieMiddleware(jar))
        #expect(try await isEchoing(client.call { $0.upgrade = "echo" }))
        #expect(try await isEchoing(client.call { $0.upgrade = "echo" }))
        let transport = try #require(client.configuration.transport as? ScriptedTransport)
        #expect(transport.requests.map { $0["Cookie"] } == [nil, "a=1"])
    }

    @Test func aRedirectLeadsToTheChannel() async throws {
        let transport = ScriptedTransport(.redirect(307, to: "/there"), Self.echo)
        #expect(try await isEchoing(makeClient(transport).call { $0.upgrade = "echo" }))
        #expect(transport.requests.map(\.path) == ["/", "/there"])
    }

    @Test func trailersStayBehindABodyThatARetryHasCollected() async throws {
        let fields: HTTPFields = [Self.sum: "7"]
        let lost = NetworkClientError(.connectionLost, "lost")
        let transport = ScriptedTransport(
            .pieces([Data("a".utf8)], failure: lost), .pieces([Data("ab".utf8)]).followed(by: fields))
        let response = try await makeClient(transport, RetryMiddleware()).call { $0.delivery = .collected }
        #expect(try await response.body.collect() == Data("ab".utf8))
        #expect(try await response.trailers == fields)
    }

    @Test func trailersStayBehindABodyThatIsLogged() async throws {
        let fields: HTTPFields = [Self.sum: "opensesame"]
        let collector = LogCollector()
        let logging = LoggingMiddleware(collector.logger(), details: .everything)
        let client = makeClient(ScriptedTransport(.pieces([Data("ab".utf8)]).followed(by: fields)), logging)
        let response = try await client.call()
        #expect(try await response.body.collect() == Data("ab".utf8))
        #expect(try await response.trailers == fields)
    }

    @Test func eachAttemptTellsOfItsInterimAnswers() async throws {
        let codes = Codes()
        let transport = ScriptedTransport(
            .status(503).preceded(by: HTTPResponse(status: .init(code: 102))),
            .text("ok").preceded(by: HTTPResponse(status: .init(code: 103))))
        let response = try await makeClient(transport, RetryMiddleware()).call { $0.onInterim = codes.add }
        #expect(response.head.status == .ok)
        #expect(codes.all == [102, 103])
    }
}
