// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct QuickAnswersTests {
    @Test func eightInARowPromiseAnotherButForOneInThirtyTwo() {
        var answers = QuickAnswers()
        var promises: [Bool] = []
        for _ in 0..<65 {
            promises.append(answers.promiseAnother)
            answers.note(isQuick: true)
        }
        let without = promises.indices.filter { !promises[$0] }
        #expect(without == Array(0..<8) + [32, 64])
    }

    @Test(arguments: [true, false]) func aSlowOneOrCompanyEndsTheRow(isSlow: Bool) {
        var answers = QuickAnswers()
        for _ in 0..<20 { answers.note(isQuick: true) }
        #expect(answers.promiseAnother)
        if isSlow { answers.note(isQuick: false) } else { answers.end() }
        for _ in 0..<7 { answers.note(isQuick: true) }
        #expect(!answers.promiseAnother)
    }
}
