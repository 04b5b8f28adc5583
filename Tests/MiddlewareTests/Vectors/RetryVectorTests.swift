// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

@testable import StrataMiddleware

private let retryTable = "retry/retry-table.json"

/// What the table says in words is claimed by tests of the middleware, which are named. `adaptive` is about a limiter of rates,
/// which there is none of here.
@Suite(.vectors(retryTable))
struct RetryVectorTests {
    private struct Rule: Decodable {
        let id: String
    }

    private struct RetryAfterCase: Decodable {
        let id: String
        let value: String
        let now: String
        let expected_delay_s: Double?
        let lenient: Bool?
    }

    private struct Method: Decodable {
        let id: String
        let method: String
        let idempotent: Bool?
        let headers: [[String]]?
        let retry_allowed: Bool?
    }

    private struct Status: Decodable {
        let id: String
        let status: Int
        let decision: String
    }

    private struct Failure: Decodable {
        let id: String
        let error: String
        let idempotent: Bool
        let nonidempotent: Bool
    }

    private struct BackoffCase: Decodable {
        struct Cap: Decodable {
            let attempt: Int
            let delay: Double
        }

        let id: String
        let params: [String: JSONValue]
        let delays_before_attempt: [Double?]?
        let ranges_before_attempt: [[Double]?]?
        let after_many: Double?
        let delays: [Double]?
        let ranges: [[Double]]?
        let cap_check: Cap?
        let attempt: Int?
        let range: [Double]?

        /// Which policy it is of is seen from the names of its parameters. Others may wait otherwise.
        var isOfAKnownPolicy: Bool {
            switch Set(params.keys) {
            case ["factor", "max"], ["factor", "max", "jitter"]: isFirstImmediate
            case ["base", "factor", "max"], ["initial", "multiplier", "max", "jitter"]: !isFirstImmediate
            case ["formula"]: params["formula"]?.string?.hasPrefix("1000*2^(n-1)") == true
            default: false
            }
        }

        /// urllib3 calls the base a factor, doubles it each time, and sends the first retry at once.
        var isFirstImmediate: Bool { delays_before_attempt != nil || ranges_before_attempt != nil }

        func number(_ names: String...) -> Double? { names.lazy.compactMap { params[$0]?.number?.double }.first }
    }

    private struct Bucket: Decodable {
        struct Step: Decodable {
            let event: String
            let retry: Bool?
            let delay: Double?
            let tokens: Double?
        }

        let id: String
        let capacity: Double?
        let max_attempts: Int?
        let steps: [Step]?

        /// What a bucket of the AWS SDKs holds; `nil` for the buckets of others, which may hold parts of tokens.
        var wholeCapacity: Int? {
            let isKnown = (steps ?? []).allSatisfy { step in
                ["error", "timeout", "throttl", "success"].contains { step.event.contains($0) }
                    && step.tokens.map { Int(exactly: $0) != nil } != false
            }
            return isKnown ? capacity.flatMap { Int(exactly: $0) } : nil
        }
    }

    @Test func retryAfterIsRead() throws {
        for vector in try Vectors.cases(retryTable, "retry_after", of: RetryAfterCase.self) {
            let now = try #require(HTTPDate.parse(vector.now), "\(vector.id)")
            let delay = RetryAfterField.delay(vector.value, now: now).map { $0 / .seconds(1) }
            // A lenient reader may take what a strict one ignores; either way it is what the case says, or nothing.
            if vector.lenient == true, delay == nil { continue }
            #expect(delay == vector.expected_delay_s, "\(vector.id)")
        }
    }

    private func requests(
        _ method: HTTPMethod, fields: HTTPFields = [:], _ reply: ScriptedReply
    ) async throws -> [RecordedRequest] {
        let transport = ScriptedTransport(reply, .status(200))
        _ = try? await makeClient(transport, RetryMiddleware(maxAttempts: 2)).call(method, fields: fields)
        return transport.requests
    }

    @Test func methodsAreRepeatedWhenIdempotent() async throws {
        for vector in try Vectors.cases(retryTable, "methods", of: Method.self) {
            guard let isRepeated = vector.idempotent ?? vector.retry_allowed else { continue }
            let method = try #require(HTTPMethod(vector.method), "\(vector.id)")
            var fields = HTTPFields()
            for pair in vector.headers ?? [] { try fields.addValue(pair[1], forName: pair[0]) }
            let seen = try await requests(method, fields: fields, .status(503))
            #expect(seen.count == (isRepeated ? 2 : 1), "\(vector.id)")
            for pair in vector.headers ?? [] {
                #expect(seen.allSatisfy { $0[pair[0]] == pair[1] }, "\(vector.id)")
            }
        }
    }

