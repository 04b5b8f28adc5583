// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataTesting

@Suite(.timeLimit(.minutes(5)))
struct RawServerTests {
    private static let request = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test func bytesArriveAsScripted() async throws {
        let garbage = "HTP/1.1 2x0\r\n\r\r\n\u{0}half"
        try await RawServer.withServer(script: [.readRequest, .send(garbage)]) { server in
            #expect(try await LoopbackClient.exchange(Self.request, port: server.port) == garbage)
            let log = try await server.wait { $0.has(.finished) }
            #expect(log.requests.map(\.target) == ["/x"])
            #expect(log.received[1] == Array(Self.request.utf8))
        }
    }

    @Test func resetsAreSeenAsSuch() async throws {
        try await RawServer.withServer(script: [.readRequest, .reset]) { server in
            await #expect(throws: ConnectionLost.resetByPeer) {
                try await LoopbackClient.exchange(Self.request, port: server.port)
            }
        }
    }

    @Test func connectionsHaveScriptsInTurn() async throws {
        let server = try RawServer.start(scripts: [[.send("one")], [.send("two")]], then: .close)
        defer { server.stop() }
        for expected in ["one", "two", "", ""] {
            #expect(try await LoopbackClient.exchange("", port: server.port) == expected)
        }
        #expect(server.log.connectionCount == 4)
    }

    @Test func theLastScriptIsRepeated() async throws {
        let server = try RawServer.start(scripts: [[.send("one")], [.send("two")]])
        defer { server.stop() }
        for expected in ["one", "two", "two"] {
            #expect(try await LoopbackClient.exchange("", port: server.port) == expected)
        }
    }

    @Test func aConnectionServesSeveralRequests() async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "ok"))) { server in
            let client = try LoopbackClient(port: server.port)
            for _ in 0..<3 {
                try await client.send(Self.request)
                #expect(try await client.receive().hasSuffix("\r\n\r\nok"))
            }
            client.connection.close()
            let log = try await server.wait { $0.has(.closedByPeer, on: 1) }
            #expect((log.requests.count, log.connectionCount) == (3, 1))
        }
    }

    @Test func scriptsMayNameTheServer() async throws {
        let server = try RawServer.start { url in [[.readRequest, .respond(302, fields: ["Location: \(url)/next"])]] }
        defer { server.stop() }
        let answer = try await LoopbackClient.exchange(Self.request, port: server.port)
        #expect(answer.contains("\r\nLocation: http://127.0.0.1:\(server.port)/next\r\n"))
    }

    @Test func aClientThatResetsIsNoticed() async throws {
        try await RawServer.withServer(script: [.readRequest, .readToEnd]) { server in
            let client = try LoopbackClient(port: server.port)
            try await client.send(Self.request)
            try await server.wait { !$0.requests.isEmpty }
            client.connection.reset()
            try await server.wait { $0.has(.resetByPeer) }
        }
    }

    @Test func closingInOrderLosesNothingThoughTheRequestIsUnread() async throws {
        let response = "HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: 100_000)
        try await RawServer.withServer(script: [.readHead, .send(response), .close]) { server in
            let client = try LoopbackClient(port: server.port)
            try await client.send(
                "POST / HTTP/1.1\r\nContent-Length: 50000\r\n\r\n" + String(repeating: "b", count: 50_000))
            #expect(try await client.receiveAll() == response)
        }
    }

    @Test func halfClosedConnectionsGoOnReading() async throws {
        try await RawServer.withServer(script: [.send("bye"), .closeOutput, .readRequest]) { server in
            let client = try LoopbackClient(port: server.port)
            #expect(try await client.receiveAll() == "bye")
            try await client.send(Self.request)
            try await server.wait { $0.requests.count == 1 }
        }
    }

    @Test func waitingKeepsTheConnectionSilent() async throws {
        try await RawServer.withServer(script: [.send("a"), .wait(.milliseconds(80)), .send("b")]) { server in
            let start = ContinuousClock.now
            let answer = try await LoopbackClient.exchange("", port: server.port)
            #expect(answer == "ab")
            #expect(ContinuousClock.now - start >= .milliseconds(80))
        }
    }

    @Test func stoppingEndsScriptsThatHangOrWaitAndFreesThePort() async throws {
        let scripts: [RawScript] = [[.hang], [.wait(.seconds(600))], [.readRequest], [.readToEnd]]
        let server = try RawServer.start(scripts: scripts)
        let clients = try scripts.map { _ in try LoopbackClient(port: server.port) }
        try await server.wait { $0.connectionCount == scripts.count }
        server.stop()
        server.stop()
        for client in clients { _ = try? await client.receiveAll() }
        #expect(throws: Socket.Failure.self) { try LoopbackClient(port: server.port) }
    }

    /// So it ends a thread that waits for a connection, where nothing else does.
    @Test func aKnockIsAConnection() throws {
        let (listener, _) = try Socket.bound()
        defer { Socket.close(listener) }
        try Socket.listen(listener, backlog: 1)
        Socket.knock(on: listener)
        #expect(Socket.isReadable(listener, within: .seconds(5)))
        Socket.close(try #require(Socket.accept(listener)))
    }

    @Test func aReleasedServerStops() async throws {
        let port: Int
        do {
            port = try RawServer.start(script: [.hang]).port
        }
        #expect(throws: Socket.Failure.self) { try LoopbackClient(port: port) }
    }

    @Test func unresponsivePortsLeaveAConnectionPending() async throws {
        let server = try RawServer.unresponsive()
        defer { server.stop() }
        let pending = try Socket.startConnecting(toPort: server.port)
        defer { Socket.close(pending) }
        try await Task.sleep(for: .milliseconds(100))
        #expect(!Socket.isConnected(pending))
    }

    @Test func beginsToAnswerOnceAndNotAfterTheStop() throws {
        let server = try RawServer.unresponsive()
        try server.beginAnswering(script: [])
        #expect(throws: Socket.Failure.self) { try server.beginAnswering(script: []) }
        server.stop()
        let stopped = try RawServer.unresponsive()
        stopped.stop()
        // It may have the number of the one that was closed.
        let other = try Socket.make()
        defer { Socket.close(other) }
        #expect(throws: Socket.Failure.self) { try stopped.beginAnswering(script: []) }
    }

    @Test func refusedPortsRefuse() throws {
        let server = try RawServer.refusing()
        defer { server.stop() }
        #expect(throws: Socket.Failure.self) { try LoopbackClient(port: server.port) }
    }

    @Test func serversRunSideBySide() async throws {
        let servers = try (0..<5).map { number in try RawServer.start(script: [.send("\(number)")]) }
        defer { servers.forEach { $0.stop() } }
        #expect(Set(servers.map(\.port)).count == 5)
        for (number, server) in servers.enumerated() {
            #expect(try await LoopbackClient.exchange("", port: server.port) == "\(number)")
        }
    }

    @Test func waitingForWhatDoesNotHappenFails() async throws {
        let server = try RawServer.start(script: [.hang])
        defer { server.stop() }
        await #expect(throws: RawServer.WaitedTooLong.self) {
            try await server.wait(within: .milliseconds(20)) { $0.connectionCount > 0 }
        }
    }

    @Test func waitingEndsWithItsTask() async throws {
        let server = try RawServer.start(script: [.hang])
        defer { server.stop() }
        for _ in 0..<100 {
            let wait = Task { try await server.wait { $0.connectionCount > 0 } }
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
        }
    }
}
