// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataNative
import StrataTesting
import StrataWebSocket
import Synchronization
import TestSupport
import Testing

/// Sockets over HTTP/2 (RFC 8441), to a server of somebody else's: Python's hypercorn.
@Suite(.enabled(if: PythonPeers.has("hypercorn"), PythonPeers.missing), .timeLimit(.minutes(2)))
struct WebSocketHTTP2PeerTests {
    private func withClient(
        _ configure: (inout NetworkConfiguration) -> Void = { _ in },
        _ body: (_ client: NetworkClient, _ transport: NativeTransport, _ url: String) async throws -> Void
    ) async throws {
        let certificates = try PeerCertificates.shared.get()
        let peer = try await PeerProcess.start {
            [
                PythonPeers.interpreter, PeerFiles.path("sockets_http2.py"), "\($0[0])", certificates.path("valid.pem"),
                certificates.path("valid.key"),
            ]
        }
        defer { peer.stop() }
        let authority = try certificates.pem("authority.pem")
        try await withNative({ $0.tls.trust = .pem(authority) }) { transport in
            let url = "https://127.0.0.1:\(peer.ports[0])"
            var configuration = NetworkConfiguration(baseURL: url, transport: transport)
            configure(&configuration)
            try await body(NetworkClient(configuration: configuration), transport, url)
        }
    }

    private func versions(_ record: ExchangeRecord) -> [String?] { record.attempts.map(\.metrics?.httpVersion) }

    @Test func converses() async throws {
        try await withClient { client, _, _ in
            let socket = try await client.webSocket("live", protocols: ["echo.v1", "echo.v2"])
            #expect(versions(socket.exchange) == ["HTTP/2"])
            #expect(socket.exchange.attempts[0].status == .switchingProtocols)
            try await socket.send("version")
            #expect(try await socket.receive() == .text("2"))
            try await converse(socket)
        }
    }

    @Test func conversesOverHTTP1WhereThatIsAskedFor() async throws {
        try await withClient { client, _, _ in
            let request = NetworkRequest<VoidRequest, VoidResponse>(
                path: "live", method: .get, options: { $0.httpVersion = .http1 })
            let socket = try await client.webSocket(for: request)
            try await socket.send("version")
            #expect(try await socket.receive() == .text("1.1"))
            #expect(versions(socket.exchange) == ["HTTP/1.1"])
            try await socket.close()
        }
    }

    @Test func socketsAndCallsShareAConnection() async throws {
        try await withClient { client, transport, url in
            let opened = Mutex(0)
            let listening = transport.connectionEvents?.listen { event in
                if event.kind == .opened { opened.withLock { $0 += 1 } }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let socket = try await client.webSocket("live?\(number)")
                        for round in 0..<20 {
                            let text = "\(number) \(round) " + String(repeating: "x", count: 1000 * round)
                            try await socket.send(text)
                            #expect(try await socket.receive() == .text(text))
                        }
                        try await socket.close()
                        #expect(versions(socket.exchange) == ["HTTP/2"])
                    }
                    group.addTask {
                        for round in 0..<10 {
                            let path = "/call/\(number)/\(round)"
                            expectEqual(try await transport.text(.get, url + path), path + "\n")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(opened.withLock { $0 } == 1)
            listening?.end()
        }
    }

    @Test func aSocketThatIsDroppedLeavesTheOthers() async throws {
        try await withClient { client, _, _ in
            let other = try await client.webSocket("other")
            for number in 0..<30 {
                let socket = try await client.webSocket("live")
                try await socket.send("burst 50 20000")
                #expect(try await socket.receive() == .data(Data(count: 20_000)))
                if number % 3 == 0 { socket.cancel() }
                if number % 3 == 1 {
                    let read = Task { while try await socket.receive() != nil {} }
                    read.cancel()
                    _ = await read.result
                }
                try await other.send("\(number)")
                #expect(try await other.receive() == .text("\(number)"))
            }
            try await other.close()
            #expect(other.closure == WebSocket.Closure(.normal))
        }
    }

    @Test func slowReadersGetAllOfBothWays() async throws {
        try await withClient { client, _, _ in
            let slow = try await client.webSocket("slow", options: .init(ping: .never))
            let quick = try await client.webSocket("quick")
            try await slow.send("burst 20 1000000")
            // The server reads nothing of this before its burst is out, which waits for the reader.
            let sending = Task {
                for number in 0..<4 { try await slow.send(StoredBody.bytes(1_000_000, seed: UInt64(number))) }
            }
            for number in 0..<20 {
                if number % 5 == 0 { try await Task.sleep(for: .milliseconds(50)) }
                try await quick.send("\(number)")
                #expect(try await quick.receive() == .text("\(number)"))
                #expect(try await slow.receive() == .data(Data(count: 1_000_000)))
            }
            for number in 0..<4 {
                #expect(try await slow.receive() == .data(StoredBody.bytes(1_000_000, seed: UInt64(number))))
            }
            try await sending.value
            try await slow.close()
            try await quick.close()
        }
    }

    @Test func aRefusalHasTheResponse() async throws {
        try await withClient { client, transport, url in
            for _ in 0..<3 {
                let error = await #expect(throws: NetworkClientError.self) { _ = try await client.webSocket("refused") }
                #expect(error?.response?.status == .forbidden && error?.body == Data("not here\n".utf8))
                #expect((error?.exchange).map(versions) == ["HTTP/2"])
            }
            expectEqual(try await transport.text(.get, url + "/next"), "/next\n")
        }
    }

    @Test func aTokenIsRenewed() async throws {
        let store = CredentialStore(Credential(token: "old")) { _ in Credential(token: "good") }
        try await withClient({ $0.middleware = [BearerAuthMiddleware(store)] }) { client, _, _ in
            let socket = try await client.webSocket("private")
            try await socket.send("in")
            #expect(try await socket.receive() == .text("in"))
            #expect(socket.exchange.attempts.map(\.status) == [.unauthorized, .switchingProtocols])
            #expect(versions(socket.exchange) == ["HTTP/2", "HTTP/2"])
            try await socket.close()
        }
    }

    @Test func hearsWhyThePeerCloses() async throws {
        try await withClient { client, _, _ in
            let socket = try await client.webSocket("live")
            try await socket.send("close 1011 out of order")
            let error = await #expect(throws: NetworkClientError.self) { try await socket.receive() }
            #expect(error?.cause as? WebSocket.Closure == WebSocket.Closure(.internalError, reason: "out of order"))
        }
    }
}