    @Test func statusesAreDecidedOn() async throws {
        var others: [String] = []
        for vector in try Vectors.cases(retryTable, "statuses", of: Status.self) {
            let plain = try await requests(.get, .status(vector.status)).count == 2
            let withTime = try await requests(.get, .status(vector.status, retryAfter: 1)).count == 2
            let post = try await requests(.post, .status(vector.status, retryAfter: 1)).count == 2
            #expect(!post, "\(vector.id)")
            if vector.decision.hasPrefix("retry") {
                #expect(plain && withTime, "\(vector.id)")
            } else if vector.decision.hasPrefix("only with Retry-After") {
                #expect(!plain && withTime, "\(vector.id)")
            } else if vector.decision.hasPrefix("no") {
                #expect(!plain && !withTime, "\(vector.id)")
            } else {
                others.append(vector.id)
            }
        }
        // Most of them are left to a client's policy.
        Vectors.passOver(others, of: retryTable)
    }

    @Test(arguments: [509, 599]) func whatIsLeftToAClientIsNotRepeated(_ status: Int) async throws {
        #expect(try await requests(.get, .status(status, retryAfter: 1)).count == 1)
    }

    /// What the table has in words, as errors. That of a refused HTTP/2 stream libcurl cannot tell from other losses.
    private func error(_ words: String) -> (any Error)? {
        var refused = NetworkClientError(.connectionLost, "refused unseen")
        refused.isUnprocessed = true
        var reset = NetworkClientError(.tlsFailed, "reset")
        reset.isUnprocessed = true
        let errors: [(String, any Error)] = [
            ("reset in TLS", reset),
            ("pin mismatch", NetworkClientError(.tlsFailed, "pin")),
            ("certificate", NetworkClientError(.tlsFailed, "certificate")),
            ("response timeout", NetworkClientError.timedOut(.idle)),
            ("read timeout", NetworkClientError.timedOut(.idle)),
            ("connect timeout", NetworkClientError.timedOut(.connect)),
            ("refused", NetworkClientError(.cannotConnect, "refused")),
            ("DNS", NetworkClientError(.dnsFailed, "no such host")),
            ("reset after", NetworkClientError(.connectionLost, "reset")),
            ("closed", NetworkClientError(.connectionLost, "closed")),
            ("decoding", NetworkClientError(.decodingFailed, "no JSON")), ("cancelled", CancellationError()),
            ("GOAWAY", refused), ("REFUSED_STREAM", refused),
            ("protocol", NetworkClientError(.protocolViolation, "no HTTP")),
        ]
        return errors.first { words.lowercased().contains($0.0.lowercased()) }?.1
    }

    @Test func errorsAreDecidedOn() async throws {
        var unknown: [String] = []
        for vector in try Vectors.cases(retryTable, "errors", of: Failure.self) {
            guard let error = error(vector.error) else {
                unknown.append(vector.id)
                continue
            }
            #expect(try await requests(.get, .failure(error)).count == (vector.idempotent ? 2 : 1), "\(vector.id)")
            #expect(try await requests(.post, .failure(error)).count == (vector.nonidempotent ? 2 : 1), "\(vector.id)")
        }
        Vectors.passOver(unknown, of: retryTable)
    }

