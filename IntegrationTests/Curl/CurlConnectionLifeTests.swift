// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import Synchronization
import Testing

@testable import StrataCurl
@testable import StrataTesting

/// How long connections are kept, and names looked up.
struct CurlConnectionLifeTests {
    private static let alive = RawScript.forever(.readRequest, .respond(body: "ok"))

    /// So many connections, each with an answer.
    private func open(_ count: Int, _ transport: CurlTransport, _ server: RawServer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { expectEqual(try await transport.text(.get, server.url), "ok") } }
            try await group.waitForAll()
        }
    }

    @Test func endsIdleConnectionsThoughNothingIsSent() async throws {
        // The answers wait for each other, so that each has a connection of its own.
        let server = try RawServer.start(
            script: .forever(.readRequest, .wait(.milliseconds(300)), .respond(body: "ok")))
        defer { server.stop() }
        try await withCurl({ $0.idleConnectionTimeout = .milliseconds(500) }) { transport in
            try await open(20, transport, server)
            let count = server.log.connectionCount
            #expect(count > 1)
            try await server.wait(within: .seconds(20)) { log in log.events.count { $0.kind == .closedByPeer } == count
            }
            expectEqual(try await transport.text(.get, server.url), "ok")
        }
    }

    @Test func keepsNoMoreIdleConnectionsThanAllowed() async throws {
        let server = try RawServer.start(
            script: .forever(.readRequest, .wait(.milliseconds(300)), .respond(body: "ok")))
        defer { server.stop() }
        try await withCurl({ $0.maximumIdleConnections = 3 }) { transport in
            try await open(20, transport, server)
            let count = server.log.connectionCount
            #expect(count > 3)
            try await server.wait(within: .seconds(20)) { log in
                log.events.count { $0.kind == .closedByPeer } == count - 3
            }
            expectEqual(try await transport.text(.get, server.url), "ok")
            #expect(server.log.connectionCount == count)
        }
    }

    @Test func asksThePeerOfAConnectionForASignOfLife() async throws {
        for (setting, isOn) in [(Duration.seconds(7), true), (nil, false)] as [(Duration?, Bool)] {
            try await RawServer.withServer(script: Self.alive) { server in
                try await withCurl({ $0.tcpKeepAlive = setting }) { transport in
                    expectEqual(try await transport.text(.get, server.url), "ok")
                    let found = KeepAlive.ofConnections(to: server.port)
                    #expect(found == [isOn ? KeepAlive(isOn: true, idle: 7, interval: 7) : KeepAlive(isOn: false)])
                }
            }
        }
    }

    // MARK: - Names

    /// Lookups that end when they are told to.
    private final class SlowNames: Sendable {
        private let state = Mutex((asked: 0, running: 0, most: 0, isOpen: false))

        var asked: Int { state.withLock { $0.asked } }
        var most: Int { state.withLock { $0.most } }

        func open() { state.withLock { $0.isOpen = true } }

        func lookUp(_ name: String) -> Result<[String], NameResolver.LookupFailure> {
            if name.hasPrefix("quick.test") { return .success(["127.0.0.1"]) }
            state.withLock { state in
                state.asked += 1
                state.running += 1
                state.most = max(state.most, state.running)
            }
            while !state.withLock({ $0.isOpen }) { usleep(2000) }
            state.withLock { $0.running -= 1 }
            return name.hasPrefix("unknown") ? .failure(.init(reason: "no such name")) : .success(["::1", "127.0.0.1"])
        }
    }

    private func withNames(
        _ names: SlowNames, _ body: (CurlTransport) async throws -> Void
    ) async throws {
        try await CurlTransport(configuration: .direct, environment: { _ in nil }, lookup: names.lookUp)
            .thenShutDown(body)
    }

    @Test func looksUpManyNamesInFewThreads() async throws {
        let names = SlowNames()
        try await RawServer.withServer(script: Self.alive) { server in
            try await withNames(names) { transport in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<150 {
                        group.addTask {
                            expectEqual(try await transport.text(.get, "http://h\(number).test:\(server.port)"), "ok")
                        }
                    }
                    while names.asked < NameResolver.usualLimit { try await Task.sleep(for: .milliseconds(5)) }
                    names.open()
                    try await group.waitForAll()
                }
                #expect(names.most <= NameResolver.usualLimit)
                #expect(names.asked == 150)
            }
        }
    }

    @Test func looksANameUpOnceForAllCallsAtOnce() async throws {
        let names = SlowNames()
        try await RawServer.withServer(script: Self.alive) { server in
            try await withNames(names) { transport in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<50 {
                        group.addTask {
                            expectEqual(try await transport.text(.get, "http://one.test:\(server.port)"), "ok")
                        }
                    }
                    while names.asked < 1 || transport.liveTransfers < 50 {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    names.open()
                    try await group.waitForAll()
                }
                #expect(names.asked == 1)
            }
        }
    }

    @Test func countsTheLookupAgainstTheConnectTimeoutAndHeedsACancel() async throws {
        let names = SlowNames()
        defer { names.open() }
        try await withNames(names) { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(
                    .get, "http://slow.test/", timeouts: Timeouts(connect: .milliseconds(200), idle: .seconds(60)))
            }
            #expect(error?.timeout == .connect)
            let call = Task { try await transport.send(.get, "http://slow2.test/") }
            while names.asked < 2 { try await Task.sleep(for: .milliseconds(5)) }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test func saysWhichNameIsUnknown() async throws {
        let names = SlowNames()
        names.open()
        try await withNames(names) { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(.get, "http://unknown.test/secret?token=1")
            }
            #expect(error?.code == .dnsFailed)
            #expect(error?.isUnprocessed == true)
            #expect(error?.message == "could not resolve the host unknown.test: no such name")
        }
    }

    @Test(arguments: ["Quick.Test", "quick.test."]) func findsANameHoweverItIsWritten(_ name: String) async throws {
        try await RawServer.withServer(script: Self.alive) { server in
            try await withNames(SlowNames()) { transport in
                expectEqual(try await transport.text(.get, "http://\(name):\(server.port)/"), "ok")
            }
        }
    }
}

/// What the system does to keep a connection alive; times in seconds.
private struct KeepAlive: Equatable {
    var isOn: Bool
    var idle: Int32 = 0
    var interval: Int32 = 0

    /// Of this process's connections to a port of the loopback interface.
    static func ofConnections(to port: Int) -> [KeepAlive] {
        (Int32(0)..<4096).compactMap { descriptor in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isThere = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) == 0 }
            }
            guard isThere, address.sin_family == sa_family_t(AF_INET), Int(UInt16(bigEndian: address.sin_port)) == port
            else { return nil }
            guard value(descriptor, SOL_SOCKET, SO_KEEPALIVE) != 0 else { return KeepAlive(isOn: false) }
            return KeepAlive(
                isOn: true, idle: value(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE),
                interval: value(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL))
        }
    }

    private static func value(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, level, name, &value, &size)
        return value
    }
}
