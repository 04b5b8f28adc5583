// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import Testing

@testable import EchoServer
@testable import StrataTesting

/// NIO ends the process when a connection or a stream is dropped that comes while the server stops.
@Suite(.timeLimit(.minutes(3)))
struct StopTests {
    @Test(arguments: [nil, .init()] as [EchoServer.TLS?], [false, true])
    func connectionsThatComeMeanwhileAreClosed(tls: EchoServer.TLS?, http2: Bool) async throws {
        for _ in 0..<15 {
            let server = try await EchoServer.start(.init(tls: tls, http2: http2))
            let port = server.port
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<25 {
                            guard let socket = try? Socket.connected(toPort: port) else { return }
                            Socket.close(socket)
                            await Task.yield()
                        }
                    }
                }
                group.addTask { await server.stop() }
            }
            #expect(server.connections.count == 0)
        }
    }

    @Test(arguments: [false, true])
    func requestsThatComeMeanwhileAreEnded(http2: Bool) async throws {
        for round in 0..<10 {
            let server = try await EchoServer.start(.init(tls: .init(), http2: http2))
            let pem = Data(try #require(server.certificateAuthority).certificatePEM.utf8)
            let url = "https://localhost:\(server.port)/get"
            try await withCurl({ $0.tls.trust = .pem(pem) }) { transport in
                // The requests that follow begin as streams of this connection, when it can have more than one.
                _ = try await transport.send(.get, url).body.collect()
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<100 {
                        group.addTask { _ = try? await transport.send(.get, url).body.collect() }
                    }
                    group.addTask {
                        for _ in 0..<(round * 20) { await Task.yield() }
                        await server.stop()
                    }
                }
            }
            #expect(server.connections.count == 0)
        }
    }

    /// Nor does such a client answer what TLS says at the end.
    @Test func stoppingDoesNotWaitForAClientThatDoesNotRead() async throws {
        let server = try await EchoServer.start(.init(tls: .init()))
        let pem = Data(try #require(server.certificateAuthority).certificatePEM.utf8)
        try await withCurl({ $0.tls.trust = .pem(pem) }) { transport in
            let response = try await transport.send(.get, "https://localhost:\(server.port)/download/50000000")
            await server.stop()
            await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
        }
    }
}
