// SPDX-License-Identifier: Apache-2.0

import EchoServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOSSL
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EchoServerTLSTests {
    /// The status of `/status/201`, asked by a client that trusts the authority and no other.
    private func ask(
        _ server: EchoServer, trusting authority: TestCertificateAuthority,
        as identity: TestCertificateAuthority.Identity? = nil
    ) async throws -> Int {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([
            try NIOSSLCertificate(bytes: Array(authority.certificatePEM.utf8), format: .pem)
        ])
        if let identity {
            configuration.certificateChain = [
                .certificate(try NIOSSLCertificate(bytes: Array(identity.certificatePEM.utf8), format: .pem))
            ]
            configuration.privateKey = .privateKey(
                try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.utf8), format: .pem))
        }
        return try await TestClient.withClient(
            host: "127.0.0.1", port: server.port,
            configuration: .init(tlsConfiguration: configuration, timeout: .seconds(5), serverName: "localhost")
        ) { client in
            try await client.get("/status/201").status.code
        }
    }

    private func withServer(
        _ tls: EchoServer.TLS, http2: Bool = false, _ body: (EchoServer, TestCertificateAuthority) async throws -> Void
    ) async throws {
        try await EchoServer.withServer(.init(tls: tls, http2: http2)) { server in
            try await body(server, try #require(server.certificateAuthority))
        }
    }

    @Test(arguments: [false, true])
    func theAuthorityOfTheServerIsAllThatIsNeeded(http2: Bool) async throws {
        try await withServer(.init(), http2: http2) { server, authority in
            #expect(server.url == "https://127.0.0.1:\(server.port)")
            let status = try await ask(server, trusting: authority)
            #expect(status == 201)
        }
    }

    @Test func anotherAuthorityIsNotEnough() async throws {
        try await withServer(.init()) { server, _ in
            await #expect(throws: (any Error).self) { try await ask(server, trusting: try TestCertificateAuthority()) }
        }
    }

    /// The client here, unlike ours, still looks at the common name.
    @Test(
        arguments: TestCertificateAuthority.ServerCertificate.allCases.filter { $0 != .valid && $0 != .commonNameOnly })
    func badCertificatesAreRefusedByAClientThatLooks(kind: TestCertificateAuthority.ServerCertificate) async throws {
        try await withServer(.init(certificate: kind)) { server, authority in
            await #expect(throws: (any Error).self) { try await ask(server, trusting: authority) }
        }
    }

    @Test func clientCertificatesCanBeRequired() async throws {
        try await withServer(.init(requiresClientCertificate: true)) { server, authority in
            #expect(try await ask(server, trusting: authority, as: try authority.issueClient()) == 201)
            await #expect(throws: (any Error).self) { try await ask(server, trusting: authority) }
            let stranger = try TestCertificateAuthority().issueClient()
            await #expect(throws: (any Error).self) { try await ask(server, trusting: authority, as: stranger) }
        }
    }

    @Test func serversCanShareAnAuthority() async throws {
        let authority = try TestCertificateAuthority()
        for _ in 0..<2 {
            try await withServer(.init(authority: authority)) { server, _ in
                let status = try await ask(server, trusting: authority)
                #expect(status == 201)
            }
        }
    }

    /// A client that says nothing, and one that says no more than the beginning of a record.
    @Test(arguments: [[], [0x16, 0x03, 0x01]] as [[UInt8]], [false, true])
    func stoppingDoesNotWaitForHandshakes(bytes: [UInt8], http2: Bool) async throws {
        try await withServer(.init(), http2: http2) { server, authority in
            let client = try LoopbackClient(port: server.port)
            try await client.send(bytes)
            // A second connection shows that the first was accepted.
            _ = try await ask(server, trusting: authority)
            await server.stop()
            _ = try? await client.receiveAll()
        }
    }
}
