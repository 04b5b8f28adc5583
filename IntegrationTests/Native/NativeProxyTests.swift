// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import Testing

@testable import StrataNative

/// The engine and HTTP proxies that say what the scripts say.
struct NativeProxyTests {
    private static let alive = RawScript.forever(.readRequest, .respondWithTarget)
    private static let digest = #"Proxy-Authenticate: Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#

    private func withProxy<Result>(
        _ proxy: RawServer, user: String? = nil, _ body: (NativeTransport) async throws -> Result
    ) async throws -> Result {
        try await withNative({ $0.proxy = .url(proxy.url, user: user, password: user.map { _ in "open" }) }, body)
    }

    // MARK: - Connections

    @Test func oneConnectionToAForwardProxyLeadsEverywhere() async throws {
        try await RawServer.withServer(script: Self.alive) { proxy in
            try await withProxy(proxy) { transport in
                for url in [
                    "http://a.example/1", "http://b.example:8080/2", "http://[2001:db8::1]/3", "http://a.example/4",
                ] {
                    expectEqual(try await transport.text(.get, url), url)
                }
            }
            #expect(proxy.log.connectionCount == 1)
        }
    }

    @Test func aTunnelLeadsToOneServerAlone() async throws {
        let proxy = try RawServer.start(script: [.readHead, .respond(502), .readUntilClosed])
        defer { proxy.stop() }
        try await withProxy(proxy) { transport in
            for url in ["https://a.example/", "https://b.example/", "https://a.example/"] {
                await #expect { try await transport.send(.get, url) } throws: { $0.stage == .proxyFailed }
            }
        }
        #expect(proxy.log.requests.map(\.target) == ["a.example:443", "b.example:443", "a.example:443"])
        #expect(proxy.log.connectionCount == 3)
    }

    /// What is switched to is nobody's business on the way, so a tunnel is asked for.
    @Test func anUpgradeGoesThroughATunnel() async throws {
        let script: RawScript = [
            .readHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .readHead, .switchProtocols(to: "chat"), .echo,
        ]
        try await RawServer.withServer(script: script) { proxy in
            try await withProxy(proxy, user: "aladdin") { transport in
                let response = try await transport.send(.get, "http://origin.example/chat") { $0.upgrade = "chat" }
                let channel = try #require(response.channel)
                try await channel.write(Data("hello".utf8))
                expectEqual(try await channel.read(), Data("hello".utf8))
                channel.cancel()
            }
            #expect(proxy.log.requests.map(\.method) == ["CONNECT", "GET"])
            #expect(proxy.log.requests.map(\.target) == ["origin.example:80", "/chat"])
            #expect(proxy.log.requests.map { $0.values(of: "proxy-authorization").count } == [1, 0])
        }
    }

    @Test func aProxyThatClosesAnIdleConnectionCostsNothing() async throws {
        let proxy = try RawServer.start(script: [
            .readRequest, .respond(body: "ok"), .readRequest, .close,
        ])
        defer { proxy.stop() }
        try await withProxy(proxy) { transport in
            expectEqual(try await transport.text(.get, "http://a.example/"), "ok")
            expectEqual(try await transport.text(.get, "http://b.example/"), "ok")
        }
        #expect(proxy.log.connectionCount == 2)
    }

    @Test func triesTheNextAddressOfTheProxy() async throws {
        try await RawServer.withServer(script: Self.alive) { proxy in
            try await withNative({
                $0.proxy = .url("http://proxy.test:\(proxy.port)")
                $0.addressOverrides = [.init(host: "proxy.test", port: proxy.port, addresses: ["::1", "127.0.0.1"])]
            }) { transport in
                let response = try await transport.send(.get, "http://origin.example/")
                #expect(response.metrics?.remoteAddress == "127.0.0.1")
                response.body.cancel()
            }
        }
    }

    @Test func looksUpTheProxyAndNotTheServerBehindIt() async throws {
        let names = Mutex<[String]>([])
        try await RawServer.withServer(script: Self.alive) { proxy in
            var configuration = NativeTransport.Configuration()
            configuration.proxy = .url("http://proxy.test:\(proxy.port)")
            let transport = NativeTransport(configuration: configuration, environment: { _ in nil }) { name in
                names.withLock { $0.append(name) }
                return .success(["127.0.0.1"])
            }
            try await transport.thenShutDown { transport in
                _ = try await transport.text(.get, "http://origin.example/")
            }
        }
        #expect(names.withLock { $0 } == ["proxy.test"])
    }

    // MARK: - For one request

