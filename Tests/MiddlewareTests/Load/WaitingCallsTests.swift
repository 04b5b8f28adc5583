// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// What comes of calls that wait for a limit, when its line is full or their time is over.
struct WaitingCallsTests {
    /// A clock whose waits take longer than they should.
    private struct LateClock: NetworkClock {
        let base = VirtualClock()
        let late: Duration

        var now: Duration { base.now }
        var date: Date { base.date }
        func sleep(for duration: Duration) async throws { try await base.sleep(for: duration + late) }
    }

    // MARK: Rates

    @Test(arguments: [-1, 0, 1, 2]) func onlySoManyWaitForTheRate(_ most: Int) async throws {
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(5)), maxQueued: most)
        let client = makeClient(ScriptedTransport(), limit, clock: HoldingClock(VirtualClock()))
        _ = try await client.call()
        var waiting: [Task<TransportResponse, any Error>] = []
        while waiting.count < most {
            waiting.append(Task { try await client.call() })
            await eventually { limit.queued == waiting.count }
        }
        await #expect {
            _ = try await client.call()
        } throws: { error in
            isFailure(error, .rateLimited)
                && (error as? NetworkClientError)?.message
                    == "\(max(most, 0)) requests wait already for the rate limit"
        }
        for call in waiting {
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        #expect(limit.queued == 0 && limit.underWay == 0)
    }

    /// The limits of waiting, to the millisecond.
    @Test(arguments: [(3_999, false), (4_000, true), (4_001, true)])
    func aWaitIsAsLongAsIsAllowed(_ allowed: Int, _ isSent: Bool) async throws {
        let clock = VirtualClock()
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(4)), excess: .wait(upTo: .milliseconds(allowed)))
        let client = makeClient(ScriptedTransport(), limit, clock: clock)
        _ = try await client.call()
        let second = try? await client.call().head.status
        #expect(second == (isSent ? .ok : nil))
        #expect(clock.now == (isSent ? .seconds(4) : .zero))
    }

    @Test func whoseDeadlineHasPassedInTheLineIsNotSent() async throws {
        let clock = LateClock(late: .seconds(60))
        let transport = ScriptedTransport()
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(5)))
        let client = makeClient(transport, limit, clock: clock)
        _ = try await client.call()
        await #expect {
            _ = try await client.call { $0.timeouts.deadline = .seconds(30) }
        } throws: { error in
            let error = error as? NetworkClientError
            return error?.timeout == .deadline && error?.exchange?.waits.map(\.duration) == [.seconds(65)]
        }
        #expect(transport.requests.count == 1 && limit.queued == 0 && limit.underWay == 0)
        // It has left its token to the next.
        _ = try await client.call()
        #expect(clock.now == .seconds(65))
    }

    @Test func aServerThatIsIdleIsForgottenBeforeOthers() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            if request.path == "/held" { await gate.pass() }
            return .status(200)
        }
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(50)))
        let client = makeClient(transport, limit, clock: HoldingClock(VirtualClock()))
        let held = Task { try await client.call(.get, "https://held.example/held") }
        await gate.waitForArrivals(1)
        _ = try await client.call(.get, "https://waiting.example/")
        let waiting = Task { try await client.call(.get, "https://waiting.example/") }
        await eventually { limit.queued == 1 }
        _ = try await client.call(.get, "https://idle.example/")
        for number in 0..<2_000 { _ = try await client.call(.get, "https://h\(number).example/") }
        #expect(limit.queued == 1 && limit.underWay == 1)
        // The bucket of the one is full again; those of the others are as they were.
        _ = try await client.call(.get, "https://idle.example/")
        for host in ["held", "waiting"] {
            await #expect {
                _ = try await client.call(.get, "https://\(host).example/") { $0.timeouts.deadline = .seconds(1) }
            } throws: {
                isFailure($0, .rateLimited)
            }
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await gate.open()
        _ = try await held.value
        #expect(limit.queued == 0 && limit.underWay == 0)
    }

    // MARK: Slots

    @Test(arguments: [false, true]) func aSlotGoesToTheNextWhoseTimeIsNotOver(_ isAwaited: Bool) async throws {
        let (gate, base) = (Gate(), VirtualClock())
        let transport = ScriptedTransport(behind: gate)
        let limit = ConcurrencyLimitMiddleware(1)
        // Nothing wakes those who wait but a slot.
        let client = makeClient(transport, limit, clock: HoldingClock(base))
        let first = Task { try await client.call(.get, "/first") }
        await gate.waitForArrivals(1)
        var hasty: [Task<TransportResponse, any Error>] = []
        for number in 1...2 {
            hasty.append(Task { try await client.call(.get, "/hasty") { $0.timeouts.deadline = .seconds(5) } })
            await eventually { limit.queued == number }
        }
        let last = isAwaited ? Task { try await client.call(.get, "/last") } : nil
        await eventually { limit.queued == (isAwaited ? 3 : 2) }
        base.advance(by: .seconds(5))
        await gate.open()
        _ = try await first.value
        for call in hasty { await #expect { _ = try await call.value } throws: { isFailure($0, .timedOut) } }
        _ = try await last?.value
        #expect(transport.requests.map(\.target) == (isAwaited ? ["/first", "/last"] : ["/first"]))
        #expect(limit.underWay == 0 && limit.queued == 0)
        #expect(try await client.call().head.status == .ok)
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (2, 2)]) func asManyAreUnderWayAsMayBe(_ limit: Int, _ most: Int)
        async throws
    {
        let slots = ConcurrencyLimitMiddleware(limit, maxQueued: -1)
        let client = makeClient(ScriptedTransport(.pieces([Data("a".utf8)])), slots)
        var held: [TransportResponse] = []
        while held.count < most { held.append(try await client.call()) }
        await #expect {
            _ = try await client.call()
        } throws: { error in
            (error as? NetworkClientError)?.message == "\(most) exchanges are under way, and 0 calls wait already"
        }
        #expect(slots.underWay == most)
        held.removeAll()
        #expect(slots.underWay == 0)
    }

    /// The deadlines count from when a call begins, whatever the clock says then.
    @Test func theFirstDeadlineOfAllServersIsTheNext() async throws {
        let (gate, clock) = (Gate(), VirtualClock())
        clock.advance(by: .seconds(1000))
        let transport = ScriptedTransport(behind: gate)
        let limit = ConcurrencyLimitMiddleware(1)
        let client = makeClient(transport, limit, clock: clock)
        let held = ["a", "b"].map { host in Task { try await client.call(.get, "https://\(host).example/") } }
        await gate.waitForArrivals(2)
        var waiting: [Task<TransportResponse, any Error>] = []
        for (host, seconds) in [("a", 7), ("b", 3), ("a", 5)] {
            waiting.append(
                Task {
                    try await client.call(.get, "https://\(host).example/") { $0.timeouts.deadline = .seconds(seconds) }
                })
            await eventually { limit.queued == waiting.count }
        }
        for (index, (number, step)) in [(1, 3), (2, 2), (0, 2)].enumerated() {
            clock.advance(by: .seconds(step) - .milliseconds(1))
            #expect(limit.queued == 3 - index)
            clock.advance(by: .milliseconds(1))
            await #expect { _ = try await waiting[number].value } throws: { isFailure($0, .timedOut) }
        }
        await gate.open()
        for call in held { _ = try await call.value }
        #expect(limit.underWay == 0 && limit.queued == 0 && transport.requests.count == 2)
    }

    @Test func whoLeavesTakesNoOthersDeadlineAlong() async throws {
        let (gate, clock) = (Gate(), VirtualClock())
        let limit = ConcurrencyLimitMiddleware(1)
        let client = makeClient(ScriptedTransport(behind: gate), limit, clock: clock)
        let held = ["a", "b"].map { host in Task { try await client.call(.get, "https://\(host).example/") } }
        await gate.waitForArrivals(2)
        let waiting = ["a", "b"].map { host in
            Task { try await client.call(.get, "https://\(host).example/") { $0.timeouts.deadline = .seconds(5) } }
        }
        await eventually { limit.queued == 2 }
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[0].value }
        clock.advance(by: .seconds(5))
        await eventually { limit.queued == 0 }
        await #expect { _ = try await waiting[1].value } throws: { isFailure($0, .timedOut) }
        await gate.open()
        for call in held { _ = try await call.value }
    }

    @Test func whereNobodyWaitsThereIsNoAlarm() async throws {
        let (gate, clock) = (Gate(), HoldingClock(VirtualClock()))
        let limit = ConcurrencyLimitMiddleware(1)
        let client = makeClient(ScriptedTransport(behind: gate), limit, clock: clock)
        let held = Task { try await client.call() }
        await gate.waitForArrivals(1)
        let before = clock.sleepers
        let waiting = Task { try await client.call { $0.timeouts.deadline = .seconds(5) } }
        await eventually { limit.queued == 1 && clock.sleepers == before + 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await eventually { clock.sleepers == before }
        await gate.open()
        _ = try await held.value
    }

    @Test func withoutAnyLimitARequestIsCountedToo() async throws {
        let gate = Gate()
        let limit = RateLimitMiddleware()
        let client = makeClient(ScriptedTransport(behind: gate), limit)
        let calls = (0..<3).map { _ in Task { try await client.call() } }
        await gate.waitForArrivals(3)
        #expect(limit.underWay == 3 && limit.queued == 0)
        await gate.open()
        for call in calls { _ = try await call.value }
        #expect(limit.underWay == 0)
    }
}
