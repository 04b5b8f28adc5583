// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static let switching = RawScript.Step.switchProtocols(to: "echo/1")

    private static func expect<Result>(
        _ bench: RuleBench, _ code: NetworkClientError.Code, _ work: () async throws -> Result
    ) async throws -> NetworkClientError {
        do {
            _ = try await work()
        } catch let error as NetworkClientError {
            try bench.expect(error.code, is: code, "the code")
            return error
        }
        throw RuleViolation("it passed for success")
    }

    private static func expectCancelled<Result>(_ work: () async throws -> Result) async throws {
        do { _ = try await work() } catch is CancellationError { return }
        throw RuleViolation("it passed for success")
    }

    private static let ends: [TransportRule] = [
        channel(
            "the end of the server's side is the end of reading", [switching, .send("bye"), .closeOutput, .readToEnd]
        ) {
            bench, _, channel, server in
            try bench.expect(try await channel.text(9), is: "bye", "the bytes")
            for _ in 0..<3 { try bench.expect(try await channel.read(), is: nil, "what is read behind the end") }
            try await channel.write(Data("still here".utf8))
            try await server.wait { $0.received[1]?.suffix(10).elementsEqual("still here".utf8) == true }
        },
        channel(
            "a channel whose output is closed can still be read",
            [switching, .readUntilClosed, .send("all of it"), .close]
        ) { bench, _, channel, server in
            try await channel.write(Data("question".utf8))
            try await channel.closeOutput()
            try await channel.closeOutput()
            try bench.expect(try await channel.text(100), is: "all of it", "the bytes")
            try bench.expect(
                server.log.received[1]?.suffix(8).elementsEqual("question".utf8) == true, "the question is not there")
            _ = try await expect(bench, .invalidRequest) { try await channel.write(Data("more".utf8)) }
        },
        channel("a connection that is reset is lost", [switching, .send("half"), .wait(.milliseconds(50)), .reset]) {
            bench, _, channel, _ in
            _ = try await expect(bench, .connectionLost) { while try await channel.read() != nil {} }
        },
        channel(
            "what the server sends before it closes is not lost",
            [switching, .send([UInt8](repeating: 7, count: 300_000)), .close]
        ) {
            bench, _, channel, _ in
            try bench.expect(try await channel.text(400_000).utf8.count, is: 300_000, "the length")
            try bench.expect(try await channel.read(), is: nil, "what is read behind the end")
        },
        channel("close sends what was written", [switching, .readUntilClosed, .close]) { bench, _, channel, server in
            try await channel.write(Data(count: 200_000))
            await channel.close()
            try await server.wait { ($0.received[1]?.count ?? 0) > 200_000 }
            try await expectCancelled { try await channel.read() }
            try await expectCancelled { try await channel.write(Data("x".utf8)) }
        },
        channel(
            "close does not wait for a server that goes on",
            [switching, .repeat([.send([UInt8](repeating: 1, count: 65536))])]
        ) {
            bench, _, channel, server in
            await channel.close(within: .milliseconds(50))
            try await server.wait { $0.isClosedByPeer }
        },
    ]

    private static let cancels: [TransportRule] = [
        channel("a response that is dropped with its channel closes the connection", [switching, .readToEnd]) {
            bench, _, _, server in
            do {
                let response = try await bench.transport.send(
                    try bench.request(.init { $0.upgrade = "echo/1" }, to: server))
                try bench.expect(response.channel != nil, "there is no channel")
            }
            try await server.wait { $0.has(.closedByPeer, on: 2) || $0.has(.resetByPeer, on: 2) }
        },
        channel("cancelling the body closes the connection", [switching, .readToEnd]) { _, response, channel, server in
            response.body.cancel()
            try await server.wait { $0.isClosedByPeer }
            try await expectCancelled { try await channel.read() }
        },
        channel("cancelling a channel ends what waits", [switching, .readToEnd]) { _, _, channel, server in
            let read = Task(executorPreference: ThreadExecutor.shared) { try await channel.read() }
            try await Task.sleep(for: .milliseconds(50))
            channel.cancel()
            try await expectCancelled { try await read.value }
            try await server.wait { $0.isClosedByPeer }
        },
        channel(
            "a cancelled read takes nothing and leaves the channel open",
            [switching, .readBytes(1), .send("answer"), .readToEnd]
        ) {
            bench, _, channel, _ in
            let read = Task(executorPreference: ThreadExecutor.shared) { try await channel.read() }
            try await Task.sleep(for: .milliseconds(50))
            read.cancel()
            try await expectCancelled { try await read.value }
            try await channel.write(Data("?".utf8))
            try bench.expect(try await channel.text(6), is: "answer", "the bytes")
        },
        channel("a cancelled write ends the channel", [switching, .hang]) { _, _, channel, _ in
            let write = Task(executorPreference: ThreadExecutor.shared) {
                try await channel.write(Data(count: 64 << 20))
            }
            try await Task.sleep(for: .milliseconds(100))
            write.cancel()
            try await expectCancelled { try await write.value }
            try await expectCancelled { try await channel.read() }
        },
        TransportRule("a cancel while the upgrade is awaited ends the call", source: "contract", needs: .upgrades) {
            bench in
            let server = try RawServer.start(script: [.readRequest, .readToEnd])
            defer { server.stop() }
            let call = try await bench.begin(.init { $0.upgrade = "echo/1" }, with: server) { !$0.requests.isEmpty }
            call.cancel()
            try await expectCancelled { try await call.value }
            try await server.wait { $0.isClosedByPeer }
        },
        channel("the shutdown ends channels", [switching, .readToEnd]) { bench, _, channel, server in
            let read = Task(executorPreference: ThreadExecutor.shared) { try await channel.read() }
            try await Task.sleep(for: .milliseconds(50))
            await bench.transport.shutdown()
            _ = try await expect(bench, .transportShutDown) { try await read.value }
            try await server.wait { $0.isClosedByPeer }
        },
    ]

    private static let flow: [TransportRule] = [
        channel(
            "an unread channel holds its sender back", source: "contract",
            [switching, .repeat([.send([UInt8](repeating: 1, count: 1 << 20))], times: 64), .close]
        ) { bench, _, channel, server in
            try await Task.sleep(for: .milliseconds(500))
            try bench.expect(!server.log.has(.finished), "all of it was taken though nobody read it")
            var count = 0
            while let piece = try await channel.read() { count += piece.count }
            try bench.expect(count, is: 64 << 20, "the length")
        },
        channel("a server that reads nothing holds the writer back", source: "contract", [switching, .hang]) {
            bench, _, channel, _ in
            let written = Tally()
            let writing = Task(executorPreference: ThreadExecutor.shared) {
                for _ in 0..<64 {
                    try await channel.write(Data(count: 1 << 20))
                    written.add(1)
                }
            }
            try await Task.sleep(for: .milliseconds(500))
            try bench.expect(written.value < 64, "all of it was taken though nobody read it")
            channel.cancel()
            try await expectCancelled { try await writing.value }
        },
        channel("both directions go on beside each other", source: "contract", [switching, .echo]) {
            bench, _, channel, _ in
            // More than both ends' buffers hold: who only writes, or only reads, would stop.
            let count = 32
            async let written: Void = {
                for _ in 0..<count { try await channel.write(Data(count: 1 << 20)) }
                try await channel.closeOutput()
            }()
            var back = 0
            while let piece = try await channel.read() { back += piece.count }
            try await written
            try bench.expect(back, is: count << 20, "the length")
        },
        channel("what two tasks write stays apart", source: "contract", [switching, .readUntilClosed, .close]) {
            bench, _, channel, server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for letter in "abcd".utf8 {
                    group.addTask { try await channel.write(Data(repeating: letter, count: 200_000)) }
                }
                try await group.waitForAll()
            }
            await channel.close()
            try await server.wait { ($0.received[1]?.count ?? 0) > 800_000 }
            let bytes = server.log.received[1]?.suffix(800_000) ?? []
            let changes = zip(bytes, bytes.dropFirst()).count { $0 != $1 }
            try bench.expect(changes, is: 3, "how often the letter changes")
        },
        channel(
            "the attempt's limit ends a channel", source: "contract", [switching, .readToEnd],
            options: { $0.timeouts.attempt = .seconds(1) }
        ) {
            bench, _, channel, server in
            let error = try await expect(bench, .timedOut) { try await channel.read() }
            try bench.expect(error.timeout, is: .attempt, "the timeout")
            try await server.wait { $0.isClosedByPeer }
        },
        channel(
            "silence ends a read", source: "contract", [switching, .readToEnd],
            options: { $0.timeouts.idle = .milliseconds(200) }
        ) {
            bench, _, channel, _ in
            let error = try await expect(bench, .timedOut) { try await channel.read() }
            try bench.expect(error.timeout, is: .idle, "the timeout")
        },
    ]

    static let upgradedConnections: [TransportRule] = ends + cancels + flow
}