    @Test func aRequestMayHaveAProxyOfItsOwn() async throws {
        let (server, first, second) = (
            try RawServer.start(script: Self.alive), try RawServer.start(script: Self.alive),
            try RawServer.start(script: Self.alive)
        )
        defer { for server in [server, first, second] { server.stop() } }
        var configuration = NativeTransport.Configuration()
        configuration.proxy = .url(first.url, user: "aladdin", password: "open")
        try await NativeTransport(configuration: configuration) { _ in nil }.thenShutDown { transport in
            func ask(_ proxy: ProxyPolicy?) async throws -> String {
                let response = try await transport.send(.get, "\(server.url)/") { $0.proxy = proxy }
                return String(decoding: try await response.body.collect(), as: UTF8.self)
            }
            for _ in 0..<2 {
                expectEqual(try await ask(nil), "\(server.url)/")
                expectEqual(try await ask(.url(second.url)), "\(server.url)/")
                expectEqual(try await ask(ProxyPolicy.none), "/")
                // What the environment said: nothing.
                expectEqual(try await ask(.environment), "/")
            }
            let error = await #expect(throws: NetworkClientError.self) { try await ask(.url("gopher://x")) }
            #expect(error?.code == .malformedURL)
        }
        #expect(first.log.requests.map { $0.values(of: "proxy-authorization").count } == [1, 1])
        #expect(second.log.requests.map { $0.values(of: "proxy-authorization").count } == [0, 0])
        #expect([server, first, second].map(\.log.connectionCount) == [1, 1, 1])
    }