    @Test func waitsGrowAsInThePeers() throws {
        let vectors = try Vectors.cases(retryTable, "backoff", of: BackoffCase.self)
        Vectors.passOver(vectors.filter { !$0.isOfAKnownPolicy }.map(\.id), of: retryTable)
        for vector in vectors where vector.isOfAKnownPolicy {
            let isFirstImmediate = vector.isFirstImmediate
            let base = isFirstImmediate ? vector.number("factor") : vector.number("base", "initial")
            var backoff = Backoff(
                base: .seconds(base ?? 1),
                factor: isFirstImmediate ? 2 : vector.number("factor", "multiplier") ?? 2,
                maximum: .seconds(vector.number("max") ?? 1000), jitter: .none, isFirstImmediate: isFirstImmediate)
            func seconds(_ retry: Int, _ choose: (ClosedRange<Double>) -> Double = { $0.upperBound }) -> Double {
                backoff.delay(beforeRetry: retry, randomness: choose) / .seconds(1)
            }
            func expect(_ one: Double, _ other: Double) { #expect(abs(one - other) < 1e-6, "\(vector.id)") }

            for (index, delay) in (vector.delays_before_attempt ?? []).enumerated() {
                if let delay { expect(seconds(index), delay) }
            }
            for (index, delay) in (vector.delays ?? []).enumerated() { expect(seconds(index + 1), delay) }
            if let delay = vector.after_many { expect(seconds(1000), delay) }
            if let cap = vector.cap_check { expect(seconds(cap.attempt), cap.delay) }
            if let jitter = vector.number("jitter") {
                backoff.jitter = isFirstImmediate ? .added(upTo: .seconds(jitter)) : .proportional(jitter)
            }
            for (index, range) in (vector.ranges_before_attempt ?? []).enumerated() {
                guard let range else { continue }
                expect(seconds(index) { $0.lowerBound }, range[0])
                expect(seconds(index) { $0.upperBound }, range[1])
            }
            for (index, range) in (vector.ranges ?? []).enumerated() {
                expect(seconds(index + 1) { $0.lowerBound }, range[0])
                expect(seconds(index + 1) { $0.upperBound }, range[1])
            }
            if let attempt = vector.attempt, let range = vector.range {
                backoff.jitter = .full
                expect(seconds(attempt) { $0.lowerBound }, range[0])
                expect(seconds(attempt) { $0.upperBound }, range[1])
            }
        }
    }

    @Test func rulesInWordsAreClaimed() throws {
        let claims = [
            "attempt-count": "makesAsManyAttemptsInAllAsItMay",
            "last-response-body-readable": "readsTheLastRefusedBodyAsAStream",
            "intermediate-bodies-drained": "disposesOfTheRefusedBodyBeforeItWaits",
            "deadline-over-all": "givesUpAtOnceWhenTheWaitDoesNotFitInTheDeadline",
            "one-shot-body": "doesNotRepeatABodyThatIsUsedUp",
            "jitter-distribution": "fullJitterIsEvenlySpread",
            "deterministic-clock": "waitsAsLongAsTheServerAsks",
            "no-retry-inside-stream": "doesNotRepeatAResponseWhoseBodyBreaks",
            "same-idempotency-key": "makesOneIdempotencyKeyACallWhenAsked",
        ]
        let rules = try Vectors.cases(retryTable, "api", of: Rule.self)
        try check(claims, for: rules.map(\.id), in: retryTable, by: "MiddlewareTests")
    }

    @Test func bucketsOfTokensFillAndEmptyAsInThePeers() async throws {
        let vectors = try Vectors.cases(retryTable, "token_bucket", of: Bucket.self)
        Vectors.passOver(vectors.filter { $0.wholeCapacity == nil }.map(\.id), of: retryTable)
        for vector in vectors {
            guard let capacity = vector.wholeCapacity else { continue }
            let budget = RetryBudget.tokens(capacity: capacity)
            var attempt = 1
            var paid: Int?
            for step in vector.steps ?? [] {
                switch step.event {
                case "error then success":
                    let price = try #require(
                        budget.takeRetry(after: .status, at: .zero, ofAtMost: 1), "\(vector.id)")
                    budget.succeed(refunding: price)
                case "success":
                    budget.succeed(refunding: paid)
                    paid = nil
                case let event where event.contains("x success at first try"):
                    let count = try #require(Int(event.prefix { $0 != " " }), "\(vector.id)")
                    for _ in 0..<count { budget.succeed(refunding: nil) }
                default:
                    let failure: RetryBudget.Failure = step.event.contains("timeout") ? .timeout : .status
                    let isLast = vector.max_attempts.map { attempt >= $0 } ?? false
                    let price = isLast ? nil : budget.takeRetry(after: failure, at: .zero, ofAtMost: 1)
                    if let expected = step.retry { #expect((price != nil) == expected, "\(vector.id)") }
                    if let expected = step.delay, price != nil {
                        let backoff = Backoff(base: .seconds(1), maximum: .seconds(20), jitter: .none)
                        #expect(backoff.delay(beforeRetry: attempt) == .seconds(expected), "\(vector.id)")
                    }
                    paid = price ?? paid
                    attempt += 1
                }
                if let tokens = step.tokens {
                    #expect(budget.tokensLeft.map(Double.init) == tokens, "\(vector.id) \(step.event)")
                }
            }
        }
    }
}
