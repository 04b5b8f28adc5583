// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

@testable import StrataStreaming

struct ReconnectionPolicyTests {
    @Test func waitsAsLongAsTheServerAsksButNeverBeyondADay() {
        let policy = ReconnectionPolicy.exact
        #expect(policy.delay(failures: 0, asked: nil) == .seconds(3))
        #expect(policy.delay(failures: 0, asked: .zero) == .zero)
        #expect(policy.delay(failures: 1, asked: .milliseconds(50)) == .milliseconds(50))
        #expect(policy.delay(failures: 0, asked: .seconds(3_600)) == .seconds(3_600))
        #expect(policy.delay(failures: 9, asked: .seconds(3_600)) == .seconds(3_600))
        #expect(policy.delay(failures: 0, asked: .milliseconds(Int64.max)) == .seconds(86_400))
        #expect(policy.delay(failures: 3, asked: nil, retryAfter: .seconds(999_999)) == .seconds(86_400))
    }

    @Test func doublesUpToTheMaximumHoweverOftenItFails() {
        var policy = ReconnectionPolicy.exact
        policy.initialDelay = .seconds(1)
        policy.maximumDelay = .seconds(30)
        let delays = (0...8).map { policy.delay(failures: $0, asked: nil) }
        #expect(delays == [1, 1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
        #expect(policy.delay(failures: .max, asked: nil) == .seconds(30))
    }

    @Test func aServerThatAsksForNoWaitIsNotHammered() {
        let policy = ReconnectionPolicy.exact
        #expect((0...3).map { policy.delay(failures: $0, asked: .zero) } == [0, 0, 200, 400].map { .milliseconds($0) })
    }

    @Test func theRandomPartOnlyLengthens() {
        var policy = ReconnectionPolicy()
        policy.initialDelay = .seconds(10)
        policy.jitter = 0.25
        for (random, delay) in [(0.0, 10.0), (0.5, 11.25), (1, 12.5), (-3, 10), (7, 12.5)] {
            policy.randomness = { random }
            #expect(policy.delay(failures: 0, asked: nil) == .seconds(delay))
        }
        policy.jitter = -1
        #expect(policy.delay(failures: 0, asked: nil) == .seconds(10))
        policy.jitter = .nan
        #expect(policy.delay(failures: 0, asked: nil) == .seconds(10))
    }

    @Test func drawsItsOwnRandomNumbersUnlessGivenOthers() {
        let policy = ReconnectionPolicy()
        let delays = Set((0..<50).map { _ in policy.delay(failures: 0, asked: nil) })
        #expect(delays.count > 1)
        #expect(delays.allSatisfy { $0 >= .seconds(3) && $0 <= .seconds(4.5) })
    }

    @Test func aFailureIsTransientWhenItMayPass() {
        var unreachableProxy = NetworkClientError(.proxyFailed, "")
        unreachableProxy.isUnprocessed = true
        let transient: [NetworkClientError] = [
            .init(.cannotConnect, ""), .init(.dnsFailed, ""), .init(.connectionLost, ""), .init(.protocolViolation, ""),
            unreachableProxy, .init(.contentEncodingFailed, ""),
            .timedOut(.idle), .timedOut(.connect), .timedOut(.attempt),
        ]
        let final: [any Error] = [
            NetworkClientError.timedOut(.deadline), NetworkClientError(.tlsFailed, ""),
            NetworkClientError(.bodyTooLarge, ""), NetworkClientError(.unacceptableStatus, ""), CancellationError(),
            NetworkClientError(.proxyFailed, "it refuses"),
        ]
        #expect(transient.allSatisfy { ReconnectionPolicy.isTransient($0) })
        #expect(!final.contains { ReconnectionPolicy.isTransient($0) })
    }

    @Test func aServerThatEndsEachConnectionAtOnceIsAskedLessAndLess() {
        let policy = ReconnectionPolicy.exact
        func delays(_ asked: Duration) -> [Duration] {
            (0...9).map { policy.delay(failures: 0, asked: asked, briefConnections: $0) }
        }
        #expect(delays(.zero) == [0, 0, 0, 0, 500, 1000, 2000, 3000, 3000, 3000].map { .milliseconds($0) })
        #expect(Array(delays(.milliseconds(20)).prefix(5)) == [20, 20, 20, 20, 500].map { .milliseconds($0) })
        #expect(Set(delays(.milliseconds(500))) == [.milliseconds(500)])
        #expect(policy.delay(failures: 0, asked: .zero, briefConnections: .max) == .seconds(3))
        // However short the shortest wait is to be.
        var hasty = policy
        hasty.minimumDelay = .microseconds(1)
        let waits = [4, 5, 6].map { hasty.delay(failures: 0, asked: .zero, briefConnections: $0) }
        #expect(waits == [1, 2, 4].map { .milliseconds($0) })
    }
}
