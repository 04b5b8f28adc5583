// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct ConcurrencyLimitMiddlewareTests {
    /// Begins calls one after the other, so that their order in the line is known.
    private func begin(
        _ count: Int, on client: NetworkClient, _ limit: ConcurrencyLimitMiddleware, from first: Int = 0
    ) async -> [Task<TransportResponse, any Error>] {
        var calls: [Task<TransportResponse, any Error>] = []
        for number in first..<(first + count) {
            let before = limit.underWay + limit.queued
            calls.append(Task { try await client.call(.get, "/\(number)") })
            await eventually { limit.underWay + limit.queued > before }
        }
        return calls
    }

    @Test func letsNoMoreThanSoManyThrough() async throws {
        let gate = Gate()
        let busy = Mutex((now: 0, most: 0))
        let transport = ScriptedTransport { _ in
            busy.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await gate.pass()
            busy.withLock { $0.now -= 1 }
            return .status(200)
        }
        let limit = ConcurrencyLimitMiddleware(3)
        let calls = await begin(10, on: makeClient(transport, limit), limit)
        #expect(limit.underWay == 3 && limit.queued == 7)
        await gate.open()
        for call in calls { #expect(try await call.value.head.status == .ok) }
        #expect(busy.withLock(\.most) == 3)
        #expect(limit.underWay == 0 && limit.queued == 0)
    }

    @Test func servesInTheOrderOfArrivalAlsoWhenSomeGiveUp() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(behind: gate)
        let limit = ConcurrencyLimitMiddleware(1)
        let calls = await begin(8, on: makeClient(transport, limit), limit)
        for given in [2, 3, 7] {
            calls[given].cancel()
            await #expect(throws: CancellationError.self) { try await calls[given].value }
        }
        #expect(limit.queued == 4)
        await gate.open()
        for (number, call) in calls.enumerated() where ![2, 3, 7].contains(number) { _ = try await call.value }
        #expect(transport.requests.map(\.target) == ["/0", "/1", "/4", "/5", "/6"])
        #expect(limit.underWay == 0 && limit.queued == 0)
    }

    @Test func failsAtOnceWhenTheLineIsFull() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(behind: gate)
        let clock = VirtualClock()
        let limit = ConcurrencyLimitMiddleware(1, maxQueued: 2)
        let client = makeClient(transport, RetryMiddleware(), limit, clock: clock)
        let calls = await begin(3, on: client, limit)
        await #expect {
            _ = try await client.call(.post)
        } throws: { error in
            let error = error as? NetworkClientError
            return error?.code == .concurrencyLimited && error?.isUnprocessed == true
                && error?.exchange?.attempts.isEmpty == true
                && error?.message == "1 exchanges are under way, and 2 calls wait already"
        }
        #expect(clock.sleeps.isEmpty)
        await gate.open()
        for call in calls { _ = try await call.value }
    }

    @Test func holdsTheSlotUntilTheBodyHasEnded() async throws {
        let limit = ConcurrencyLimitMiddleware(1)
        let transport = ScriptedTransport(.pieces([Data("a".utf8), Data("b".utf8)]))
        let client = makeClient(transport, limit)
        let first = try await client.call()
        #expect(limit.underWay == 1)
        let second = await begin(1, on: client, limit)[0]
        #expect(limit.queued == 1 && transport.requests.count == 1)
        #expect(try await first.body.collect() == Data("ab".utf8))
        let response = try await second.value
        #expect(limit.underWay == 1)
        response.body.cancel()
        #expect(limit.underWay == 0)
    }

    @Test func aResponseThatIsDroppedUnreadFreesItsSlot() async throws {
        let limit = ConcurrencyLimitMiddleware(1)
        let client = makeClient(ScriptedTransport(.pieces([Data("a".utf8)])), limit)
        for _ in 0..<3 { _ = try await client.call() }
        #expect(limit.underWay == 0)
    }

    /// At any moment at which the waiting call looks at the clock.
    @Test(arguments: 0..<12) func aSlotThatBecomesFreeMeanwhileIsTaken(_ reading: Int) async throws {
        let clock = ObservedClock()
        let limit = ConcurrencyLimitMiddleware(1)
        let client = makeClient(ScriptedTransport(.pieces([Data("a".utf8)])), limit, clock: clock)
        let first = Mutex<TransportResponse?>(try await client.call())
        clock.afterReadings(reading) { first.withLock { $0 = nil } }
        let second = Task { try await client.call().head.status }
        await eventually { limit.queued == 1 || limit.underWay == 0 || first.withLock { $0 == nil } }
        first.withLock { $0 = nil }
        #expect(try await second.value == .ok)
        #expect(limit.underWay == 0 && limit.queued == 0)
    }

    @Test func aBodyThatBreaksOffFreesItsSlot() async throws {
        let limit = ConcurrencyLimitMiddleware(1)
        let broken = ScriptedReply.pieces(
            [Data("a".utf8)], failure: NetworkClientError(.connectionLost, "lost"))
        let client = makeClient(ScriptedTransport(broken), limit)
        let response = try await client.call()
        await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
        #expect(limit.underWay == 0)
    }

    @Test func aReaderThatLeavesTheLoopFreesTheSlot() async throws {
        let limit = ConcurrencyLimitMiddleware(1)
        let source = HangingSource("a")
        let client = makeClient(ScriptedTransport(.source { source }), limit)
        let response = try await client.call()
        for try await _ in response.body { break }
        await eventually { limit.underWay == 0 }
        #expect(source.isCancelled)
    }

    @Test(arguments: [NetworkClientError.Code.connectionLost, .timedOut, .invalidRequest])
    func aFailureFreesTheSlot(code: NetworkClientError.Code) async throws {
        let limit = ConcurrencyLimitMiddleware(1)
        let client = makeClient(ScriptedTransport(.failure(code)), limit)
        for _ in 0..<3 { await #expect(throws: NetworkClientError.self) { try await client.call() } }
        #expect(limit.underWay == 0 && limit.queued == 0)
    }

    @Test func theWaitIsInTheRecord() async throws {
        let gate = Gate()
        let clock = VirtualClock()
        let transport = ScriptedTransport(behind: gate)
        let limit = ConcurrencyLimitMiddleware(1)
        let calls = await begin(2, on: makeClient(transport, limit, clock: clock), limit)
        clock.advance(by: .seconds(3))
        await gate.open()
        #expect(try await calls[0].value.exchange.waits.isEmpty)
        let record = try await calls[1].value.exchange
        #expect(record.waits.map(\.duration) == [.seconds(3)])
        #expect(record.waits.map(\.cause) == [.concurrencyLimit])
        #expect(record.description.contains("waited: 3 s for the concurrency limit"))
    }

    @Test func theDeadlinePassesInTheLineToo() async throws {
        let gate = Gate()
        let clock = VirtualClock()
        let transport = ScriptedTransport(behind: gate)
        let limit = ConcurrencyLimitMiddleware(1)
        let client = makeClient(transport, limit, clock: clock)
        let patient = await begin(1, on: client, limit)[0]
        let hasty = [5, 2].map { seconds in
            Task { try await client.call { $0.timeouts.deadline = .seconds(seconds) } }
        }
        await eventually { limit.queued == 2 }
        let last = await begin(1, on: client, limit, from: 9)[0]
        clock.advance(by: .seconds(2))
        await #expect {
            _ = try await hasty[1].value
        } throws: { error in
            let error = error as? NetworkClientError
            return error?.timeout == .deadline && error?.exchange?.waits.map(\.duration) == [.seconds(2)]
        }
        #expect(limit.queued == 2)
        clock.advance(by: .seconds(3))
        await #expect { _ = try await hasty[0].value } throws: { isFailure($0, .timedOut) }
        await gate.open()
        _ = try await patient.value
        _ = try await last.value
        #expect(transport.requests.map(\.target) == ["/0", "/9"])
        #expect(limit.underWay == 0 && limit.queued == 0)
    }

    @Test func aClockThatJumpsOverDeadlinesLetsTheOthersGoOn() async throws {
        let gate = Gate()
        let clock = VirtualClock()
        let transport = ScriptedTransport(behind: gate)
        let limit = ConcurrencyLimitMiddleware(1)
        let client = makeClient(transport, limit, clock: clock)
        let first = await begin(1, on: client, limit)[0]
        let overdue = Task { try await client.call { $0.timeouts.deadline = .seconds(1) } }
        await eventually { limit.queued == 1 }
        let last = await begin(1, on: client, limit, from: 9)[0]
        clock.advance(by: .seconds(86_400))
        await gate.open()
        await #expect { _ = try await overdue.value } throws: { isFailure($0, .timedOut) }
        _ = try await first.value
        _ = try await last.value
        #expect(limit.underWay == 0 && limit.queued == 0)
    }

    @Test func aCancelBeforeTheLineLeavesNothing() async throws {
        let gate = Gate()
        let transport = ScriptedTransport(behind: gate)
        let limit = ConcurrencyLimitMiddleware(1)
        let client = makeClient(transport, limit)
        let first = await begin(1, on: client, limit)[0]
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.call()
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(limit.queued == 0 && limit.underWay == 1)
        await gate.open()
        _ = try await first.value
        #expect(limit.underWay == 0)
    }

    @Test func originsAndKeysHaveSlotsOfTheirOwn() async throws {
        enum Tenant: RequestAttributeKey { static let defaultValue = "" }
        let hosts = ConcurrencyLimitMiddleware(1, maxQueued: 0)
        let tenants = ConcurrencyLimitMiddleware(1, per: .key { $0.options[Tenant.self] }, maxQueued: 0)
        let whole = ConcurrencyLimitMiddleware(1, per: .client, maxQueued: 0)
        let streaming = ScriptedTransport(.pieces([Data("a".utf8)]))

        let byHost = makeClient(streaming, hosts)
        let a = try await byHost.call(.get, "https://a.example/")
        let b = try await byHost.call(.get, "https://b.example/")
        await #expect { _ = try await byHost.call(.get, "https://A.example:443/") } throws: {
            isFailure($0, .concurrencyLimited)
        }
        let byTenant = makeClient(streaming, tenants)
        let x = try await byTenant.call { $0[Tenant.self] = "x" }
        let y = try await byTenant.call { $0[Tenant.self] = "y" }
        await #expect { _ = try await byTenant.call { $0[Tenant.self] = "x" } } throws: {
            isFailure($0, .concurrencyLimited)
        }
        let all = makeClient(streaming, whole)
        let one = try await all.call(.get, "https://a.example/")
        await #expect { _ = try await all.call(.get, "https://b.example/") } throws: {
            isFailure($0, .concurrencyLimited)
        }
        for response in [a, b, x, y, one] { response.body.cancel() }
        #expect(hosts.underWay + tenants.underWay + whole.underWay == 0)
    }

    @Test func copiesShareTheSlots() async throws {
        let limit = ConcurrencyLimitMiddleware(1, maxQueued: 0)
        let transport = ScriptedTransport(.pieces([Data("a".utf8)]))
        let held = try await makeClient(transport, limit).call()
        await #expect { _ = try await makeClient(transport, limit).call() } throws: {
            isFailure($0, .concurrencyLimited)
        }
        held.body.cancel()
        _ = try await makeClient(transport, limit).call()
    }

    @Test func manyOriginsLoseNoSlot() async throws {
        let limit = ConcurrencyLimitMiddleware(1, maxQueued: 0)
        let client = makeClient(ScriptedTransport(.pieces([Data("a".utf8)])), limit)
        let held = try await client.call(.get, "https://held.example/")
        for number in 0..<3000 { _ = try await client.call(.get, "https://h\(number).example/") }
        #expect(limit.underWay == 1)
        await #expect { _ = try await client.call(.get, "https://held.example/") } throws: {
            isFailure($0, .concurrencyLimited)
        }
        held.body.cancel()
        _ = try await client.call(.get, "https://held.example/")
    }

    @Test(arguments: [1] as [UInt64])
    func tenThousandCallsLeaveNoSlotBehind(seed: UInt64) async throws {
        let limit = ConcurrencyLimitMiddleware(7, maxQueued: .max)
        let transport = ScriptedTransport { request in
            if request.number % 3 == 0 { await Task.yield() }
            return request.number % 2 == 0 ? .status(200) : .pieces([Data("a".utf8), Data("b".utf8)])
        }
        let calls = ManyCalls(seed: seed, transport, limit, clock: VirtualClock())
        await calls.run { client, number in
            let response = try await client.call { options in
                if number % 5 == 0 { options.timeouts.deadline = .seconds(3600) }
            }
            if number % 7 != 0 { _ = try await response.body.collect() }
        }
        #expect(limit.underWay == 0 && limit.queued == 0)
        _ = try await calls.client.call()
    }
}

/// A clock that calls a function when it has been looked at so often.
private final class ObservedClock: NetworkClock {
    private let base = VirtualClock()
    private let state = Mutex<(left: Int, call: @Sendable () -> Void)>((.max, {}))

    func afterReadings(_ count: Int, _ call: @escaping @Sendable () -> Void) { state.withLock { $0 = (count, call) } }

    var now: Duration {
        let due = state.withLock { state in
            state.left -= 1
            return state.left == -1 ? state.call : nil
        }
        due?()
        return base.now
    }

    var date: Date { base.date }
    func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}