    /// Nothing is silently ignored.
    @Test func otherTransportsSayThatTheyHaveNone() async throws {
        try await withCurl { transport in
            await #expect {
                try await transport.send(.get, "http://127.0.0.1:1/") { $0.proxy = ProxyPolicy.none }
            } throws: {
                $0.stage == .unsupportedByTransport
            }
            let configuration = NetworkConfiguration(baseURL: URL(string: "http://127.0.0.1:1"), transport: transport)
            var request = try TransportRequest(url: "http://127.0.0.1:1/")
            request.options.proxy = ProxyPolicy.none
            await #expect { try await NetworkClient(configuration: configuration).execute(request) } throws: {
                $0.stage == .unsupportedByTransport
            }
        }
    }

    // MARK: - Digest

    private static let challenge = RawScript.Step.respond(407, fields: [digest], body: "who are you?")

    @Test func answersADigestChallengeOnce() async throws {
        let proxy = try RawServer.start(scripts: [
            [.readRequest, Self.challenge, .readUntilClosed], Self.alive,
        ])
        defer { proxy.stop() }
        try await withProxy(proxy, user: "aladdin") { transport in
            for path in ["/1", "/2"] {
                let url = "http://origin.example\(path)"
                expectEqual(try await transport.text(.post, url, body: .data(Data("body".utf8))), url)
            }
        }
        let shown = proxy.log.requests.map { $0.values(of: "proxy-authorization").joined() }
        #expect(shown.count == 3)
        #expect(shown.first?.hasPrefix("Basic ") == true)
        for (value, count) in zip(shown.dropFirst(), 1...) {
            #expect(value.hasPrefix(#"Digest username="aladdin", realm="r", uri="http://origin.example/"#))
            #expect(value.contains("nc=0000000\(count)"))
            #expect(!value.contains("open"))
        }
        #expect(proxy.log.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["body", "body", "body"])
    }

    @Test func aBodyThatCannotComeAgainIsNotSentTwice() async throws {
        let proxy = try RawServer.start(script: [.readRequest, Self.challenge, .readUntilClosed])
        defer { proxy.stop() }
        try await withProxy(proxy, user: "aladdin") { transport in
            let (stream, parts) = AsyncStream.makeStream(of: Data.self)
            parts.yield(Data("once".utf8))
            parts.finish()
            let response = try await transport.send(
                .put, "http://origin.example/", body: .stream(length: 4, from: stream))
            #expect(response.head.status.code == 407)
            expectEqual(try await response.body.collect(), Data("who are you?".utf8))
        }
        #expect(proxy.log.requests.count == 1)
    }

    @Test func wrongCredentialsAreRefusedToTheCaller() async throws {
        let proxy = try RawServer.start(script: [.readRequest, Self.challenge, .readUntilClosed])
        defer { proxy.stop() }
        try await withProxy(proxy, user: "aladdin") { transport in
            let response = try await transport.send(.get, "http://origin.example/")
            #expect(response.head.status.code == 407)
            response.body.cancel()
        }
        #expect(proxy.log.requests.count == 2)
    }

    /// A server is no proxy, whatever it asks for.
    @Test func aServerIsNotAnswered() async throws {
        let tunnelled: RawScript = [
            .readHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .readRequest, Self.challenge, .readUntilClosed,
        ]
        try await RawServer.withServer(script: tunnelled) { proxy in
            try await withProxy(proxy, user: "aladdin") { transport in
                let response = try await transport.send(.get, "http://origin.example/") { $0.upgrade = "chat" }
                #expect(response.head.status.code == 407)
                response.body.cancel()
            }
            #expect(proxy.log.requests.count == 2)
        }
    }

    /// Its rest is not waited for: there is another connection.
    @Test func aTunnelIsAskedForAgainWhenTheRefusalDoesNotEnd() async throws {
        let refusal = "HTTP/1.1 407 P\r\n\(Self.digest)\r\nContent-Length: 500\r\n\r\nstart"
        let proxy = try RawServer.start(scripts: [
            [.readHead, .send(refusal), .readUntilClosed],
            [.readHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .readHead, .switchProtocols(to: "chat"), .echo],
        ])
        defer { proxy.stop() }
        try await withProxy(proxy, user: "aladdin") { transport in
            let response = try await transport.send(.get, "http://origin.example/") {
                $0.upgrade = "chat"
                $0.timeouts.connect = .seconds(600)
            }
            response.channel?.cancel()
        }
        #expect(proxy.log.requests.map(\.method) == ["CONNECT", "CONNECT", "GET"])
        #expect(proxy.log.connectionCount == 2)
    }

    @Test(arguments: ["Connection: close", "Connection: keep-alive"])
    func aTunnelIsAskedForAgainAfterAChallenge(_ field: String) async throws {
        let second: [RawScript.Step] = [
            .readHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .readHead, .switchProtocols(to: "chat"), .echo,
        ]
        let first: [RawScript.Step] = [.readHead, .respond(407, fields: [Self.digest, field], body: "no")]
        let isKept = field.hasSuffix("alive")
        let proxy = try RawServer.start(
            scripts: isKept ? [RawScript(first + second)] : [RawScript(first + [.readUntilClosed]), RawScript(second)])
        defer { proxy.stop() }
        try await withProxy(proxy, user: "aladdin") { transport in
            let response = try await transport.send(.get, "http://origin.example/") { $0.upgrade = "chat" }
            response.channel?.cancel()
        }
        #expect(proxy.log.requests.map(\.method) == ["CONNECT", "CONNECT", "GET"])
        let shown = proxy.log.requests.map { $0.values(of: "proxy-authorization").joined() }
        #expect(shown[0].hasPrefix("Basic "))
        #expect(shown[1].contains(#"uri="origin.example:80""#))
        #expect(shown[2].isEmpty)
        #expect(proxy.log.connectionCount == (isKept ? 1 : 2))
    }

    // MARK: - What goes wrong

    @Test func bytesBehindTheTunnelsHeadAreRefused() async throws {
        try await RawServer.withServer(script: [
            .readHead, .send("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"), .readUntilClosed,
        ]) {
            proxy in
            try await withProxy(proxy) { transport in
                let error = await #expect(throws: NetworkClientError.self) {
                    try await transport.send(.get, "https://origin.example/")
                }
                #expect(error?.code == .proxyFailed)
            }
        }
    }

    @Test func aHeadWithoutEndIsRefused() async throws {
        let flood = RawScript.Step.repeat([.send("X-Flood: \(String(repeating: "x", count: 1000))\r\n")])
        try await RawServer.withServer(script: [.readHead, .send("HTTP/1.1 200 OK\r\n"), flood]) { proxy in
            try await withNative({
                $0.proxy = .url(proxy.url)
                $0.maximumHeadBytes = 16 * 1024
            }) { transport in
                let error = await #expect(throws: NetworkClientError.self) {
                    try await transport.send(.get, "https://origin.example/")
                }
                #expect(error?.code == .proxyFailed)
                #expect(error?.message.contains("larger than 16384 bytes") == true)
            }
        }
    }

    @Test(arguments: ["http", "https"]) func theProxyHasItsTimeAndCanBeCancelled(_ scheme: String) async throws {
        let proxy = try RawServer.start(script: [.readHead, .hang])
        defer { proxy.stop() }
        try await withProxy(proxy) { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(
                    .get, "\(scheme)://origin.example/",
                    timeouts: Timeouts(connect: .milliseconds(300), idle: .milliseconds(300)))
            }
            #expect(error?.timeout == (scheme == "http" ? .idle : .connect))
            let call = Task { try await transport.text(.get, "\(scheme)://origin.example/") }
            try await proxy.wait { $0.requests.count == 2 }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(transport.liveTransfers == 0)
        }
    }

    @Test func aProxyWithoutTLSThatShouldHaveItIsATLSFailure() async throws {
        try await RawServer.withServer(script: [.readBytes(5), .send("HTTP/1.1 400 Bad\r\n\r\n"), .close]) { proxy in
            try await withNative({ $0.proxy = .url(proxy.url.replacing("http:", with: "https:")) }) { transport in
                let error = await #expect(throws: NetworkClientError.self) {
                    try await transport.send(.get, "http://origin.example/")
                }
                #expect(error?.code == .tlsFailed)
                #expect(error?.message.contains("the proxy") == true)
            }
        }
    }
}
