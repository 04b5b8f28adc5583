// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataNative
import StrataTesting
import Testing

/// What transports tell of their connections, beyond the rules for all of them.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionEventTests {
    /// Those that tell.
    enum Telling: CaseIterable {
        case curl, native

        func run(
            perHost: Int = 0, idle: Duration? = .seconds(90), _ body: (any NetworkTransport) async throws -> Void
        ) async throws {
            switch self {
            case .curl:
                try await withCurl({ ($0.maximumConnectionsPerHost, $0.idleConnectionTimeout) = (perHost, idle) }, body)
            case .native:
                try await withNative(
                    { ($0.maximumConnectionsPerHost, $0.idleConnectionTimeout) = (perHost, idle) }, body)
            }
        }
    }

    @Test(arguments: Telling.allCases) func exchangesThatWaitForAConnectionAreToldOf(_ telling: Telling) async throws {
        let server = try RawServer.start(script: .forever(.readRequest, .wait(.milliseconds(50)), .respond(body: "ok")))
        defer { server.stop() }
        try await telling.run(perHost: 1) { transport in
            let events = try #require(transport.connectionEvents).stream()
            async let first = transport.text(.get, server.url, timeouts: Timeouts())
            async let second = transport.text(.get, server.url, timeouts: Timeouts())
            _ = try await [first, second]
            var told: [ConnectionEvent] = []
            for await event in events {
                told.append(event)
                if told.count == 5 { break }
            }
            #expect(told.filter { $0.kind == .waiting }.count == 1)
            #expect(told.filter { $0.kind != .waiting }.map(\.kind) == [.opened, .idle, .reused, .idle])
            #expect(told.allSatisfy { $0.origin.description == server.url })
            #expect(Set(told.compactMap(\.connection)).count == 1)
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
