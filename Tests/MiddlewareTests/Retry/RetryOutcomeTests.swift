// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// What comes of calls that fail again and again, and of bodies that break off.
struct RetryOutcomeTests {
    /// Without jitter: 1, 2, 4 … seconds.
    private let plain = RetryMiddleware(
        maxAttempts: 3, backoff: Backoff(base: .seconds(1), maximum: .seconds(60), jitter: .none))

    // MARK: Budget and servers that fail now and then

    @Test(arguments: [1, 8]) func aServerThatFailsEverySecondRequestIsSurvived(atOnce: Int) async throws {
        let transport = ScriptedTransport { request in request.number.isMultiple(of: 2) ? .status(503) : .status(200) }
        let client = makeClient(transport, RetryMiddleware(maxAttempts: 5))
        for _ in 0..<600 / atOnce {
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<atOnce { group.addTask { try? await client.call().head.status.code } }
                for await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func aServerThatFailsForEverGetsNoMoreThanTheBudget() async throws {
        let transport = ScriptedTransport(.status(503))
        let clock = VirtualClock()
        let client = makeClient(transport, RetryMiddleware(backoff: .none), clock: clock)
        for _ in 0..<600 {
            clock.advance(by: .milliseconds(100))
            _ = try await client.call()
        }
        // The reserve, what came back of it within the minute, and a fifth of the calls.
        #expect(transport.requests.count <= 780)
        #expect(transport.requests.count >= 720)
    }

    @Test(arguments: [
        (ScriptedReply.failure(.connectionLost), 2), (.failure(.dnsFailed), 1), (.failure(TestError()), 1),
        (.status(409), 2), (.status(503), 1), (.status(200), 1),
    ])
    func aConditionNamesErrorsAndStatuses(_ reply: ScriptedReply, _ count: Int) async throws {
        let transport = ScriptedTransport(reply)
        let condition = RetryCondition.error(.connectionLost).or(.status(409))
        let retry = RetryMiddleware(maxAttempts: 2, backoff: .none, condition: condition, budget: nil)
        _ = try? await makeClient(transport, retry).call()
        #expect(transport.requests.count == count)
    }

    @Test func aConditionSeesTheResponse() async throws {
        let busy = RetryCondition { $0.response?.headerFields[.server] == "busy" }
        let transport = ScriptedTransport(
            .status(418, fields: [.server: "busy"]),
            .failure(
                NetworkClientError(
                    .unacceptableStatus, "", response: HTTPResponse(status: 418, headerFields: [.server: "busy"]))),
            .failure(NetworkClientError(.connectionLost, "")))
        let client = makeClient(transport, RetryMiddleware(maxAttempts: 5, condition: busy))
        await #expect { try await client.call() } throws: { isFailure($0, .connectionLost) }
        #expect(transport.requests.count == 3)
    }

    // MARK: Why there was no further attempt

    /// A failure, and what is said about it.
    private struct Ending: Sendable {
        var replies: [ScriptedReply]
        var method = HTTPMethod.get
        var body = RequestBody.empty
        var reason: ExchangeRecord.NoRetry
        var change: @Sendable (inout RetryMiddleware) -> Void = { _ in }
        var options: @Sendable (inout RequestOptions) -> Void = { _ in }
    }

    private static let unavailable: [ScriptedReply] = [.status(503)]

    private static let endings: [Ending] = [
        Ending(replies: unavailable, reason: .attemptsUsedUp),
        Ending(replies: unavailable, reason: .attemptsUsedUp, options: { $0.retryStrategy = .none }),
        Ending(replies: unavailable, reason: .budgetUsedUp, change: { $0.budget = .tokens(capacity: 0) }),
        Ending(replies: unavailable, method: .put, body: oneShotBody(), reason: .bodyNotReplayable),
        Ending(replies: unavailable, reason: .deadline, options: { $0.timeouts.deadline = .seconds(1) }),
        Ending(
            replies: [.status(503, retryAfter: 9)], reason: .retryAfter, change: { $0.retryAfter = .upTo(.seconds(8)) }),
        Ending(replies: unavailable, method: .post, reason: .notIdempotent(.post)),
        Ending(replies: [.failure(.connectionLost)], method: .patch, reason: .notIdempotent(.patch)),
        Ending(replies: [.status(404)], reason: .status(404)),
        Ending(replies: [.status(404)], method: .post, reason: .status(404)),
        Ending(replies: [.status(503), .status(404)], reason: .status(404)),
        Ending(replies: [.failure(.tlsFailed)], reason: .error(.tlsFailed)),
        Ending(replies: [.failure(.connectionLost)], reason: .attemptsUsedUp),
        Ending(replies: unavailable, reason: .status(503), change: { $0.condition = .never }),
    ]

    @Test(arguments: endings) private func saysWhyThereWasNoFurtherAttempt(_ ending: Ending) async throws {
        var retry = plain
        ending.change(&retry)
        let log = LogCollector()
        let client = makeClient(
            ScriptedTransport(ending.replies), LoggingMiddleware(log.logger(), details: .attempts),
            StatusValidationMiddleware(), retry)
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await client.call(ending.method, body: ending.body, options: ending.options)
        }
        let text = "no retry: \(ending.reason)"
        #expect(error?.exchange?.noRetry == ending.reason)
        #expect(error?.description.contains(text) == true)
        #expect(error?.exchange?.description.hasSuffix("\n\(text)") == true)
        #expect(log.messages.count == 2 && log.messages.allSatisfy { $0.contains(text) })
    }

    @Test func aResponseThatIsHandedUpSaysItToo() async throws {
        let response = try await makeClient(ScriptedTransport(.status(503)), plain).call(.post)
        #expect(response.exchange.noRetry == .notIdempotent(.post))
        #expect(response.exchange.summary?.hasSuffix(", no retry: POST without an Idempotency-Key") == true)
    }

    @Test func aSuccessHasNoSuchReason() async throws {
        let again = try await makeClient(ScriptedTransport(.status(503), .status(200)), plain).call()
        #expect(again.exchange.noRetry == nil)
        // Refused before the redirect, and not after it.
        let moved = ScriptedTransport(.redirect(307, to: "/b"), .status(200))
        #expect(try await makeClient(moved, plain).call(.post).exchange.noRetry == nil)
    }

    @Test func aCancelledCallHasNoSuchReason() async throws {
        let client = makeClient(
            ScriptedTransport(.failure(CancellationError())),
            InterceptorMiddleware { request, next in
                do { return try await next(request) } catch {
                    #expect(request.call?.record.noRetry == nil)
                    throw error
                }
            }, plain)
        await #expect(throws: CancellationError.self) { _ = try await client.call() }
    }

    // MARK: Bodies that are collected

    /// Bodies that end badly, and whether another attempt may help.
    private static let broken: [(ScriptedReply, isRepeated: Bool)] = [
        (.pieces([Data("half".utf8)], failure: NetworkClientError(.connectionLost, "gone")), true),
        (.pieces([Data("half".utf8)], length: 8), true),
        (.pieces([], length: 8), true),
        (.pieces([Data("half".utf8)], failure: NetworkClientError.timedOut(.idle)), true),
        (.pieces([Data("half".utf8)], failure: NetworkClientError.timedOut(.attempt)), true),
        (.pieces([Data("half".utf8)], failure: NetworkClientError(.contentEncodingFailed, "damaged")), false),
        (.pieces([Data(count: 100)]), false),
    ]

    @Test(arguments: broken.indices, [HTTPMethod.get, .put, .post])
    func aBodyThatBreaksBeforeItIsHandedOverIsAFailedAttempt(index: Int, method: HTTPMethod) async throws {
        let (reply, isRepeated) = Self.broken[index]
        let transport = ScriptedTransport(reply, .text("whole"))
        let client = makeClient(transport, plain)
        let request = NetworkRequest<VoidRequest, String>(method: method) { $0.maximumResponseBytes = 50 }
        if isRepeated, method != .post {
            let response = try await client.run(request)
            #expect(response.value == "whole")
            #expect(response.exchange.attempts.count == 2 && response.exchange.noRetry == nil)
            #expect(response.exchange.attempts[0].error != nil && response.exchange.attempts[0].status == .ok)
        } else {
            let error = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
            #expect(transport.requests.count == 1)
            #expect(error?.response?.status == .ok)
            #expect(error?.exchange?.noRetry != nil)
        }
    }

    @Test func aBodyThatBreaksEachTimeUsesTheAttemptsUp() async throws {
        let transport = ScriptedTransport(Self.broken[0].0)
        let error = await #expect(throws: NetworkClientError.self) {
            try await makeClient(transport, plain).run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
        #expect(error?.code == .connectionLost && error?.exchange?.noRetry == .attemptsUsedUp)
        #expect(transport.requests.count == 3)
    }

    @Test func whatIsReadWhileItArrivesIsNotRepeated() async throws {
        let transport = ScriptedTransport(Self.broken[0].0, .text("whole"))
        let response = try await makeClient(transport, plain).open(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
        #expect(transport.requests.count == 1)
    }

    /// A status that is refused, and a redirect that is followed, have bodies that nobody asked for.
    @Test func bodiesThatNobodyAskedForAreNotCollected() async throws {
        let clock = VirtualClock()
        let silent = HangingSource("no") { clock.advance(by: .seconds(1)) }
        let refused = makeClient(ScriptedTransport(.source(status: 404) { silent }), plain, clock: clock)
        let error = await #expect(throws: NetworkClientError.self) {
            try await refused.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
        #expect(error?.code == .unacceptableStatus && error?.body == Data("no".utf8))
        let moved = HangingSource { clock.advance(by: .seconds(1)) }
        let transport = ScriptedTransport(
            .source(status: 302, fields: [.location: "/b"]) { moved }, .text("there"))
        let value = try await makeClient(transport, plain, clock: clock).run(
            NetworkRequest<VoidRequest, String>(method: .get) { $0.acceptableStatus = .any }
        ).value
        #expect(value == "there")
    }
}
