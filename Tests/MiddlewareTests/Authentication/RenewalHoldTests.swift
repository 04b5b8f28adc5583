// SPDX-License-Identifier: Apache-2.0

import Foundation
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// For how long a failed renewal is not tried again.
struct RenewalHoldTests {
    private struct Failed: Error {}

    /// Fails as often as it is told to, and gives a credential for ten seconds then.
    private final class Source: Sendable {
        let clock: VirtualClock
        private let state = Mutex((asked: 0, failures: Int.max))

        init(_ clock: VirtualClock) { self.clock = clock }

        var asked: Int { state.withLock(\.asked) }

        func fail(_ times: Int) { state.withLock { $0.failures = times } }

        func credential() throws -> Credential {
            try state.withLock { state in
                state.asked += 1
                guard state.failures == 0 else {
                    state.failures -= 1
                    throw Failed()
                }
            }
            return Credential(token: Secret.freshToken, expiry: clock.date.addingTimeInterval(10))
        }
    }

    private let clock = VirtualClock()

    /// A failed attempt is under hold for `seconds`, and not longer.
    private func expectHold(_ seconds: Double, _ source: Source, _ client: NetworkClient) async throws {
        let asked = source.asked
        await #expect(throws: Failed.self) { _ = try await client.call() }
        clock.advance(by: .seconds(seconds) - .milliseconds(1))
        await #expect(throws: Failed.self) { _ = try await client.call() }
        #expect(source.asked == asked + 1)
        clock.advance(by: .milliseconds(1))
    }

    @Test func doublesWithEachFailureUpToAMinuteUntilOneSucceeds() async throws {
        let source = Source(clock)
        let store = CredentialStore(failureInterval: .seconds(1)) { _ in try source.credential() }
        let client = makeClient(ScriptedTransport(), BearerAuthMiddleware(store), clock: clock)
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] as [Double] { try await expectHold(seconds, source, client) }
        source.fail(0)
        _ = try await client.call()
        clock.advance(by: .seconds(10))
        source.fail(.max)
        try await expectHold(1, source, client)
        try await expectHold(2, source, client)
    }

    /// The source was not asked: a limit or a breaker of the client's own has kept its request back.
    @Test(arguments: [NetworkClientError.Code.circuitOpen, .rateLimited, .concurrencyLimited])
    func doesNotBeginWithARefusalOfTheClient(code: NetworkClientError.Code) async throws {
        let isRefused = Mutex(true)
        let store = CredentialStore(failureInterval: .seconds(60)) { _ in
            if isRefused.withLock({ $0 }) { throw NetworkClientError(code, "refused") }
            return Credential(token: Secret.freshToken)
        }
        let client = makeClient(ScriptedTransport(), BearerAuthMiddleware(store), clock: clock)
        for _ in 0..<3 { await #expect { _ = try await client.call() } throws: { isFailure($0, code) } }
        isRefused.withLock { $0 = false }
        #expect(try await client.call().head.status == .ok)
    }

    /// A limit has kept the second attempt back, and the first was answered.
    @Test func beginsWhenTheSourceWasAskedBeforeTheRefusal() async throws {
        let asked = Mutex(0)
        let store = CredentialStore(failureInterval: .seconds(60)) { _ in
            asked.withLock { $0 += 1 }
            var error = NetworkClientError(.rateLimited, "refused")
            error.isUnprocessed = false
            throw error
        }
        let client = makeClient(ScriptedTransport(), BearerAuthMiddleware(store), clock: clock)
        for _ in 0..<3 { await #expect { _ = try await client.call() } throws: { isFailure($0, .rateLimited) } }
        #expect(asked.withLock { $0 } == 1)
    }

    @Test func isNeverShorterThanTheIntervalThatWasAskedFor() async throws {
        let source = Source(clock)
        let store = CredentialStore(failureInterval: .seconds(90)) { _ in try source.credential() }
        let client = makeClient(ScriptedTransport(), BearerAuthMiddleware(store), clock: clock)
        for _ in 0..<3 { try await expectHold(90, source, client) }
    }
}
