// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// What a drain does to calls that wait in a layer, where no transport ends them.
struct DrainedWaitsTests {
    private enum Wait: CaseIterable {
        case slots, rate, retry, retryAfterError

        func layers(_ slots: ConcurrencyLimitMiddleware, _ rate: RateLimitMiddleware) -> [any NetworkMiddleware] {
            switch self {
            case .slots: [slots]
            case .rate: [rate]
            case .retry: [RetryMiddleware(backoff: .constant(.seconds(1000)))]
            case .retryAfterError: [RetryMiddleware(backoff: .constant(.seconds(1000))), RetryAfterMiddleware()]
            }
        }
    }

    @Test(arguments: Wait.allCases) private func aWaitEndsWithTheTimeForTheDrain(wait: Wait) async throws {
        let (gate, clock) = (Gate(), HoldingClock(VirtualClock()))
        let transport = ScriptedTransport { request in
            if request.path == "/held" { await gate.pass() }
            return .status(request.path == "/held" ? 200 : 503)
        }
        let slots = ConcurrencyLimitMiddleware(1)
        let rate = RateLimitMiddleware(.requests(1, per: .seconds(1000)), excess: .wait(upTo: .seconds(5000)))
        let client = makeClient(transport, clock: clock) { $0.middleware += wait.layers(slots, rate) }
        let held = Task { try await client.call(.get, "/held") }
        await gate.waitForArrivals(1)
        let waiting = Task { try await client.call(.get, "/waiting") }
        await eventually { slots.queued + rate.queued + clock.sleepers > 0 }
        let draining = Task { await client.drain(within: .zero) }
        await #expect {
            _ = try await waiting.value
        } throws: {
            isFailure($0, .transportShutDown)
        }
        await gate.open()
        _ = await held.result
        await draining.value
        #expect(slots.queued == 0 && rate.queued == 0 && rate.underWay == 0)
        #expect(clock.sleepers == 0)
    }

    /// The caller's cancel stays one, and no drain.
    @Test func aCancelStaysACancel() async throws {
        let clock = HoldingClock(VirtualClock())
        let client = makeClient(
            ScriptedTransport(.status(503)), RetryMiddleware(backoff: .constant(.seconds(1000))), clock: clock)
        let call = Task { try await client.call() }
        await eventually { clock.sleepers == 1 }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(clock.sleepers == 0)
    }
}
