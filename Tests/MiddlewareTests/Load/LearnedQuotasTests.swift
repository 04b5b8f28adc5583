// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataMiddleware

struct LearnedQuotasTests {
    private func quota(
        _ name: String = "a", limit: Int? = nil, left remaining: Int?, reset: Int, window: Int? = nil
    ) -> RateLimitFields.Quota {
        .init(
            name: name, limit: limit, remaining: remaining, reset: .seconds(reset), window: window.map { .seconds($0) })
    }

    private func quotas(after told: [RateLimitFields.Quota]..., at now: Duration = .zero) -> LearnedQuotas {
        told.reduce(into: LearnedQuotas()) { $0.learn($1, isRefused: false, sent: now, now: now) }
    }

    /// When those may be sent that wait, in seconds.
    private func times(_ quotas: LearnedQuotas, _ count: Int = 4, now: Duration = .zero) -> [Int64] {
        (0..<count).map { quotas.ready($0, now: now).components.seconds }
    }

    @Test func eachWindowHasItsLimit() {
        #expect(times(quotas(after: [quota(limit: 2, left: 1, reset: 10, window: 10)])) == [0, 10, 10, 20])
        #expect(times(quotas(after: [quota(limit: 1, left: 0, reset: 10, window: 5)])) == [10, 15, 20, 25])
        #expect(times(quotas(after: [quota(limit: 3, left: 0, reset: 4, window: 60)])) == [4, 4, 4, 64])
    }

    @Test func withoutALimitAllWaitForTheEnd() {
        #expect(times(quotas(after: [quota(left: 0, reset: 10)])) == [10, 10, 10, 10])
        #expect(times(quotas(after: [quota(limit: 0, left: 2, reset: 10)])) == [0, 0, 10, 10])
    }

    @Test func theLatestOfSeveralCounts() {
        let both = quotas(after: [quota("a", left: 1, reset: 10), quota("b", limit: 2, left: 0, reset: 3, window: 3)])
        #expect(times(both) == [3, 10, 10, 10])
    }

    /// The server rounds to seconds.
    @Test(arguments: [-2, -1, 0, 1, 2]) func inOneWindowTheLeastThatIsLeftCounts(_ later: Int) {
        let known = quotas(after: [quota(left: 1, reset: 10)], [quota(left: 3, reset: 10 + later)])
        let end = 10 + Int64(max(later, 0))
        let isSame = abs(later) <= 1
        #expect(times(known) == (isSame ? [0, end, end, end] : [0, 0, 0, 10 + Int64(later)]))
    }

    @Test func aWindowThatWasGuessedIsCorrected() {
        var known = quotas(after: [quota(limit: 2, left: 0, reset: 10, window: 10)])
        known.roll(to: .seconds(10))
        #expect(times(known, now: .seconds(10)) == [10, 10, 20, 20])
        known.take()
        #expect(times(known, now: .seconds(10)) == [10, 20, 20, 30])
        // Of the window that was guessed, from 10 to 20 s, the server says that three are left.
        known.learn(
            [quota(limit: 4, left: 3, reset: 10, window: 10)], isRefused: false, sent: .seconds(10), now: .seconds(10))
        #expect(times(known, now: .seconds(10)) == [10, 10, 10, 20])
    }

    /// Where the server names no window, it is as long as the longest rest of one.
    @Test func aWindowIsAsLongAsTheServerSaysOrHasShown() {
        func times(_ window: Int?) -> [Int64] {
            var known = quotas(after: [quota(limit: 1, left: 0, reset: 10)])
            known.learn(
                [quota(limit: 1, left: 0, reset: 5, window: window)], isRefused: false, sent: .seconds(5),
                now: .seconds(5))
            return self.times(known, 3, now: .seconds(5))
        }
        #expect(times(nil) == [10, 20, 30])
        #expect(times(7) == [10, 17, 24])
        #expect(times(20) == [10, 30, 50])
        // At least a second, and at most an hour.
        #expect(self.times(quotas(after: [quota(limit: 1, left: 0, reset: 1, window: 0)]), 3) == [1, 2, 3])
        #expect(self.times(quotas(after: [quota(limit: 1, left: 0, reset: 9, window: 9_999)]), 2) == [9, 3609])
        #expect(self.times(quotas(after: [quota(limit: 1, left: 0, reset: 9_999)]), 2) == [3600, 7200])
    }

