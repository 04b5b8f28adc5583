// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataEncoding
import StrataNative
import StrataTesting
import StrataWebSocket
import Testing

/// What transports tell of their connections, beyond the rules for all of them.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionEventTests {
    /// Those that tell.
    enum Telling: CaseIterable {
        case curl, native

        func run(
            perHost: Int = 0, inAll: Int = 0, idle: Duration? = .seconds(90),
            _ body: (any NetworkTransport) async throws -> Void
        ) async throws {
            switch self {
            case .curl:
                try await withCurl(
                    {
                        ($0.maximumConnectionsPerHost, $0.maximumConnections) = (perHost, inAll)
                        $0.idleConnectionTimeout = idle
                    }, body)
            case .native:
                try await withNative(
                    {
                        ($0.maximumConnectionsPerHost, $0.maximumConnections) = (perHost, inAll)
                        $0.idleConnectionTimeout = idle
                    }, body)
            }
        }
    }

    /// The name is looked up, after which an exchange begins anew.
    @Test(arguments: Telling.allCases, [(1, 0, "127.0.0.1"), (0, 1, "127.0.0.1"), (0, 1, "localhost")])
    func exchangesThatWaitForAConnectionAreToldOf(
        _ telling: Telling, _ limits: (perHost: Int, inAll: Int, host: String)
    ) async throws {
        let server = try RawServer.start(script: .forever(.readRequest, .wait(.milliseconds(50)), .respond(body: "ok")))
        defer { server.stop() }
        try await telling.run(perHost: limits.perHost, inAll: limits.inAll) { transport in
            let events = try #require(transport.connectionEvents).stream()
            let url = server.url.replacing("127.0.0.1", with: limits.host)
            async let first = transport.text(.get, url, timeouts: Timeouts())
            async let second = transport.text(.get, url, timeouts: Timeouts())
            _ = try await [first, second]
            var told: [ConnectionEvent] = []
            for await event in events {
                told.append(event)
                if event.kind == .idle, told.contains(where: { $0.kind == .reused }) { break }
            }
            #expect(told.filter { $0.kind == .waiting }.count == 1)
            // Under its own bound for all connections libcurl hands them on by itself.
            let isHandedOn = telling == .curl && limits.inAll > 0
            #expect(
                told.filter { $0.kind != .waiting }.map(\.kind)
                    == (isHandedOn ? [.opened, .reused, .idle] : [.opened, .idle, .reused, .idle]))
            #expect(told.allSatisfy { $0.origin.description == url })
            #expect(Set(told.compactMap(\.connection)).count == 1)
        }
    }

    @Test(arguments: Telling.allCases) func theEventsEndWithTheTransport(_ telling: Telling) async throws {
        let server = try RawServer.start(script: .forever(.readRequest, .respond(body: "ok")))
        defer { server.stop() }
        try await telling.run { transport in
            let events = try #require(transport.connectionEvents).stream()
            _ = try await transport.text(.get, server.url, timeouts: Timeouts())
            await transport.shutdown()
            var told: [ConnectionEvent.Kind] = []
            for await event in events { told.append(event.kind) }
            #expect(told == [.opened, .idle, .closed(.shutdown)])
        }
    }

    /// A connection of a WebSocket has no other end than to be dropped.
    @Test func aSocketThatIsClosedInOrderHasNotFailed() async throws {
        let server = try RawServer.start(script: [.readRequest, .acceptWebSocket(), .closeWebSocket(), .readToEnd])
        defer { server.stop() }
        try await Telling.native.run { transport in
            let events = try #require(transport.connectionEvents).stream()
            let client = NetworkClient(configuration: NetworkConfiguration(baseURL: server.url, transport: transport))
            let socket = try await client.webSocket("live", options: .init(ping: .never))
            #expect(try await socket.receive() == nil)
            try await socket.close()
            await transport.shutdown()
            var told: [ConnectionEvent.Kind] = []
            for await event in events { told.append(event.kind) }
            #expect(told == [.opened, .closed(.client)])
        }
    }

    @Test(arguments: Telling.allCases) func aCancelledExchangeOverHTTP1ClosesItsConnection(
        _ telling: Telling
    ) async throws {
        let server = try RawServer.start(script: [.readRequest, .hang])
        defer { server.stop() }
        try await telling.run { transport in
            let events = try #require(transport.connectionEvents).stream()
            let call = Task { try await transport.text(.get, server.url, timeouts: Timeouts()) }
            try await server.wait { $0.requests.count == 1 }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            var kinds: [ConnectionEvent.Kind] = []
            for await event in events {
                kinds.append(event.kind)
                if kinds.count == 2 { break }
            }
            #expect(kinds == [.opened, .closed(.exchange)])
        }
    }

    @Test(arguments: Telling.allCases) func connectionsThatAreIdleForLongAreToldOf(_ telling: Telling) async throws {
        let server = try RawServer.start(script: .forever(.readRequest, .respond(body: "ok")))
        defer { server.stop() }
        try await telling.run(idle: .milliseconds(50)) { transport in
            let events = try #require(transport.connectionEvents).stream()
            _ = try await transport.text(.get, server.url, timeouts: Timeouts())
            var kinds: [ConnectionEvent.Kind] = []
            for await event in events {
                kinds.append(event.kind)
                if kinds.count == 3 { break }
            }
            #expect(kinds == [.opened, .idle, .closed(.idleLimit)])
        }
    }
}
