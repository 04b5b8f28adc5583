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

struct RateLimitMiddlewareTests {
    /// When requests arrive, by the clock.
    private final class Arrivals: Sendable {
        private let times = Mutex<[Duration]>([])
        var all: [Duration] { times.withLock { $0 } }

        func transport(
            _ clock: VirtualClock, _ reply: @escaping @Sendable (Int) -> ScriptedReply = { _ in .status(200) }
        ) -> ScriptedTransport {
            ScriptedTransport { request in
                self.times.withLock { $0.append(clock.now) }
                return reply(request.number)
            }
        }
    }

    private func reply(_ fields: KeyValuePairs<String, String>, status: Int = 200) -> ScriptedReply {
        var head = HTTPFields()
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { head.append(HTTPField(name: name, value: value)) }
        }
        return .status(status, fields: head)
    }

    @Test func spacesRequestsByTheRate() async throws {
        let clock = VirtualClock()
        let arrivals = Arrivals()
        let limit = RateLimitMiddleware(.requests(2, per: .seconds(1)))
        let client = makeClient(arrivals.transport(clock), limit, clock: clock)
        for _ in 0..<6 { _ = try await client.call() }
        #expect(arrivals.all == [.zero, .zero, .milliseconds(500), .seconds(1), .milliseconds(1500), .seconds(2)])
        clock.advance(by: .seconds(60))
        for _ in 0..<3 { _ = try await client.call() }
        #expect(arrivals.all.suffix(3) == [.seconds(62), .seconds(62), .milliseconds(62_500)])
        #expect(limit.underWay == 0 && limit.queued == 0)
    }

    @Test func aBurstMayBeSmallerThanTheRate() async throws {
        let clock = VirtualClock()
        let arrivals = Arrivals()
        let limit = RateLimitMiddleware(.requests(10, per: .seconds(10), burst: 1))
        let client = makeClient(arrivals.transport(clock), limit, clock: clock)
        for _ in 0..<3 { _ = try await client.call() }
        #expect(arrivals.all == [.zero, .seconds(1), .seconds(2)])
    }

    @Test func theWaitIsInTheRecord() async throws {
        let clock = VirtualClock()
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(4)))
        let client = makeClient(ScriptedTransport(), limit, clock: clock)
        #expect(try await client.call().exchange.waits.isEmpty)
        let record = try await client.call().exchange
        #expect(record.waits.map(\.duration) == [.seconds(4)] && record.waits.map(\.cause) == [.rateLimit])
        #expect(clock.sleeps == [.seconds(4)])
    }

    @Test func failsInsteadOfWaitingWhenAskedTo() async throws {
        let clock = VirtualClock()
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(4)), excess: .fail)
        let client = makeClient(ScriptedTransport(), RetryMiddleware(), limit, clock: clock)
        _ = try await client.call()
        await #expect {
            _ = try await client.call()
        } throws: { error in
            let error = error as? NetworkClientError
            return error?.code == .rateLimited && error?.isUnprocessed == true
                && error?.exchange?.attempts.isEmpty == true
        }
        #expect(clock.sleeps.isEmpty)
        clock.advance(by: .seconds(4))
        _ = try await client.call()
    }

    @Test func waitsNoLongerThanIsAllowedOrTheDeadline() async throws {
        let clock = VirtualClock()
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(40)), excess: .wait(upTo: .seconds(60)))
        let client = makeClient(ScriptedTransport(), limit, clock: clock)
        _ = try await client.call()
        await #expect { _ = try await client.call { $0.timeouts.deadline = .seconds(40) } } throws: {
            isFailure($0, .rateLimited) && "\($0)".contains("does not fit in the deadline")
        }
        _ = try await client.call { $0.timeouts.deadline = .seconds(41) }
        #expect(clock.now == .seconds(40))
        let slow = RateLimitMiddleware(.requests(1, per: .seconds(70)), excess: .wait(upTo: .seconds(60)))
        let other = makeClient(ScriptedTransport(), slow, clock: clock)
        _ = try await other.call()
        await #expect { _ = try await other.call { $0.timeouts.deadline = .seconds(5) } } throws: {
            isFailure($0, .rateLimited) && "\($0)".contains("60 s are allowed")
        }
    }

    @Test func aCancelledRequestGivesItsTokenBack() async throws {
        let clock = VirtualClock()
        let arrivals = Arrivals()
        let gate = Gate()
        let transport = arrivals.transport(clock)
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(10)))
        let client = makeClient(
            transport, limit,
            InterceptorMiddleware { request, next in
                if request.head.path == "/held" { await gate.pass() }
                try Task.checkCancellation()
                return try await next(request)
            }, clock: clock)
        let held = Task { try await client.call(.get, "/held") }
        await eventually { limit.underWay == 1 }
        held.cancel()
        await gate.open()
        await #expect(throws: CancellationError.self) { try await held.value }
        _ = try await client.call()
        #expect(arrivals.all == [.zero] && clock.sleeps.isEmpty)
    }

    @Test func aTokenThatTimeHasMadeUpForIsNotGivenBackToo() async throws {
        let clock = VirtualClock()
        let arrivals = Arrivals()
        let gate = Gate()
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(10)))
        let client = makeClient(
            arrivals.transport(clock), limit,
            InterceptorMiddleware { request, next in
                if request.head.path == "/held" { await gate.pass() }
                try Task.checkCancellation()
                return try await next(request)
            }, clock: clock)
        let held = Task { try await client.call(.get, "/held") }
        await gate.waitForArrivals(1)
        clock.advance(by: .seconds(10))
        _ = try await client.call()
        held.cancel()
        await gate.open()
        await #expect(throws: CancellationError.self) { try await held.value }
        _ = try await client.call()
        #expect(arrivals.all == [.seconds(10), .seconds(20)])
    }

    @Test func learnsFromEachNotation() async throws {
        let start = 1_767_225_600
        let notations: [KeyValuePairs<String, String>] = [
            ["RateLimit-Policy": #""d";q=2;w=30"#, "RateLimit": #""d";r=0;t=7"#],
            ["RateLimit": "limit=2, remaining=0, reset=7"],
            ["RateLimit-Limit": "2", "RateLimit-Remaining": "0", "RateLimit-Reset": "7"],
            ["X-RateLimit-Limit": "2", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "7"],
            ["X-RateLimit-Limit": "2", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "\(start + 7)"],
            ["x-rate-limit-limit": "2", "x-rate-limit-remaining": "0", "x-rate-limit-reset": "\(start + 7)000"],
            ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "Thu, 01 Jan 2026 00:00:07 GMT"],
        ]
        for notation in notations {
            let clock = VirtualClock()
            let arrivals = Arrivals()
            let told = reply(notation)
            let client = makeClient(arrivals.transport(clock) { _ in told }, RateLimitMiddleware(), clock: clock)
            for _ in 0..<2 { _ = try await client.call() }
            #expect(arrivals.all == [.zero, .seconds(7)], "\(notation)")
        }
    }

    @Test func countsDownWhatIsLeft() async throws {
        let clock = VirtualClock()
        let arrivals = Arrivals()
        let told = reply(["X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "2", "X-RateLimit-Reset": "10"])
        let transport = arrivals.transport(clock) { $0 == 0 ? told : .status(200) }
        let client = makeClient(transport, RateLimitMiddleware(), clock: clock)
        for _ in 0..<4 { _ = try await client.call() }
        #expect(arrivals.all == [.zero, .zero, .zero, .seconds(10)])
    }

    @Test func aWindowThatIsOverBeginsAnew() async throws {
        let clock = VirtualClock()
        let arrivals = Arrivals()
        let told = reply(["RateLimit-Policy": #""m";q=3;w=60"#, "RateLimit": #""m";r=0;t=20"#])
        let transport = arrivals.transport(clock) { $0 == 0 ? told : .status(200) }
        let client = makeClient(transport, RateLimitMiddleware(), clock: clock)
        for _ in 0..<5 { _ = try await client.call { $0.timeouts.deadline = nil } }
        // Three in the next window, of which the server has said nothing; then it is forgotten.
        #expect(arrivals.all == [.zero, .seconds(20), .seconds(20), .seconds(20), .seconds(80)])
        _ = try await client.call()
        #expect(arrivals.all.last == .seconds(80))
    }

    @Test func followsTheRetryAfterOfARefusal() async throws {
        for status in [429, 503] {
            let clock = VirtualClock()
            let arrivals = Arrivals()
            let told = ScriptedReply.status(status, retryAfter: 9)
            let transport = arrivals.transport(clock) { $0 == 0 ? told : .status(200) }
            let client = makeClient(transport, RateLimitMiddleware(), clock: clock)
            _ = try await client.call()
            _ = try await client.call()
            #expect(arrivals.all == [.zero, .seconds(9)])
        }
        let clock = VirtualClock()
        let client = makeClient(
            ScriptedTransport(.status(200, retryAfter: 9), .status(200)), RateLimitMiddleware(), clock: clock)
        for _ in 0..<2 { _ = try await client.call() }
        #expect(clock.sleeps.isEmpty)
    }

    @Test func aRefusalWithAResetAloneLeavesNothing() async throws {
        let clock = VirtualClock()
        let arrivals = Arrivals()
        let told = reply(["X-RateLimit-Reset": "5"], status: 429)
        let transport = arrivals.transport(clock) { $0 == 0 ? told : .status(200) }
        let client = makeClient(transport, RateLimitMiddleware(), clock: clock)
        for _ in 0..<2 { _ = try await client.call() }
        #expect(arrivals.all == [.zero, .seconds(5)])
    }

    @Test(arguments: [(60, nil, "60 s are allowed"), (1000, 100, "does not fit in the deadline")])
    func oneCallLearnsForThoseThatWaitAlready(maximum: Int, deadline: Int?, reason: String) async throws {
        let clock = VirtualClock()
        let gate = Gate()
        let refusal = ScriptedReply.status(429, retryAfter: 600)
        let transport = ScriptedTransport { request in
            if request.number == 0 { await gate.pass() }
            return request.number == 0 ? refusal : .status(200)
        }
        // The one that waits is held at the clock's sleep by the gate of the transport: it has asked for 30 s.
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(30)), excess: .wait(upTo: .seconds(maximum)))
        let held = HoldingClock(clock)
        let client = makeClient(transport, limit, clock: held)
        let first = Task { try await client.call() }
        await eventually { limit.underWay == 1 }
        let second = Task {
            try await client.call { $0.timeouts.deadline = deadline.map { .seconds($0) } }
        }
        await eventually { limit.queued == 1 }
        await gate.open()
        _ = try await first.value
        await #expect { _ = try await second.value } throws: { error in
            isFailure(error, .rateLimited) && "\(error)".contains(reason)
        }
        #expect(limit.queued == 0 && limit.underWay == 0)
    }

    @Test func whatALessonLeavesInTimeGoesOnWaiting() async throws {
        let gate = Gate()
        let plenty = reply(["RateLimit": #""a";r=100;t=60"#])
        let transport = ScriptedTransport { request in
            if request.number == 0 { await gate.pass() }
            return plenty
        }
        // The one that waits is the next after 30 s, and would be too late as the one after that.
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(30)), excess: .wait(upTo: .seconds(45)))
        let clock = VirtualClock()
        clock.advance(by: .seconds(1000))
        let client = makeClient(transport, limit, clock: HoldingClock(clock))
        let first = Task { try await client.call() }
        await gate.waitForArrivals(1)
        let second = Task { try await client.call() }
        await eventually { limit.queued == 1 }
        await gate.open()
        _ = try await first.value
        #expect(limit.queued == 1)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
    }

    @Test func aLessonIsForEachThatWaitsByItsPlace() async throws {
        let (gate, clock) = (Gate(), HoldingClock(VirtualClock()))
        let nothing = reply(["RateLimit": #""a";r=0;t=5"#])
        let oneMore = reply(["RateLimit-Policy": #""a";q=2;w=10"#, "RateLimit": #""a";r=1;t=10"#])
        let transport = ScriptedTransport { request in
            guard request.path == "/late" else { return nothing }
            await gate.pass()
            return oneMore
        }
        let limit = RateLimitMiddleware(excess: .wait(upTo: .seconds(15)))
        let client = makeClient(transport, limit, clock: clock)
        let late = Task { try await client.call(.get, "/late") }
        await gate.waitForArrivals(1)
        _ = try await client.call()
        var waiting: [Task<TransportResponse, any Error>] = []
        for number in 1...2 {
            waiting.append(Task { try await client.call() })
            await eventually { limit.queued == number }
        }
        await eventually { clock.sleepers == 1 }
        await gate.open()
        // Of the two that wait, the one may go at once, and the other is the first of the next window, in 10 s.
        _ = try await late.value
        _ = try await waiting[0].value
        #expect(limit.queued == 1)
        waiting[1].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[1].value }
        // Nobody waits, and no alarm either.
        await eventually { clock.sleepers == 0 }
    }

    @Test func noServerIsBelievedForLongerThanAnHour() async throws {
        for fields: KeyValuePairs in [
            ["Retry-After": "999999999"], ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "999999999"],
            ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9999999999"],
            ["RateLimit": #""a";r=0;t=999999999999999"#],
        ] {
            let clock = VirtualClock()
            let told = reply(fields, status: 429)
            let client = makeClient(ScriptedTransport(told, .status(200)), RateLimitMiddleware(), clock: clock)
            _ = try await client.call()
            await #expect { _ = try await client.call() } throws: { isFailure($0, .rateLimited) }
            clock.advance(by: .seconds(3600))
            #expect(try await client.call().head.status == .ok, "\(fields)")
        }
    }

    @Test func learnsNothingWhenToldNotTo() async throws {
        let clock = VirtualClock()
        let client = makeClient(
            ScriptedTransport(.status(429, retryAfter: 9)), RateLimitMiddleware(learns: false), clock: clock)
        for _ in 0..<2 { _ = try await client.call() }
        #expect(clock.sleeps.isEmpty)
    }

    @Test func severalClientsShareOneBudget() async throws {
        let clock = VirtualClock()
        let arrivals = Arrivals()
        let transport = arrivals.transport(clock)
        let limit = RateLimitMiddleware(.requests(1, per: .seconds(1)))
        for _ in 0..<3 { _ = try await makeClient(transport, limit, clock: clock).call() }
        #expect(arrivals.all == [.zero, .seconds(1), .seconds(2)])
    }

    @Test func originsHaveBudgetsOfTheirOwn() async throws {
        let clock = VirtualClock()
        let client = makeClient(ScriptedTransport(), RateLimitMiddleware(.requests(1, per: .seconds(1))), clock: clock)
        for host in ["a", "b", "c"] { _ = try await client.call(.get, "https://\(host).example/") }
        #expect(clock.sleeps.isEmpty)
    }

    @Test func eachAttemptCounts() async throws {
        let clock = VirtualClock()
        let arrivals = Arrivals()
        let transport = arrivals.transport(clock) { $0 < 2 ? .status(503) : .status(200) }
        let client = makeClient(
            transport, RetryMiddleware(backoff: .none), RateLimitMiddleware(.requests(1, per: .seconds(1))),
            clock: clock)
        _ = try await client.call()
        #expect(arrivals.all == [.zero, .seconds(1), .seconds(2)])
    }

    @Test(arguments: [1] as [UInt64])
    func tenThousandCallsLeaveNoTokenBehind(seed: UInt64) async throws {
        let clock = VirtualClock()
        let limit = RateLimitMiddleware(
            .requests(5, per: .seconds(1)), excess: .wait(upTo: .seconds(1_000_000)), maxQueued: .max)
        let sent = Mutex(0)
        let transport = ScriptedTransport { _ in
            sent.withLock { $0 += 1 }
            return .status(200)
        }
        let calls = ManyCalls(seed: seed, transport, limit, clock: clock)
        await calls.run { client, _ in _ = try await client.call() }
        #expect(limit.underWay == 0 && limit.queued == 0)
        // No more were sent than the time allows.
        let spent = Duration.milliseconds(200) * (sent.withLock { $0 } - 5)
        #expect(clock.now >= spent)
        // No token is held by a call that is gone: after the time that fills the bucket, it is full.
        clock.advance(by: .seconds(2))
        let before = clock.now
        for _ in 0..<5 { _ = try await calls.client.call() }
        #expect(clock.now == before)
    }
}
