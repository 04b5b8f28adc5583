// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataTesting
import StrataURLSession
import Testing

/// IPv6, overrides of addresses, sockets without addresses, and limits on connections.
@Suite(.peers(.nginx, .openssl))
struct AddressPeerTests {
    @Test(.enabled(if: LoopbackPort.hasIPv6, "the loopback interface has no IPv6"))
    func speaksIPv6() async throws {
        let nginx = try await Nginx.shared()
        let authority = try nginx.certificates.pem("authority.pem")
        expectEqual(try await text(of: nginx.url(.plain, "/address", host: "[::1]")) { _ in }, "::1")
        expectEqual(
            try await text(of: nginx.url(.valid, "/address", host: "[::1]")) { $0.tls.trust = .pem(authority) }, "::1")
        #if os(Linux)
        // RFC 6874: the zone is for this computer, and not sent; nginx would refuse it in Host.
        expectEqual(try await text(of: nginx.url(.plain, "/address", host: "[::1%25lo]")) { _ in }, "::1")
        #endif
        let urlSession = URLSessionTransport()
        let request = try TransportRequest(url: nginx.url(.plain, "/address", host: "[::1]"))
        #if canImport(FoundationNetworking)
        await #expect { try await urlSession.send(request) } throws: { $0.stage == .unsupportedByTransport }
        #else
        expectEqual(try await urlSession.send(request).body.collect(), Data("::1".utf8))
        #endif
        await urlSession.shutdown()
    }

    @Test(.enabled(if: LoopbackPort.hasIPv6, "the loopback interface has no IPv6"))
    func keepsToAFamily() async throws {
        let nginx = try await Nginx.shared()
        let port = nginx.port(.plain)
        for (family, address) in [(CurlTransport.AddressFamily.ipv4, "127.0.0.1"), (.ipv6, "::1")] {
            let seen = try await text(of: nginx.url(.plain, "/address", host: "strata.example")) {
                $0.addressOverrides = [.init(host: "strata.example", port: port, addresses: ["127.0.0.1", "::1"])]
                $0.addressFamily = family
            }
            #expect(seen == address)
        }
    }

    @Test func triesTheNextAddressOfAnOverride() async throws {
        let nginx = try await Nginx.shared()
        let seen = try await text(of: nginx.url(.plain, "/address", host: "strata.example")) {
            // Nobody listens on the first.
            $0.addressOverrides = [
                .init(host: "strata.example", port: nginx.port(.plain), addresses: ["127.0.0.99", "127.0.0.1"])
            ]
        }
        #expect(seen == "127.0.0.1")
    }

    @Test func verifiesTheNameThatWasOverridden() async throws {
        let nginx = try await Nginx.shared()
        let authority = try nginx.certificates.pem("authority.pem")
        let name = "other.example"
        let setUp: (Int) -> (inout CurlTransport.Configuration) -> Void = { port in
            {
                $0.tls.trust = .pem(authority)
                $0.addressOverrides = [.init(host: name, port: port, addresses: ["127.0.0.1"])]
            }
        }
        let seen = try await text(of: nginx.url(.wrongHost, host: name), setUp(nginx.port(.wrongHost)))
        #expect(seen.contains(" other.example:"))
        let error = try await failure(of: nginx.url(.valid, host: name), setUp(nginx.port(.valid)))
        #expect(error.code == .tlsFailed)
    }

    @Test(.enabled(if: LoopbackPort.hasAddress("127.0.0.7"), "the loopback interface has no 127.0.0.7"))
    func goesOutFromTheInterfaceThatItIsGiven() async throws {
        let nginx = try await Nginx.shared()
        expectEqual(
            try await text(of: nginx.url(.plain, "/address")) { $0.localInterface = "127.0.0.7" }, "127.0.0.7")
    }

    @Test func needsTheInterfaceThatItIsGiven() async throws {
        let nginx = try await Nginx.shared()
        let error = try await failure(of: nginx.url(.plain)) { $0.localInterface = "no-such-interface0" }
        #expect(error.code == .cannotConnect)
    }

    @Test func needsNoProxyForASocket() async throws {
        let nginx = try await Nginx.shared()
        let nobody = try RawServer.refusing()
        for name in ["localhost", "strata.example"] {
            let seen = try await text(of: "http://\(name)/seen") {
                $0.unixSocketPath = nginx.socketPath
                $0.proxy = .url(nobody.url)
            }
            #expect(seen.contains(" \(name) "))
        }
        let error = try await failure(of: "http://localhost/") { $0.unixSocketPath = "/nowhere/strata.sock" }
        #expect(error.code == .cannotConnect)
    }

    // MARK: - Limits

    @Test func keepsToTheLimitOfAllConnections() async throws {
        let held = try (0..<2).map { _ in try RawServer.start(script: [.readRequest, .hang]) }
        let third = try RawServer.start(script: [.readRequest, .respond(body: "hello")])
        defer { for server in held + [third] { server.stop() } }
        try await withCurl({ $0.maximumConnections = 2 }) { transport in
            let calls = held.map { server in Task { try await transport.text(.get, server.url) } }
            for server in held { try await server.wait { $0.requests.count == 1 } }
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(.get, third.url, timeouts: Timeouts(connect: .milliseconds(300)))
            }
            #expect(error?.timeout == .connect)
            #expect(third.log.connectionCount == 0)
            for call in calls {
                call.cancel()
                _ = await call.result
            }
            #expect(try await transport.text(.get, third.url) == "hello")
        }
    }

    @Test func waitsForAConnectionNoLongerThanTheConnectTimeout() async throws {
        let held = try RawServer.start(script: [.readRequest, .wait(.seconds(30))])
        defer { held.stop() }
        try await withCurl({ $0.maximumConnectionsPerHost = 1 }) { transport in
            let first = Task { try await transport.text(.get, held.url) }
            try await held.wait { $0.requests.count == 1 }
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(.get, held.url, timeouts: Timeouts(connect: .milliseconds(300)))
            }
            #expect(error?.code == .timedOut)
            #expect(error?.timeout == .connect)
            first.cancel()
            _ = await first.result
        }
        #expect(held.log.connectionCount == 1)
    }
}
