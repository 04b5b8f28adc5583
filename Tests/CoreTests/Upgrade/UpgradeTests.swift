// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

struct UpgradeTests {
    private func request(_ upgrade: String? = "echo") throws -> TransportRequest {
        var request = try TransportRequest(url: "https://h.example/live")
        request.options.upgrade = upgrade
        return request
    }

    private static let echo = ScriptedReply.upgrade(to: "echo") { channel in
        while let bytes = try await channel.read() { try await channel.write(bytes) }
    }

    @Test func aResponseHasTheChannel() async throws {
        let client = makeClient(ScriptedTransport(Self.echo))
        let response = try await client.execute(request())
        #expect(response.head.status == .switchingProtocols)
        #expect(response.head.headerFields[.upgrade] == "echo")
        #expect(response.body.length == 0)
        #expect(try await response.body.collect().isEmpty)
        #expect(try await response.trailers.isEmpty)
        let channel = try #require(response.channel)
        try await channel.write(Data("hello".utf8))
        #expect(try await channel.read() == Data("hello".utf8))
        try await channel.closeOutput()
        #expect(try await channel.read() == nil)
        #expect(response.exchange.attempts.first?.bytesReceived == 5)
    }

    @Test func anOpenedCallTakesItForASuccess() async throws {
        let client = makeClient(ScriptedTransport(Self.echo)) { $0.options.upgrade = "echo" }
        let response = try await client.open(NetworkRequest<VoidRequest, Data>(path: "live", method: .get))
        #expect(response.channel != nil)
    }

    @Test func anotherResponseIsAnOrdinaryOne() async throws {
        let client = makeClient(ScriptedTransport(.text("no", status: 426)))
        let response = try await client.execute(request())
        #expect(response.channel == nil)
        #expect(try await response.body.collect() == Data("no".utf8))
    }

    @Test(arguments: [nil, "other", "echo/1"]) func aSwitchThatWasNotAskedForFails(_ asked: String?) async throws {
        let client = makeClient(ScriptedTransport(Self.echo))
        let request = try request(asked)
        await #expect {
            try await client.execute(request)
        } throws: { ($0 as? NetworkClientError)?.code == .protocolViolation }
    }

    @Test(arguments: ["", " ", "a b", "echo/", "/1", "a/b/c", "a,b", "a\r\nX: y", "é"])
    func aProtocolThatIsNoTokenIsNotSent(_ name: String) async throws {
        let transport = ScriptedTransport(Self.echo)
        let request = try request(name)
        await #expect {
            try await makeClient(transport).execute(request)
        } throws: { ($0 as? NetworkClientError)?.code == .invalidRequest }
        #expect(transport.requests.isEmpty)
    }

    @Test func aFailureOfTheChannelHasTheRecord() async throws {
        let client = makeClient(
            ScriptedTransport(.upgrade(to: "echo") { _ in throw NetworkClientError(.internalFailure, "it breaks") }))
        let response = try await client.execute(request())
        let channel = try #require(response.channel)
        await #expect {
            while try await channel.read() != nil {}
        } throws: { error in
            guard let error = error as? NetworkClientError else { return false }
            return error.code == .connectionLost && error.response?.status == .switchingProtocols
                && error.exchange?.attempts.count == 1
        }
        #expect(response.exchange.attempts.first?.error == .connectionLost)
    }

    @Test func cancellingTheBodyClosesTheChannel() async throws {
        let response = try await makeClient(ScriptedTransport(Self.echo)).execute(request())
        let channel = try #require(response.channel)
        response.body.cancel()
        await #expect(throws: CancellationError.self) { try await channel.read() }
    }

    @Test func discardingTheBodyClosesTheChannel() async throws {
        let response = try await makeClient(ScriptedTransport(Self.echo)).execute(request())
        let channel = try #require(response.channel)
        await response.body.discard()
        await #expect(throws: CancellationError.self) { try await channel.read() }
    }

    @Test func aResponseThatIsDroppedClosesTheConnection() async throws {
        let closed = SharedResult<Void>()
        let client = makeClient(
            ScriptedTransport(
                .upgrade(to: "echo") { channel in
                    do { _ = try await channel.read() } catch { closed.finish(.success(())) }
                }))
        do {
            let response = try await client.execute(request())
            #expect(response.channel != nil)
        }
        try await closed.value()
    }

    @Test func whateverIsPutAroundTheBodyTheChannelStays() async throws {
        let layer = Around { request, next in
            var response = try await next(request)
            response.body = response.body.mapSource { $0 }
            return response
        }
        let response = try await makeClient(ScriptedTransport(Self.echo), middleware: [layer]).execute(request())
        #expect(response.channel != nil)
    }

    @Test(arguments: [
        ("echo", ["echo"], true), ("echo", ["ECHO"], true), ("echo/1", ["echo/1"], true), ("echo", ["a, echo"], true),
        ("echo", ["a", "\techo "], true), ("echo", [], false), ("echo", [""], false), ("echo", ["echo/1"], false),
        ("echo/1", ["echo"], false), ("echo/1", ["echo/10"], false), ("echo", ["echoes"], false),
    ])
    func findsAProtocolAmongThoseThatAreNamed(_ asked: String, _ values: [String], _ expected: Bool) throws {
        #expect(try #require(UpgradeProtocol(asked)).isAmong(values) == expected)
    }

    @Test func keysAreOf16RandomBytes() {
        let keys = (0..<50).map { _ in WebSocketKey.random() }
        #expect(Set(keys).count == 50)
        #expect(keys.allSatisfy { Data(base64Encoded: $0)?.count == 16 })
    }

    /// RFC 6455 §1.3.
    @Test func theProofIsThatOfTheStandard() {
        #expect(WebSocketKey.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
