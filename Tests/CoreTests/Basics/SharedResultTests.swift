// SPDX-License-Identifier: Apache-2.0

import StrataCore
import TestSupport
import Testing

struct SharedResultTests {
    @Test func allWhoWaitGetTheFirstResult() async throws {
        let shared = SharedResult<Int>()
        let waiting = (0..<5).map { _ in Task { try await shared.value() } }
        await Task.yield()
        shared.finish(.success(1))
        shared.finish(.success(2))
        shared.finish(.failure(CancellationError()))
        for task in waiting { #expect(try await task.value == 1) }
        #expect(try await shared.value() == 1)
        #expect(try await shared.value(within: .seconds(100_000)) == 1)
    }

    @Test func anErrorIsAResult() async {
        let shared = SharedResult<Int>()
        let waiting = Task { try await shared.value() }
        await Task.yield()
        shared.finish(.failure(NetworkClientError(.dnsFailed, "x")))
        for _ in 0..<2 {
            await #expect {
                try await shared.value()
            } throws: {
                isFailure($0, .dnsFailed)
            }
        }
        await #expect(throws: NetworkClientError.self) { try await waiting.value }
    }

    @Test func whoIsCancelledLeavesAlone() async throws {
        let shared = SharedResult<Int>()
        let (one, other) = (Task { try await shared.value() }, Task { try await shared.value() })
        await Task.yield()
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        shared.finish(.success(3))
        #expect(try await other.value == 3)
    }

    @Test(arguments: [Duration.zero, .milliseconds(1)])
    func theWaitMayHaveALimit(limit: Duration) async {
        let error = await #expect(throws: NetworkClientError.self) {
            try await SharedResult<Int>().value(within: limit)
        }
        #expect(error?.code == .timedOut && error?.timeout == .deadline)
    }

    // MARK: One by one

    @Test func aTurnstileLetsOneThroughAtATimeInOrder() async throws {
        let turnstile = Turnstile()
        let log = Log()
        let (isFirstInside, goesOn) = (Flag(), Flag())
        let first = Task {
            try await turnstile.pass {
                isFirstInside.set()
                await eventually { goesOn.isSet }
                await log.add("first")
            }
        }
        await eventually { isFirstInside.isSet }
        let others = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await turnstile.pass {
                            await log.add("in")
                            await Task.yield()
                            await log.add("out")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        await Task.yield()
        goesOn.set()
        try await first.value
        try await others.value
        let lines = await log.lines
        #expect(lines == ["first"] + (0..<20).flatMap { _ in ["in", "out"] })
    }

    @Test func whoFailsOrLeavesKeepsNobodyFromATurnstile() async throws {
        let turnstile = Turnstile()
        await #expect(throws: NetworkClientError.self) {
            try await turnstile.pass { throw NetworkClientError(.foreign, "x") }
        }
        let (isInside, goesOn) = (Flag(), Flag())
        let first = Task {
            try await turnstile.pass {
                isInside.set()
                await eventually { goesOn.isSet }
                return 1
            }
        }
        await eventually { isInside.isSet }
        let leaving = Task { try await turnstile.pass { 2 } }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        let last = Task {
            try await turnstile.pass {
                #expect(goesOn.isSet)
                return 3
            }
        }
        await Task.yield()
        goesOn.set()
        #expect(try await first.value == 1)
        #expect(try await last.value == 3)
    }
}
