// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Synchronization
import Testing

@testable import StrataNative

/// Which connections there are, and who gets them.
struct NativeConnectionTests {
    private static let alive = RawScript.forever(.readRequest, .respond(body: "ok"))

    // MARK: - Addresses

    @Test func triesTheNextAddressWhenOneRefuses() async throws {
        try await RawServer.withServer(script: Self.alive) { server in
            let override = NativeTransport.AddressOverride(
                host: "a.test", port: server.port, addresses: ["::1", "127.0.0.1"])
            try await withNative({ $0.addressOverrides = [override] }) { transport in
                let response = try await transport.send(.get, "http://a.test:\(server.port)/")
                #expect(response.metrics?.remoteAddress == "127.0.0.1")
                #expect(response.metrics?.isConnectionReused == false)
                _ = try await response.body.collect()
            }
        }
    }

    @Test func namesTheFamilyThatAHostHasNotGot() async throws {
        try await withNative({ $0.addressFamily = .ipv6 }) { transport in
            await #expect { try await transport.send(.get, "http://127.0.0.1:1/") } throws: { $0.stage == .dnsFailed }
        }
    }

    @Test func looksANameUpOnceInItsTime() async throws {
        let lookups = Mutex(0)
        try await RawServer.withServer(script: [
            .readRequest, .respond(fields: ["Connection: close"], body: "ok"), .close,
        ]) {
            server in
            for (time, expected) in [(Duration.seconds(60), 1), (.zero, 3)] {
                var configuration = NativeTransport.Configuration()
                configuration.dnsCacheTime = time
                lookups.withLock { $0 = 0 }
                try await NativeTransport(configuration: configuration, environment: { _ in nil }) { _ in
                    lookups.withLock { $0 += 1 }
                    return .success(["127.0.0.1"])
                }.thenShutDown { transport in
                    for _ in 0..<3 {
                        expectEqual(try await transport.text(.get, "http://a.test:\(server.port)/"), "ok")
                    }
                }
                #expect(lookups.withLock { $0 } == expected)
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "lo"]) func goesOutFromTheInterfaceThatIsNamed(_ interface: String) async throws {
        try await RawServer.withServer(script: Self.alive) { server in
            try await withNative({ $0.localInterface = interface }) { transport in
                expectEqual(try await transport.text(.get, server.url), "ok")
            }
        }
    }

    @Test func failsToConnectFromAnInterfaceThatIsNotThere() async throws {
        try await withNative({ $0.localInterface = "nothing0" }) { transport in
            await #expect { try await transport.send(.get, "http://127.0.0.1:1/") } throws: {
                $0.stage == .cannotConnect
            }
        }
    }

    // MARK: - Limits

    /// The order in which they came is that in which they are answered.
    @Test(arguments: [(1, 0), (0, 1)]) func thoseThatWaitGetTheirTurn(_ inAll: Int, _ perHost: Int) async throws {
        let server = try RawServer.start(scripts: [
            [.readRequest, .hang], .forever(.readRequest, .respondWithTarget),
        ])
        defer { server.stop() }
        try await withNative({ ($0.maximumConnections, $0.maximumConnectionsPerHost) = (inAll, perHost) }) {
            transport in
            var calls: [Task<String, any Error>] = []
            for number in 0..<6 {
                calls.append(Task { try await transport.text(.get, "\(server.url)/\(number)") })
                while transport.liveTransfers <= number { await Task.yield() }
            }
            try await server.wait { !$0.requests.isEmpty }
            calls[0].cancel()
            for number in 1..<6 { expectEqual(try await calls[number].value, "/\(number)") }
        }
        #expect(server.log.requests.map(\.target) == (0..<6).map { "/\($0)" })
        #expect(server.log.connectionCount == 2)
    }

    @Test func anIdleConnectionGivesWayToOneElsewhere() async throws {
        let servers = try (0..<3).map { _ in try RawServer.start(script: Self.alive) }
        defer { for server in servers { server.stop() } }
        try await withNative({ $0.maximumConnections = 1 }) { transport in
            for server in servers + servers { expectEqual(try await transport.text(.get, server.url), "ok") }
        }
        #expect(servers.map(\.log.connectionCount) == [2, 2, 2])
    }

    @Test func countsTheWaitAgainstTheConnectTimeout() async throws {
        let server = try RawServer.start(script: [.readRequest, .hang])
        defer { server.stop() }
        try await withNative({ $0.maximumConnectionsPerHost = 1 }) { transport in
            let first = Task { try await transport.text(.get, server.url) }
            try await server.wait { !$0.requests.isEmpty }
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(.get, server.url, timeouts: Timeouts(connect: .milliseconds(200)))
            }
            #expect(error?.timeout == .connect)
            #expect(error?.isUnprocessed == true)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
        }
    }

    @Test func oneThatIsCancelledInTheQueueLetsTheNextPass() async throws {
        let server = try RawServer.start(scripts: [
            [.readRequest, .hang], .forever(.readRequest, .respondWithTarget),
        ])
        defer { server.stop() }
        try await withNative({ $0.maximumConnectionsPerHost = 1 }) { transport in
            var calls: [Task<String, any Error>] = []
            for number in 0..<3 {
                calls.append(Task { try await transport.text(.get, "\(server.url)/\(number)") })
                while transport.liveTransfers <= number { await Task.yield() }
            }
            try await server.wait { !$0.requests.isEmpty }
            for call in calls[..<2].reversed() {
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
            }
            expectEqual(try await calls[2].value, "/2")
        }
        #expect(server.log.requests.map(\.target) == ["/0", "/2"])
    }

    // MARK: - The life of a connection

    @Test func endsIdleConnectionsInTime() async throws {
        let server = try RawServer.start(script: Self.alive)
        defer { server.stop() }
        try await withNative({ $0.idleConnectionTimeout = .milliseconds(200) }) { transport in
            expectEqual(try await transport.text(.get, server.url), "ok")
            try await server.wait(within: .seconds(30)) { $0.has(.closedByPeer, on: 0) || $0.isClosedByPeer }
            expectEqual(try await transport.text(.post, server.url), "ok")
        }
        #expect(server.log.connectionCount == 2)
    }

    @Test func aConnectionIsNotUsedBeyondItsAge() async throws {
        let server = try RawServer.start(script: Self.alive)
        defer { server.stop() }
        try await withNative({ $0.maximumConnectionAge = .milliseconds(100) }) { transport in
            expectEqual(try await transport.text(.get, server.url), "ok")
            try await Task.sleep(for: .milliseconds(150))
            expectEqual(try await transport.text(.get, server.url), "ok")
        }
        #expect(server.log.connectionCount == 2)
    }
}
