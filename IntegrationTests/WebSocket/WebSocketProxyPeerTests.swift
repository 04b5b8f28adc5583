// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataNative
import StrataTesting
import StrataWebSocket
import TestSupport
import Testing

/// Sockets to Python's websockets through proxies that others wrote: also without TLS by a tunnel (RFC 6455 §4.1).
@Suite(
    .enabled(if: WebSocketPeer.isHere, PythonPeers.missing), .peers(.openssl, .tinyproxy, .squid, .microsocks),
    .timeLimit(.minutes(2)))
struct WebSocketProxyPeerTests {
    enum Proxy: String, CaseIterable {
        case tinyproxy, squid, squidOverTLS, squidWithDigest, socks5, socks5h

        func url() async throws -> String {
            switch self {
            case .tinyproxy: "http://127.0.0.1:\(try await ProxyPeers.tinyproxy().ports[0])"
            case .squid: "http://127.0.0.1:\(try await ProxyPeers.squid().ports[0])"
            case .squidOverTLS: "https://127.0.0.1:\(try await ProxyPeers.squid().ports[1])"
            case .squidWithDigest: "http://127.0.0.1:\(try await ProxyPeers.squidWithDigest().ports[0])"
            case .socks5, .socks5h: "\(rawValue)://127.0.0.1:\(try await ProxyPeers.microsocks().ports[0])"
            }
        }
    }

    enum Server: String, CaseIterable {
        case ws, wss

        func start() async throws -> PeerProcess {
            self == .ws ? try await WebSocketPeer.plain() : try await WebSocketPeer.secure()
        }
    }

    private func withSocket(
        _ proxy: Proxy, _ server: Server, user: String? = ProxyPeers.user, password: String? = ProxyPeers.password,
        _ body: (WebSocket) async throws -> Void
    ) async throws {
        let peer = try await server.start()
        defer { peer.stop() }
        let proxyURL = try await proxy.url()
        let authority = try PeerCertificates.shared.get().pem("authority.pem")
        try await withNative({
            $0.proxy = .url(proxyURL, user: user, password: password)
            $0.tls.trust = .pem(authority)
            $0.proxyTLS.trust = .pem(authority)
        }) { transport in
            let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil as URL?, transport: transport))
            let socket = try await client.webSocket(
                "\(raw: "\(server.rawValue)://127.0.0.1:\(peer.ports[0])/")", protocols: ["echo.v1"],
                options: .init(compression: .init()))
            try await body(socket)
        }
    }

    @Test(arguments: Proxy.allCases, Server.allCases)
    func converses(_ proxy: Proxy, _ server: Server) async throws {
        try await withSocket(proxy, server) { socket in
            // The proxy's credentials are not the server's business.
            try await socket.send("headers")
            let headers = try #require(try await socket.receive(as: String.self))
            #expect(headers.lowercased().contains(#""upgrade": "websocket""#))
            #expect(!headers.lowercased().contains("proxy-authorization"))
            for length in [0, 1, 126, 70_000, 1_000_000] {
                let data = StoredBody.bytes(length, seed: 3)
                async let sent: Void = socket.send(data)
                #expect(try await socket.receive() == .data(data))
                try await sent
            }
            try await socket.ping()
            try await socket.close(.init(rawValue: 4002), reason: "done")
            #expect(socket.closure == WebSocket.Closure(.init(rawValue: 4002), reason: "done"))
        }
    }

    @Test(arguments: Proxy.allCases, Server.allCases)
    func wrongCredentialsOpenNothing(_ proxy: Proxy, _ server: Server) async throws {
        for user in [nil, "mallory"] {
            let error = await #expect(throws: NetworkClientError.self) {
                try await withSocket(proxy, server, user: user, password: user.map { _ in "hunter2" }) { _ in }
            }
            #expect(error?.code == .proxyFailed)
            #expect("\(String(describing: error)) \(String(describing: error?.cause))".contains("hunter2") == false)
        }
    }
}
