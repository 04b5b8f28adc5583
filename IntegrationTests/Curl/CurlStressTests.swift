// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataTesting
import TestSupport
import Testing

/// Many calls at once, some cancelled, some broken: no answer goes to the wrong caller, and none is lost.
struct CurlStressTests {
    private enum Ending: Hashable {
        case right, cancelled, cut, wrong
    }

    private static let concurrency = 64

    /// One call, of a kind that its number chooses.
    private func call(_ number: Int, to server: NumberServer, on transport: CurlTransport) async -> Ending {
        var random = SeededGenerator(seed: UInt64(number))
        let size = [nil, nil, 1000, 100_000, 400_000][Int.random(in: 0..<5, using: &random)]
        let isCut = Int.random(in: 0..<20, using: &random) == 0
        let url = "\(server.url)/\(isCut ? "cut" : "number")/\(number)" + (size.map { "/\($0)" } ?? "")
        do {
            // Sanitizers on a busy machine are slow: only a call that hangs runs into a limit.
            let response = try await transport.send(
                .get, url, timeouts: Timeouts(connect: .seconds(60), idle: .seconds(60)))
            guard response.head.headerFields[HTTPField.Name("X-Number")!] == "\(number)" else { return .wrong }
            if Int.random(in: 0..<10, using: &random) == 0 { return .right }  // the body is dropped unread
            let body = try await response.body.collect()
            if isCut { return .wrong }
            guard let size else { return body == Data("\(number)".utf8) ? .right : .wrong }
            return body.count == size ? .right : .wrong
        } catch is CancellationError {
            return .cancelled
        } catch {
            if isCut, error.stage == .connectionLost { return .cut }
            Issue.record("call \(number): \(error)")
            return .wrong
        }
    }

    private func run(_ total: Int, cancelling: Bool, on transport: CurlTransport) async throws -> [Ending: Int] {
        let server = try NumberServer()
        defer { server.stop() }
        return await withTaskGroup(of: Ending.self) { group in
            var counts: [Ending: Int] = [:]
            for number in 0..<total {
                if number >= Self.concurrency, let ending = await group.next() { counts[ending, default: 0] += 1 }
                group.addTask {
                    let task = Task { await call(number, to: server, on: transport) }
                    if cancelling, number % 2 == 0 {
                        if number % 3 != 0 { try? await Task.sleep(for: .microseconds(number % 700)) }
                        task.cancel()
                    }
                    return await task.value
                }
            }
            for await ending in group { counts[ending, default: 0] += 1 }
            return counts
        }
    }

    @Test func givesEveryCallerItsOwnAnswer() async throws {
        try await withCurl { transport in
            let counts = try await run(3000, cancelling: false, on: transport)
            #expect(counts[.wrong] == nil)
            #expect(counts[.cancelled] == nil)
            #expect(counts.values.reduce(0, +) == 3000)
        }
    }

    @Test func survivesCancellationAtRandomMoments() async throws {
        try await withCurl { transport in
            let counts = try await run(4000, cancelling: true, on: transport)
            #expect(counts[.wrong] == nil)
            #expect((counts[.cancelled] ?? 0) > 0)
            #expect(counts.values.reduce(0, +) == 4000)
        }
    }

    /// Each loop may have one connection.
    @Test func spreadsOriginsOverItsLoops() async throws {
        let servers = try (0..<16).map { _ in try RawServer.start(script: [.readRequest, .hang]) }
        defer { for server in servers { server.stop() } }
        try await withCurl({ ($0.loops, $0.maximumConnections) = (3, 1) }) { transport in
            let calls = servers.map { server in Task { try await transport.text(.get, server.url) } }
            await eventually("one loop has all origins") { servers.count { !$0.log.requests.isEmpty } > 1 }
            for call in calls {
                call.cancel()
                _ = await call.result
            }
        }
    }

    @Test func keepsAnOriginWithOneLoop() async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "ok"))) { server in
            try await withCurl({ $0.loops = 3 }) { transport in
                for _ in 0..<10 { expectEqual(try await transport.text(.get, server.url), "ok") }
            }
            #expect(server.log.connectionCount == 1)
        }
    }

    @Test func shutsDownInTheMiddle() async throws {
        let server = try NumberServer()
        defer { server.stop() }
        for round in 0..<20 {
            let transport = CurlTransport(configuration: .direct)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        // Either answered, or told that the transport is gone; never left hanging.
                        do {
                            let response = try await transport.send(.get, "\(server.url)/number/\(number)/200000")
                            _ = try await response.body.collect()
                        } catch {
                            #expect(error.stage == .transportShutDown)
                        }
                    }
                }
                group.addTask {
                    try? await Task.sleep(for: .microseconds(round * 300))
                    await transport.shutdown()
                }
            }
        }
    }
}
