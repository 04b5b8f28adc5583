// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// The end of a server: what is under way ends, and nothing new begins.
struct DrainTests {
    private func client(
        _ server: RawServer, _ transport: any NetworkTransport, _ middleware: any NetworkMiddleware...
    ) -> NetworkClient {
        NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: server.url), transport: transport, middleware: middleware))
    }

    private let request = NetworkRequest<VoidRequest, String>(path: "a", method: .get)

    /// Has new calls fail, once the drain has begun.
    private func waitUntilClosed(_ client: NetworkClient) async throws {
        while true {
            do {
                _ = try await client.execute(TransportRequest(method: .get, url: "http://127.0.0.1:1/"))
            } catch let error as NetworkClientError where error.code == .transportShutDown {
                #expect(error.message.contains("drained"))
                return
            } catch {}
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func aCallGoesOnWithItsFurtherAttempts(over transport: TestedTransport) async throws {
        let server = try RawServer.start(scripts: [
            [.readRequest, .wait(.milliseconds(300)), .respond(503), .close],
            [.readRequest, .respond(body: "ok"), .close],
        ])
        defer { server.stop() }
        try await transport.run { transport in
            let client = client(server, transport, RetryMiddleware(backoff: .constant(.milliseconds(300))))
            let call = Task { [request] in try await client.run(request).value }
            try await server.wait { !$0.requests.isEmpty }
            let drain = Task { await client.drain(within: .seconds(60)) }
            try await waitUntilClosed(client)
            #expect(try await call.value == "ok")
            await drain.value
            #expect(server.log.requests.count == 2)
        }
    }

    /// A renewal is a call of its own, for which the first one waits.
    @Test(arguments: TestedTransport.allCases)
    func aCallGoesOnWithTheRenewalOfItsCredential(over transport: TestedTransport) async throws {
        let server = try RawServer.start(scripts: [
            [.readRequest, .wait(.milliseconds(300)), .respond(401), .close],
            [.readRequest, .respond(body: "fresh"), .close], [.readRequest, .respond(body: "ok"), .close],
        ])
        defer { server.stop() }
        try await transport.run { transport in
            let box = Mutex<NetworkClient?>(nil)
            let store = CredentialStore(Credential(token: "old")) { [request] _ in
                let client = try #require(box.withLock { $0 })
                return Credential(token: try await client.run(request).value)
            }
            let client = client(server, transport, BearerAuthMiddleware(store))
            box.withLock { $0 = client }
            let call = Task { [request] in try await client.run(request).value }
            try await server.wait { !$0.requests.isEmpty }
            let drain = Task { await client.drain(within: .seconds(60)) }
            try await waitUntilClosed(client)
            #expect(try await call.value == "ok")
            await drain.value
            box.withLock { $0 = nil }
        }
        #expect(server.log.requests.map { $0.values(of: "Authorization") } == [["Bearer old"], [], ["Bearer fresh"]])
    }

    @Test(arguments: TestedTransport.allCases)
    func whatDoesNotEndInTimeIsEnded(over transport: TestedTransport) async throws {
        let server = try RawServer.start(script: [.readRequest, .readToEnd])
        defer { server.stop() }
        try await transport.run { transport in
            let client = client(server, transport)
            let call = Task { [request] in try await client.run(request).value }
            try await server.wait { !$0.requests.isEmpty }
            await client.drain(within: .milliseconds(50))
            let error = await #expect(throws: NetworkClientError.self) { try await call.value }
            #expect(error?.code == .transportShutDown)
        }
    }
}
