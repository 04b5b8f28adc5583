// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StrataTransportSupport

struct ResumptionTests {
    /// Waits, and goes on at once.
    private static func poolPriority(isolation: isolated (any Actor)? = #isolation) async throws -> UInt8? {
        var priority: UInt8?
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            let waiter = Waiter(continuation, isolation: isolation)
            priority = waiter.poolPriority
            waiter.resume(with: .success(()))
        }
        return priority
    }

    private actor Somebody {
        func poolPriority() async throws -> UInt8? { try await ResumptionTests.poolPriority() }
    }

    private final class OwnExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) { globalConcurrentExecutor.enqueue(UnownedJob(job)) }
    }

    @Test func aTaskOfThePoolHasAPriorityThere() async throws {
        let task = Task.detached(priority: .high) { try await Self.poolPriority() }
        #expect(try await task.value == TaskPriority.high.rawValue)
    }

    @Test func tasksOfActorsAndOfOtherExecutorsAreNotThePools() async throws {
        #expect(try await Task { @MainActor in try await Self.poolPriority() }.value == nil)
        #expect(try await Somebody().poolPriority() == nil)
        let task = Task.detached { [executor = OwnExecutor()] in
            try await withTaskExecutorPreference(executor) { try await Self.poolPriority() }
        }
        #expect(try await task.value == nil)
    }

    /// Resumptions of tasks that wait.
    private final class WaitingRoom: Sendable {
        private let resumptions = Mutex<[Resumption]>([])

        func add(_ resumption: Resumption) { resumptions.withLock { $0.append(resumption) } }

        func whenThere(are count: Int) async -> [Resumption] {
            await eventually { resumptions.withLock(\.count) >= count }
            return resumptions.withLock { $0 }
        }

        /// - Returns: the number, as it came with the piece.
        func wait(_ number: Int, isolation: isolated (any Actor)? = #isolation) async throws -> Int? {
            let piece = try await withUnsafeThrowingContinuation { continuation in
                add(.piece(Waiter(continuation, isolation: isolation), Data([UInt8(number)])))
            }
            return piece?.first.map(Int.init)
        }

        @MainActor func waitOnActor(_ number: Int) async throws -> Int? { try await wait(number) }
    }

    @Test(arguments: [0, 1, 2, 20], [0, 1, 2, 20])
    func eachIsResumedWithItsOwnPiece(inThePool pooled: Int, onAnActor isolated: Int) async throws {
        let room = WaitingRoom()
        let count = pooled + isolated
        var numbers: Set<Int> = []
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<pooled { group.addTask { try await room.wait(number) } }
            for number in pooled..<count { group.addTask { try await room.waitOnActor(number) } }
            var resumptions = await room.whenThere(are: count)
            Resumption.perform(&resumptions)
            #expect(resumptions.isEmpty)
            for try await number in group { numbers.insert(try #require(number)) }
        }
        #expect(numbers == Set(0..<count))
    }

    @Test func eachFailsWithItsOwnError() async throws {
        struct Failure: Error, Equatable { var number: Int }
        let room = WaitingRoom()
        let tasks = (0..<5).map { number in
            Task.detached {
                try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                    room.add(.failed(Waiter(continuation, isolation: nil), Failure(number: number)))
                }
            }
        }
        var resumptions = await room.whenThere(are: tasks.count)
        Resumption.perform(&resumptions)
        for (number, task) in tasks.enumerated() {
            await #expect(throws: Failure(number: number)) { try await task.value }
        }
    }
}
