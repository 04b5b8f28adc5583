// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import TestSupport
import Testing

@testable import StrataNative

/// Tasks on the thread of a loop.
@Suite(.timeLimit(.minutes(10)))
struct LoopExecutorTests {
    private static func makeTransport() -> NativeTransport {
        NativeTransport(configuration: .init(), environment: { _ in nil })
    }

    private static func thread() -> UInt {
        withUnsafeBytes(of: pthread_self()) { $0.loadUnaligned(as: UInt.self) }
    }

    @Test func runsAllTasksOnOneThread() async {
        let transport = Self.makeTransport()
        let executor = transport.loopExecutors[0]
        let threads = await withTaskGroup(of: [UInt].self) { group in
            for _ in 0..<200 {
                group.addTask(executorPreference: executor) {
                    var threads = [Self.thread()]
                    for _ in 0..<5 {
                        await Task.yield()
                        threads.append(Self.thread())
                    }
                    return threads
                }
            }
            return await group.reduce(into: Set()) { $0.formUnion($1) }
        }
        #expect(threads.count == 1)
        await transport.shutdown()
    }

    @Test func oneThatNeverRestsDoesNotHoldUpTheOthers() async {
        let transport = Self.makeTransport()
        let isDone = Flag()
        let executor = transport.loopExecutors[0]
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask(executorPreference: executor) {
                    while !isDone.isSet { await Task.yield() }
                }
            }
            group.addTask(executorPreference: executor) {
                for _ in 0..<100 { await Task.yield() }
                isDone.set()
            }
        }
        await transport.shutdown()
    }

    @Test func tasksGoOnAfterTheShutdown() async {
        let transport = Self.makeTransport()
        let executor = transport.loopExecutors[0]
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let waiting = Task(executorPreference: executor) {
            var sum = 0
            for await number in stream { sum += number }
            return sum
        }
        continuation.yield(1)
        await transport.shutdown()
        continuation.yield(2)
        continuation.finish()
        #expect(await waiting.value == 3)
        #expect(await Task(executorPreference: executor) { 4 }.value == 4)
    }

    @Test func runsTasksOfATransportThatWasShutDownBeforeItBegan() async {
        let transport = Self.makeTransport()
        await transport.shutdown()
        #expect(await Task(executorPreference: transport.loopExecutors[0]) { 1 }.value == 1)
    }

    @Test func aTaskOnItShutsItDown() async {
        let transport = Self.makeTransport()
        let task = Task(executorPreference: transport.loopExecutors[0]) {
            await transport.shutdown()
            await Task.yield()
            return true
        }
        #expect(await task.value)
        await transport.shutdown()
    }

    @Test func theLoopIsThereUntilItsLastTaskHasEnded() async {
        var transport: NativeTransport? = Self.makeTransport()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task(executorPreference: transport?.loopExecutors[0]) {
            for await _ in stream {}
            return Self.thread()
        }
        weak let loop = transport?.loopExecutors[0] as? NativeLoop
        transport = nil
        #expect(loop != nil)
        continuation.finish()
        _ = await task.value
        // The task lets go of it a moment after its end.
        await eventually { loop == nil }
    }

    @Test func hasOneForEachLoop() async {
        var configuration = NativeTransport.Configuration()
        configuration.loops = 3
        let transport = NativeTransport(configuration: configuration, environment: { _ in nil })
        var threads: Set<UInt> = []
        for executor in transport.loopExecutors {
            threads.insert(await Task(executorPreference: executor) { Self.thread() }.value)
        }
        #expect(threads.count == 3)
        await transport.shutdown()
    }
}
