// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTesting
import Testing

@testable import StrataMiddleware

/// The order of those that wait, without anybody who serves them.
struct WaitingLineTests {
    private let clock = VirtualClock()

    /// Those who wait with these deadlines, in seconds from now. None of them holds a task.
    private func waiters(_ deadlines: Int?...) async throws -> [WaitingLine.Waiter] {
        var waiters: [WaitingLine.Waiter] = []
        for deadline in deadlines.map({ $0.map { Duration.seconds($0) } }) {
            try await withCheckedThrowingContinuation { continuation in
                waiters.append(
                    WaitingLine.Waiter(
                        continuation: continuation, call: CallContext(clock: clock, deadline: deadline),
                        started: clock.now, deadline: deadline))
                continuation.resume()
            }
        }
        return waiters
    }

    @Test func theNumbersOfTheLineAreItsOrder() async throws {
        let waiters = try await waiters(1, 2, 3, 4)
        var line = WaitingLine()
        #expect(line.isEmpty && line.count == 0)
        #expect(line.peek() == nil)
        #expect(line.popFirst() == nil)
        let numbers = waiters.map { _ in line.reserve() }
        #expect(line.isEmpty, "a place that nobody has taken")
        for index in [2, 0, 3] { line.add(waiters[index], at: numbers[index]) }
        #expect(line.count == 3 && !line.isEmpty)
        #expect(line.peek()?.deadline == .seconds(1))
        #expect(line.popFirst()?.waiter.deadline == .seconds(1))
        #expect(line.popFirst()?.waiter.deadline == .seconds(3))
        // One that came before them and was slow to line up.
        line.add(waiters[1], at: numbers[1])
        #expect(line.peek()?.deadline == .seconds(2))
        #expect(line.count == 2)
        #expect(line.popFirst()?.waiter.deadline == .seconds(2))
        #expect(line.remove(numbers[1]) == nil)
        #expect(line.remove(numbers[3])?.deadline == .seconds(4))
        #expect(line.isEmpty)
        #expect(line.popFirst() == nil)
    }

    @Test func whoLeavesIsAskedByItsPositionAmongThoseThatStay() async throws {
        let waiters = try await waiters(1, 2, 3, 4)
        var line = WaitingLine()
        for waiter in waiters { line.add(waiter, at: line.reserve()) }
        var asked: [Int] = []
        let gone = line.removeAll { waiter, position in
            asked.append(position)
            return waiter.deadline == .seconds(2) || waiter.deadline == .seconds(4)
        }
        #expect(asked == [0, 1, 1, 2])
        #expect(gone.map(\.deadline) == [.seconds(2), .seconds(4)])
        #expect(line.count == 2)
        #expect(line.popFirst()?.waiter.deadline == .seconds(1))
        #expect(line.popFirst()?.waiter.deadline == .seconds(3))
    }

    @Test func theFirstDeadlineIsTheMostUrgent() async throws {
        clock.advance(by: .seconds(100))
        let waiters = try await waiters(nil, 7, 5, 9)
        #expect(waiters.map(\.end) == [nil, .seconds(107), .seconds(105), .seconds(109)])
        var line = WaitingLine()
        line.add(waiters[0], at: line.reserve())
        #expect(line.mostUrgent == nil)
        for waiter in waiters.dropFirst() { line.add(waiter, at: line.reserve()) }
        #expect(line.mostUrgent?.end == .seconds(105))
        clock.advance(by: .milliseconds(4_999))
        #expect(waiters.map(\.isOverdue) == [false, false, false, false])
        // The moment stays the same while time passes.
        #expect(line.mostUrgent?.end == .seconds(105))
        clock.advance(by: .milliseconds(1))
        #expect(waiters.map(\.isOverdue) == [false, false, true, false])
    }
}
