// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataNative
import StrataTesting
import StrataWebSocket
import TestSupport
import Testing

/// Sockets to a server of somebody else's, Python's websockets: over TLS, and behind nginx.
@Suite(.enabled(if: WebSocketPeer.isHere, PythonPeers.missing), .timeLimit(.minutes(2)))
struct WebSocketPeerTests {
    private func withSocket(
        _ url: String, protocols: [String] = ["echo.v1"], options: WebSocket.Options = .init(),
        _ configure: (inout NativeTransport.Configuration) -> Void = { _ in },
        body: (WebSocket) async throws -> Void
    ) async throws {
        try await withNative(configure) { transport in
            let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil as URL?, transport: transport))
            try await body(client.webSocket("\(raw: url)", protocols: protocols, options: options))
        }
    }

    @Test(arguments: [nil, WebSocket.Compression(), WebSocket.Compression(clientWindowBits: 9, serverWindowBits: 10)])
    func conversesOverTLS(_ compression: WebSocket.Compression?) async throws {
        let certificates = try PeerCertificates.shared.get()
        let peer = try await WebSocketPeer.secure()
        defer { peer.stop() }
        try await withSocket(
            "wss://127.0.0.1:\(peer.ports[0])/", options: .init(compression: compression),
            { $0.tls.trust = .pem((try? certificates.pem("authority.pem")) ?? Data()) }
        ) { try await converse($0) }
    }

    @Test func converses() async throws {
        let peer = try await WebSocketPeer.plain()
        defer { peer.stop() }
        try await withSocket("ws://127.0.0.1:\(peer.ports[0])/") { try await converse($0) }
    }

    @Test func hearsWhyThePeerCloses() async throws {
        let peer = try await WebSocketPeer.plain()
        defer { peer.stop() }
        try await withSocket("ws://127.0.0.1:\(peer.ports[0])/") { socket in
            try await socket.send("close 1011 out of order")
            let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
            #expect(error?.cause as? WebSocket.Closure == WebSocket.Closure(.internalError, reason: "out of order"))
        }
    }

    @Test func aRefusalHasTheResponse() async throws {
        let peer = try await WebSocketPeer.plain()
        defer { peer.stop() }
        let error = await #expect(throws: NetworkClientError.self) {
            try await withSocket("ws://127.0.0.1:\(peer.ports[0])/refused") { _ in }
        }
        #expect(error?.response?.status == .forbidden)
        #expect(error?.body == Data("not here\n".utf8))
    }

    /// The peer pings each second, and would close after five without an answer.
    @Test func aReaderThatRestsStaysConnected() async throws {
        let peer = try await WebSocketPeer.plain()
        defer { peer.stop() }
        try await withSocket("ws://127.0.0.1:\(peer.ports[0])/") { socket in
            try await Task.sleep(for: .seconds(8))
            try await socket.send("still here")
            #expect(try await socket.receive() == .text("still here"))
        }
    }

    @Test func aSlowReaderGetsAllOfABurst() async throws {
        let peer = try await WebSocketPeer.plain()
        defer { peer.stop() }
        try await withSocket("ws://127.0.0.1:\(peer.ports[0])/") { socket in
            try await socket.send("burst 500 20000")
            for count in 0..<500 {
                if count % 100 == 0 { try await Task.sleep(for: .milliseconds(50)) }
                #expect(try await socket.receive() == .data(Data(count: 20_000)))
            }
        }
    }

    @Test(.peers(.nginx)) func conversesBehindNginx() async throws {
        let peer = try await WebSocketPeer.plain()
        defer { peer.stop() }
        let nginx = try await PeerProcess.start { ports in
            let configuration = """
                daemon off; pid nginx.pid; error_log error.log;
                events {}
                http {
                    access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
                    uwsgi_temp_path uwsgi; scgi_temp_path scgi;
                    server {
                        listen 127.0.0.1:\(ports[0]);
                        location / {
                            proxy_pass http://127.0.0.1:\(peer.ports[0]); proxy_http_version 1.1;
                            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;
                        }
                    }
                }
                """
            let file = FileManager.default.temporaryDirectory.appending(path: "nginx-\(ports[0]).conf")
            try Data(configuration.utf8).write(to: file)
            return [PeerTool.nginx.path ?? "nginx", "-p", ".", "-c", file.path]
        }
        defer { nginx.stop() }
        try await withSocket("ws://127.0.0.1:\(nginx.ports[0])/", options: .init(compression: .init())) {
            try await converse($0)
        }
    }
}

/// An echo server of Python's websockets.
enum WebSocketPeer {
    static var isHere: Bool { PythonPeers.has("websockets.asyncio.server") }

    static func plain() async throws -> PeerProcess {
        try await PeerProcess.start { [PythonPeers.interpreter, PeerFiles.path("sockets_echo.py"), "\($0[0])"] }
    }

    static func secure() async throws -> PeerProcess {
        let certificates = try PeerCertificates.shared.get()
        return try await PeerProcess.start {
            [
                PythonPeers.interpreter, PeerFiles.path("sockets_echo.py"), "\($0[0])", certificates.path("valid.pem"),
                certificates.path("valid.key"),
            ]
        }
    }
}
