// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct TaskTurnTests {
    @Test func isOverAgainAndAgainAfterTheSameWork() {
        var turn = TaskTurn()
        let ends = (1...400).filter { _ in turn.isOver() }
        #expect(ends == [128, 256, 384])
    }

    @Test func workOfSeveralStepsCountsAsMany() {
        var turn = TaskTurn()
        #expect((1...20).filter { _ in turn.isOver(after: 16) } == [8, 16])
        let isOver = turn.isOver(after: 1000)
        #expect(isOver)
    }
}
