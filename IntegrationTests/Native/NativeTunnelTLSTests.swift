// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import StrataNative
import StrataTesting
import Testing

/// TLS through tunnels, also of proxies that are themselves reached over TLS.
struct NativeTunnelTLSTests {
    /// A server over TLS, behind a proxy that opens tunnels, which may be behind TLS too.
    private func withTunnel(
        _ script: RawScript, isProxySecure: Bool, refusals: [String] = [],
        _ configure: (inout NativeTransport.Configuration) -> Void = { _ in },
        _ body: (NativeTransport, _ url: String, RawServer, TunnelProxy) async throws -> Void
    ) async throws {
        let server = try RawServer.start(script: script)
        defer { server.stop() }
        try await TLSFront.withServer(["http/1.1": server.port]) { front in
            try await TunnelProxy.withServer(refusals: refusals) { proxy in
                try await TLSFront.withServer(["http/1.1": proxy.port]) { proxyFront in
                    try await withNative({
                        $0.proxy = .url(isProxySecure ? proxyFront.url : proxy.url, user: "aladdin", password: "open")
                        $0.tls.trust = .pem(Data(front.authority.certificatePEM.utf8))
                        $0.proxyTLS.trust = .pem(Data(proxyFront.authority.certificatePEM.utf8))
                        configure(&$0)
                    }) { try await body($0, front.url, server, proxy) }
                }
            }
        }
    }

    private static let alive = RawScript.forever(.readRequest, .respond(body: "ok"))

    @Test(arguments: [false, true]) func usesATunnelAgain(_ isProxySecure: Bool) async throws {
        try await withTunnel(Self.alive, isProxySecure: isProxySecure) { transport, url, server, proxy in
            for number in 0..<5 {
                let response = try await transport.send(.get, url, [.authorization: "Bearer secret"])
                expectEqual(try await response.body.collect(), Data("ok".utf8))
                #expect(response.metrics?.isConnectionReused == (number > 0))
                #expect((response.metrics?.secured != nil) == (number == 0))
            }
            #expect(server.log.connectionCount == 1)
            #expect(proxy.heads.count == 1)
            #expect(proxy.heads[0].hasPrefix("CONNECT localhost:"))
            #expect(proxy.heads[0].contains("Proxy-Authorization: Basic YWxhZGRpbjpvcGVu\r\n"))
            #expect(!proxy.heads[0].contains("secret"))
            #expect(server.log.requests.allSatisfy { $0.values(of: "proxy-authorization").isEmpty })
        }
    }

    @Test(arguments: [false, true]) func movesLargeBodiesBothWays(_ isProxySecure: Bool) async throws {
        let size = 3_000_000
        let bytes = [UInt8]((0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000) })
        let script: RawScript = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .send(bytes), .hang,
        ]
        try await withTunnel(script, isProxySecure: isProxySecure) { transport, url, server, _ in
            let response = try await transport.send(.post, url, body: .data(Data(bytes)))
            // Long enough for the high-water mark to be reached.
            try await Task.sleep(for: .milliseconds(100))
            let isSame = try await response.body.collect() == Data(bytes)
            #expect(isSame)
            #expect(server.log.requests.first?.body.count == size)
        }
    }

    @Test(arguments: [false, true]) func manyAtOnce(_ isProxySecure: Bool) async throws {
        try await withTunnel(.forever(.readRequest, .respondWithTarget), isProxySecure: isProxySecure) {
            transport, url, server, proxy in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    group.addTask { try await transport.text(.get, "\(url)/\(number)") == "/\(number)" }
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(server.log.connectionCount <= proxy.heads.count)
        }
    }

    /// Each side is trusted for itself alone.
    @Test func proxyAndServerProveThemselvesEach() async throws {
        try await withTunnel(Self.alive, isProxySecure: true, { $0.proxyTLS.trust = $0.tls.trust }) {
            transport, url, server, proxy in
            let error = await #expect(throws: NetworkClientError.self) { try await transport.send(.get, url) }
            #expect(error?.code == .tlsFailed)
            #expect(error?.message.hasPrefix("TLS with the proxy: ") == true)
            #expect(proxy.heads.isEmpty)
        }
        try await withTunnel(Self.alive, isProxySecure: true, { $0.tls.trust = $0.proxyTLS.trust }) {
            transport, url, server, proxy in
            let error = await #expect(throws: NetworkClientError.self) { try await transport.send(.get, url) }
            #expect(error?.code == .tlsFailed)
            #expect(error?.message.contains("proxy") == false)
            #expect(proxy.heads.count == 1)
            #expect(server.log.requests.isEmpty)
        }
    }

    @Test(arguments: [false, true]) func aTunnelIsAskedForAgain(_ isProxySecure: Bool) async throws {
        let digest = #"Proxy-Authenticate: Digest realm="r", nonce="n1", qop="auth""#
        let refusal = "HTTP/1.1 407 No\r\n\(digest)\r\nContent-Length: 0\r\n\r\n"
        try await withTunnel(Self.alive, isProxySecure: isProxySecure, refusals: [refusal]) {
            transport, url, _, proxy in
            expectEqual(try await transport.text(.get, url), "ok")
            #expect(proxy.heads.count == 2)
            #expect(proxy.heads[1].contains("Proxy-Authorization: Digest username=\"aladdin\""))
        }
    }

    @Test(arguments: [false, true]) func theEndOfTheServerIsTheEnd(_ isProxySecure: Bool) async throws {
        let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"), .close]
        try await withTunnel(script, isProxySecure: isProxySecure) { transport, url, _, _ in
            let response = try await transport.send(.get, url)
            await #expect { try await response.body.collect() } throws: { $0.stage == .connectionLost }
        }
    }

    /// An answer that ends with its connection is whole when TLS says so.
    @Test(arguments: [false, true]) func anAnswerMayEndWithTheTunnel(_ isProxySecure: Bool) async throws {
        let script: RawScript = [.readRequest, .send("HTTP/1.1 200 OK\r\n\r\nall of it"), .close]
        try await withTunnel(script, isProxySecure: isProxySecure) { transport, url, _, _ in
            expectEqual(try await transport.text(.get, url), "all of it")
        }
    }

    @Test func asksAProxyOverTLSForURLs() async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respondWithTarget)) { proxy in
            try await TLSFront.withServer(["http/1.1": proxy.port]) { front in
                try await withNative({
                    $0.proxy = .url(front.url)
                    $0.proxyTLS.trust = .pem(Data(front.authority.certificatePEM.utf8))
                }) { transport in
                    for url in ["http://a.example/1", "http://b.example/2"] {
                        expectEqual(try await transport.text(.get, url), url)
                    }
                }
            }
            #expect(proxy.log.connectionCount == 1)
        }
    }
}
