// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import TestSupport
import Testing

@testable import StrataNative

/// Calls that are made on the thread of a loop.
@Suite(.timeLimit(.minutes(1)))
struct NativeLoopExecutorTests {
    private static let alive = RawScript.forever(.readRequest, .respond(body: "ok"))

    @Test func tasksThatNeverRestDoNotHoldUpCalls() async throws {
        try await RawServer.withServer(script: Self.alive) { server in
            try await withNative { transport in
                let isDone = Flag()
                let executor = transport.loopExecutors[0]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<200 {
                        group.addTask(executorPreference: executor) {
                            while !isDone.isSet { await Task.yield() }
                        }
                    }
                    group.addTask(executorPreference: executor) {
                        defer { isDone.set() }
                        for _ in 0..<20 { expectEqual(try await transport.text(.get, server.url), "ok") }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test func bytesThatNeverEndDoNotHoldUpTasks() async throws {
        let piece = String(repeating: "x", count: 60_000)
        let script: RawScript = [
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .repeat([.send(piece)]),
        ]
        try await RawServer.withServer(script: script) { server in
            try await withNative { transport in
                let executor = transport.loopExecutors[0]
                let url = server.url
                let downloads = (0..<4).map { _ in
                    Task(executorPreference: executor) {
                        for try await _ in try await transport.send(.get, url).body {}
                    }
                }
                let ticks = Task(executorPreference: executor) {
                    for _ in 0..<1000 { await Task.yield() }
                }
                await ticks.value
                for download in downloads {
                    download.cancel()
                    await #expect(throws: CancellationError.self) { try await download.value }
                }
            }
        }
    }

    @Test func callsStayWithTheLoopThatTheirTaskPrefers() async throws {
        try await RawServer.withServer(script: Self.alive) { server in
            try await withNative({ $0.loops = 4 }) { transport in
                let url = server.url
                for (index, executor) in transport.loopExecutors.enumerated() {
                    try await withTaskExecutorPreference(executor) {
                        for _ in 0..<3 { expectEqual(try await transport.text(.get, url), "ok") }
                    }
                    let open = transport.loopExecutors.map { ($0 as? NativeLoop)?.run { $0.openCount } }
                    #expect(open == Array(repeating: 1, count: index + 1) + Array(repeating: 0, count: 3 - index))
                }
            }
        }
    }
}
