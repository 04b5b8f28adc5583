// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataNative
import StrataTesting
import Testing

/// The engine behind SOCKS proxies that say what the scripts say.
struct NativeSOCKSTests {
    private static let granted: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0, 80]
    private static let name = Array("origin.example".utf8)

    private func url(_ proxy: RawServer, _ scheme: String) -> String {
        proxy.url.replacing("http:", with: "\(scheme):")
    }

    @Test func oneTunnelCarriesManyRequests() async throws {
        let script: RawScript = [
            .readBytes(4), .send([5, 2]), .readBytes(14), .send([1, 0]), .readBytes(21), .send(Self.granted),
            .readRequest, .respond(body: "one"), .readRequest, .respond(body: "two"),
        ]
        try await RawServer.withServer(script: script) { proxy in
            try await withNative({
                $0.proxy = .url(url(proxy, "socks5h"), user: "aladdin", password: "open")
            }) { transport in
                expectEqual(try await transport.text(.get, "http://origin.example/1"), "one")
                expectEqual(try await transport.text(.get, "http://origin.example/2"), "two")
            }
            // The server behind it is asked as without a proxy, and shown nothing.
            #expect(proxy.log.requests.map(\.target) == ["/1", "/2"])
            #expect(proxy.log.requests.map { $0.values(of: "host") } == [["origin.example"], ["origin.example"]])
            #expect(proxy.log.requests.allSatisfy { $0.values(of: "proxy-authorization").isEmpty })
        }
    }

    /// The name goes to the proxy whatever an override says, and the address when names are resolved here.
    @Test(arguments: ["socks5", "socks5h", "socks4", "socks4a"])
    func anOverrideIsForThisSideOfTheProxy(_ scheme: String) async throws {
        let address: [UInt8] = [192, 0, 2, 7]
        let request: [UInt8] =
            switch scheme {
            case "socks5": [5, 1, 0, 1] + address + [0, 80]
            case "socks5h": [5, 1, 0, 3, 14] + Self.name + [0, 80]
            case "socks4": [4, 1, 0, 80] + address + [0]
            default: [4, 1, 0, 80, 0, 0, 0, 1, 0] + Self.name + [0]
            }
        let isNew = scheme.hasPrefix("socks5")
        let greeting: [RawScript.Step] = isNew ? [.readBytes(3), .send([5, 0])] : []
        let rest: [RawScript.Step] = [
            .readBytes(request.count), .send(isNew ? Self.granted : [0, 90, 0, 0, 0, 0, 0, 0]), .readRequest,
            .respond(body: "ok"),
        ]
        try await RawServer.withServer(script: RawScript(greeting + rest)) { proxy in
            try await withNative({
                $0.proxy = .url(url(proxy, scheme))
                $0.addressOverrides = [.init(host: "origin.example", port: 80, addresses: ["192.0.2.7"])]
            }) { transport in
                expectEqual(try await transport.text(.get, "http://origin.example/"), "ok")
            }
            let received = (proxy.log.received[1] ?? []).dropFirst(isNew ? 3 : 0)
            #expect(received.starts(with: request), "\(received.prefix(40))")
        }
    }

    @Test func triesTheNextAddressOfAServerThatTheProxyDoesNotReach() async throws {
        let refused: RawScript = [
            .readBytes(3), .send([5, 0]), .readBytes(10), .send([5, 4, 0, 1, 0, 0, 0, 0, 0, 0]),
        ]
        let open: RawScript = [
            .readBytes(3), .send([5, 0]), .readBytes(10), .send(Self.granted), .readRequest, .respond(body: "ok"),
        ]
        let proxy = try RawServer.start(scripts: [refused, open])
        defer { proxy.stop() }
        try await withNative({
            $0.proxy = .url(url(proxy, "socks5"))
            $0.addressOverrides = [.init(host: "a.example", port: 80, addresses: ["192.0.2.1", "192.0.2.2"])]
        }) { transport in
            expectEqual(try await transport.text(.get, "http://a.example/"), "ok")
        }
        #expect(proxy.log.received[1]?.suffix(3) == [1, 0, 80])
        #expect(proxy.log.received[2]?.dropFirst(3).prefix(10).suffix(3) == [2, 0, 80])
        // When there is no other, that is the error.
        let alone = try RawServer.start(script: refused)
        defer { alone.stop() }
        try await withNative({ $0.proxy = .url(url(alone, "socks5")) }) { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(.get, "http://192.0.2.1/")
            }
            #expect(error?.code == .proxyFailed)
            #expect(error?.message.contains("the host is unreachable") == true)
            #expect(error?.isUnprocessed == false)
        }
        #expect(alone.log.connectionCount == 1)
    }

    /// It is taken for what it would be: TLS of the server's.
    @Test func whatComesUnaskedIsNoAnswer() async throws {
        let script: RawScript = [
            .readBytes(3), .send([5, 0]), .readBytes(21),
            .send(Self.granted + Array("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged".utf8)), .readUntilClosed,
        ]
        try await RawServer.withServer(script: script) { proxy in
            try await withNative({ $0.proxy = .url(url(proxy, "socks5h")) }) { transport in
                await #expect { try await transport.send(.get, "https://origin.example/") } throws: {
                    $0.stage == .tlsFailed
                }
            }
        }
    }

    @Test(arguments: 0..<4) func everyStageHasItsTimeAndCanBeCancelled(_ stage: Int) async throws {
        let steps: [RawScript.Step] = [
            .readBytes(4), .send([5, 2]), .readBytes(14), .send([1, 0]), .readBytes(21), .send(Self.granted),
            .readRequest,
        ]
        let proxy = try RawServer.start(script: RawScript(Array(steps[..<(2 * stage + 1)]) + [.hang]))
        defer { proxy.stop() }
        try await withNative({
            $0.proxy = .url(url(proxy, "socks5h"), user: "aladdin", password: "open")
        }) { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(
                    .get, "http://origin.example/",
                    timeouts: Timeouts(connect: .milliseconds(300), idle: .milliseconds(300)))
            }
            #expect(error?.timeout == (stage < 3 ? .connect : .idle))
            let call = Task { try await transport.text(.get, "http://origin.example/") }
            try await proxy.wait { ($0.received[2]?.count ?? 0) >= 4 }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(transport.liveTransfers == 0)
        }
    }
}
