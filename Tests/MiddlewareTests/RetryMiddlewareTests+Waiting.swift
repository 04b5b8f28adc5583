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

extension RetryMiddlewareTests {
    // MARK: Waiting

    @Test func waitsAsLongAsTheServerAsks() async throws {
        let transport = ScriptedTransport(.status(503, retryAfter: 7), .status(200))
        let clock = VirtualClock()
        _ = try await makeClient(transport, plain, clock: clock).call()
        #expect(clock.sleeps == [.seconds(7)])
    }

    @Test(arguments: [
        ("1500", Duration.milliseconds(1500)), ("0.5", .milliseconds(1)), ("-1", .seconds(7)), ("soon", .seconds(7)),
        ("+5", .seconds(7)), ("0x10", .seconds(7)), ("1e3", .seconds(7)),
    ])
    func waitsAsExactlyAsTheServerAsks(milliseconds: String, wait: Duration) async throws {
        let fields: HTTPFields = [.retryAfter: "7", .init("Retry-After-Ms")!: milliseconds]
        let clock = VirtualClock()
        let transport = ScriptedTransport(.status(503, fields: fields), .status(200))
        _ = try await makeClient(transport, plain, clock: clock).call()
        #expect(clock.sleeps == [wait])
    }

    @Test func waitsUntilTheDateThatTheServerNames() async throws {
        let transport = ScriptedTransport(
            .status(429, fields: [.retryAfter: "Thu, 01 Jan 2026 00:00:42 GMT"]), .status(200))
        let clock = VirtualClock()
        _ = try await makeClient(transport, plain, clock: clock).call()
        #expect(clock.sleeps == [.seconds(42)])
    }

    @Test(arguments: [2015, 2026, 2037]) func measuresADateByTheClockOfTheServerThatNamesIt(year: Int) async throws {
        let transport = ScriptedTransport(
            .status(
                503,
                fields: [
                    .date: "Thu, 01 Jan \(year) 00:00:00 GMT", .retryAfter: "Thu, 01 Jan \(year) 00:00:42 GMT",
                ]), .status(200))
        let clock = VirtualClock()
        _ = try await makeClient(transport, plain, clock: clock).call()
        #expect(clock.sleeps == [.seconds(42)])
    }

    @Test func triesAtOnceWhenTheDateHasPassed() async throws {
        let transport = ScriptedTransport(
            .status(429, fields: [.retryAfter: "Thu, 01 Jan 2015 00:00:42 GMT"]), .status(200))
        let clock = VirtualClock()
        _ = try await makeClient(transport, plain, clock: clock).call()
        #expect(clock.sleeps.isEmpty)
        #expect(transport.requests.count == 2)
    }

    @Test func holdsTheServerToItsPolicy() async throws {
        func sleeps(_ policy: RetryAfterPolicy) async throws -> [Duration] {
            let clock = VirtualClock()
            var retry = plain
            retry.retryAfter = policy
            _ = try await makeClient(
                ScriptedTransport(.status(503, retryAfter: 500), .status(200)), retry, clock: clock
            )
            .call()
            return clock.sleeps
        }
        #expect(try await sleeps(.capped(at: .seconds(120))) == [.seconds(120)])
        #expect(try await sleeps(.upTo(.seconds(499))) == [])
        #expect(try await sleeps(.upTo(.seconds(500))) == [.seconds(500)])
        #expect(try await sleeps(.ignored) == [.seconds(1)])
    }

    @Test func asksAgainAfterARefusedSizeOnlyWhenToldWhen() async throws {
        let told = ScriptedTransport(.status(413, retryAfter: 1), .status(200))
        _ = try await makeClient(told, plain).call()
        #expect(told.requests.count == 2)
        let toldExactly = ScriptedTransport(.status(413, fields: [.init("Retry-After-Ms")!: "5"]), .status(200))
        #expect(try await makeClient(toldExactly, plain).call().head.status == .ok)
        for untold in [ScriptedReply.status(413), .status(413, fields: [.retryAfter: "later"])] {
            let transport = ScriptedTransport(untold, .status(200))
            #expect(try await makeClient(transport, plain).call().head.status.code == 413)
        }
    }

    @Test func givesUpAtOnceWhenTheWaitDoesNotFitInTheDeadline() async throws {
        let transport = ScriptedTransport(.text("busy", status: 503, fields: [.retryAfter: "30"]))
        let clock = VirtualClock()
        let response = try await makeClient(transport, plain, clock: clock).call {
            $0.timeouts.deadline = .seconds(30)
        }
        #expect(response.head.status.code == 503)
        #expect(try await response.body.collect() == Data("busy".utf8))
        #expect(clock.sleeps.isEmpty)
        #expect(transport.requests.count == 1)
    }

    @Test func timesOutWhenTheRefusedBodyTakesTheTimeOfTheWait() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(
            .source(status: 503, fields: [.retryAfter: "20"]) { SlowSource("busy", taking: .seconds(15), by: clock) })
        await #expect {
            _ = try await makeClient(transport, plain, clock: clock).call { $0.timeouts.deadline = .seconds(30) }
        } throws: { error in
            let error = error as? NetworkClientError
            return error?.timeout == .deadline && error?.response?.status.code == 503
        }
        #expect(clock.sleeps.isEmpty)
        #expect(transport.requests.count == 1)
    }

    @Test func disposesOfTheRefusedBodyBeforeItWaits() async throws {
        let source = PiecesSource(Array(repeating: Data(count: 1000), count: 5))
        let transport = ScriptedTransport(.source(status: 503) { source }, .status(200))
        let left = Mutex<Int?>(nil)
        let clock = CallbackClock { left.withLock { $0 = source.remaining } }
        _ = try await makeClient(transport, plain, clock: clock).call()
        #expect(left.withLock { $0 } == 0)
    }

    @Test func endsAtOnceWhenCancelledWhileItWaits() async throws {
        let transport = ScriptedTransport(.status(503))
        let clock = CallbackClock { withUnsafeCurrentTask { $0?.cancel() } }
        await #expect(throws: CancellationError.self) {
            try await Task { _ = try await makeClient(transport, plain, clock: clock).call() }.value
        }
        #expect(transport.requests.count == 1)
    }

    @Test func neverRepeatsACancelledCall() async throws {
        let transport = ScriptedTransport(.failure(CancellationError()))
        var retry = plain
        retry.condition = .always
        await #expect(throws: CancellationError.self) { _ = try await makeClient(transport, retry).call() }
        #expect(transport.requests.count == 1)
    }

    @Test func tellsOfEachRetry() async throws {
        let told = Mutex<[RetryMiddleware.Retry]>([])
        var retry = plain
        retry.onRetry = { event in told.withLock { $0.append(event) } }
        _ = try await makeClient(ScriptedTransport(.status(503), .status(500), .status(200)), retry).call()
        #expect(told.withLock { $0.map(\.attempt) } == [2, 3])
        #expect(told.withLock { $0.map(\.cause) } == ["503", "500"])
        #expect(told.withLock { $0.map(\.wait) } == [.seconds(1), .seconds(2)])
    }
}