    @Test func aWindowWithoutALimitIsForgottenAtItsEnd() {
        var known = quotas(after: [quota(left: 0, reset: 10)])
        known.roll(to: .milliseconds(9_999))
        #expect(!known.isEmpty)
        known.roll(to: .seconds(10))
        #expect(known.isEmpty)
    }

    @Test func eightQuotasAreKeptAndTheOldestIsForgotten() {
        var known = LearnedQuotas()
        for number in 1...8 {
            known.learn([quota("\(number)", left: 0, reset: 100 - number)], isRefused: false, sent: .zero, now: .zero)
        }
        #expect(times(known, 1) == [99])
        known.learn([quota("9", left: 0, reset: 1)], isRefused: false, sent: .zero, now: .zero)
        #expect(times(known, 1) == [98])
    }

    @Test func aTokenIsTakenBackInItsWindowAlone() {
        var known = quotas(after: [quota(left: 2, reset: 10)])
        let version = known.version
        known.take()
        known.putBack(takenIn: version)
        #expect(times(known) == [0, 0, 10, 10])
        known.take()
        known.learn([quota("b", left: 9, reset: 5)], isRefused: false, sent: .zero, now: .zero)
        known.putBack(takenIn: version)
        // The other quota was not known when it was taken.
        #expect(times(known) == [0, 0, 10, 10])
        let later = known.version
        known.take()
        known.roll(to: .seconds(10))
        known.putBack(takenIn: later)
        #expect(known.isEmpty)
    }

    /// The server has not counted them, whatever it has said since of others.
    @Test(arguments: [48, 30, 9, 5]) func tokensComeBackUpToWhatTheServerHasSaid(said: Int) {
        var known = quotas(after: [quota(limit: 50, left: 49, reset: 20)])
        let version = known.version
        for _ in 0..<40 { known.take() }
        known.learn([quota(limit: 50, left: said, reset: 19)], isRefused: false, sent: .zero, now: .seconds(1))
        // What is taken now, and given back, is told from what was taken before.
        let later = known.version
        known.take()
        known.putBack(takenIn: later)
        for _ in 0..<39 { known.putBack(takenIn: version) }
        var count = 0
        while known.ready(0, now: .seconds(1)) == .seconds(1), count < 100 {
            known.take()
            count += 1
        }
        #expect(count == said)
    }

    /// An answer that was overtaken says more than is left.
    @Test func tokensComeBackUpToTheLatestWord() {
        var known = quotas(after: [quota(limit: 50, left: 49, reset: 20)])
        let version = known.version
        for _ in 0..<10 { known.take() }
        known.learn([quota(limit: 50, left: 20, reset: 18)], isRefused: false, sent: .seconds(2), now: .seconds(2))
        known.learn([quota(limit: 50, left: 40, reset: 18)], isRefused: false, sent: .seconds(1), now: .seconds(2))
        for _ in 0..<9 { known.putBack(takenIn: version) }
        #expect(known.ready(19, now: .seconds(2)) == .seconds(2))
        #expect(known.ready(20, now: .seconds(2)) > .seconds(2))
    }

    @Test func aRefusalLeavesNothingOfAQuotaThatDoesNotSayOtherwise() {
        var known = LearnedQuotas()
        known.learn(
            [quota("a", left: nil, reset: 7), quota("b", left: 1, reset: 9)], isRefused: true, sent: .seconds(1),
            now: .seconds(1))
        #expect(times(known, now: .seconds(1)) == [8, 10, 10, 10])
        #expect(quotas(after: [quota("a", left: nil, reset: 7)]).isEmpty)
    }

    @Test func aBlockLastsTheLongestOfItsTimesAndAnHourAtMost() {
        var known = LearnedQuotas()
        known.block(for: .zero, now: .zero)
        #expect(known.isEmpty)
        known.block(for: .seconds(5), now: .zero)
        known.block(for: .seconds(2), now: .zero)
        #expect(times(known, 2) == [5, 5])
        known.block(for: .seconds(9_999), now: .zero)
        #expect(times(known, 1) == [3600])
        known.roll(to: .seconds(3600))
        #expect(known.isEmpty)
    }
}
