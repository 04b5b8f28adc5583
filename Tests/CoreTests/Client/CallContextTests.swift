// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct CallContextTests {
    private enum Note: RequestAttributeKey {
        static let defaultValue = 0
    }

    @Test func theTimeLeftIsCountedByTheClock() throws {
        let clock = VirtualClock()
        let call = CallContext(clock: clock, deadline: .seconds(10))
        let request = try TransportRequest(url: "https://h/")
        #expect(call.remaining == .seconds(10))
        clock.advance(by: .seconds(9))
        #expect(call.remaining == .seconds(1))
        #expect(throws: Never.self) { try call.checkDeadline(of: request) }
        clock.advance(by: .seconds(1))
        let error = #expect(throws: NetworkClientError.self) { try call.checkDeadline(of: request) }
        #expect(error?.code == .timedOut && error?.timeout == .deadline)
        clock.advance(by: .seconds(1))
        #expect(call.remaining == .seconds(-1))
        #expect(throws: NetworkClientError.self) { try call.checkDeadline(of: request) }
        #expect(CallContext(clock: clock).remaining == nil)
        #expect(throws: Never.self) { try CallContext(clock: clock).checkDeadline(of: request) }
    }

    @Test func aValueIsMadeByTheFirstWhoAsks() {
        let call = CallContext()
        #expect(call[Note.self] == 0)
        #expect(call.value(Note.self) { 1 } == 1)
        #expect(call.value(Note.self) { 2 } == 1 && call[Note.self] == 1)
        call[Note.self] = 3
        #expect(call.value(Note.self) { 4 } == 3)
        // The value of another who made one meanwhile.
        let other = CallContext()
        let value = other.value(Note.self) {
            other[Note.self] = 5
            return 6
        }
        #expect(value == 5 && other[Note.self] == 5)
    }

    @Test func aWaitIsNotedWithItsTimes() {
        let clock = VirtualClock()
        clock.advance(by: .seconds(100))
        let call = CallContext(clock: clock)
        clock.advance(by: .seconds(2))
        let start = clock.now
        clock.advance(by: .seconds(3))
        call.noteWait(.rateLimit, since: start)
        let waits = call.record.waits
        #expect(waits.map(\.started) == [.seconds(2)] && waits.map(\.duration) == [.seconds(3)])
        #expect(call.record.total == .seconds(5))
        #expect(call.record.attempts.isEmpty && call.record.summary == nil)
        #expect(call.attemptCount == 0)
    }

    /// Goes on by itself: without the deadline of the call that it comes from, and with what that knows of its secrets.
    @Test func aCallOfItsOwnKnowsMarksAndForeignOrigins() async throws {
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let seen = Mutex<[(remaining: Duration?, marks: Set<HTTPField.Name>, isForeign: Bool, attempts: Int)]>([])
        let layer = Around { request, next in
            guard request.head.path == "/2" else { return try await next(request) }
            let response = try await next.inCallOfItsOwn()(request)
            if let call = response.call, let path = request.call {
                let isOther = call !== path
                #expect(isOther)
            }
            return response
        }
        let inner = Around { request, next in
            seen.withLock { list in
                let isForeign = if case .foreign = request.call?.destination(of: request) { true } else { false }
                list.append(
                    (
                        request.call?.remaining, request.options.sensitiveFields, isForeign,
                        request.call?.attemptCount ?? -1
                    ))
            }
            return try await next(request)
        }
        let transport = ScriptedTransport(.redirect(to: "https://b.example/2"), .status(200))
        let client = makeClient(transport, middleware: [RedirectMiddleware(), layer, inner])
        var request = try TransportRequest(url: "https://a.example/1")
        request.options.timeouts.deadline = .seconds(10)
        request.options.sensitiveFields = [tenant]
        let response = try await client.execute(request)
        #expect(response.head.status == .ok)
        let all = seen.withLock { $0 }
        #expect(all.map(\.remaining) == [.seconds(10), nil])
        #expect(all.map(\.marks) == [[tenant], [tenant]])
        #expect(all.map(\.isForeign) == [false, true])
        #expect(all.map(\.attempts) == [0, 0])
    }

    /// A layer that builds a request from scratch cannot lose the marks of the call.
    @Test func aRequestFromScratchJoinsTheCall() async throws {
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        let layer = Around { _, next in
            try await next(TransportRequest(url: "https://hostname.com/other"))
        }
        let transport = ScriptedTransport()
        let client = makeClient(transport, middleware: [layer])
        var request = try TransportRequest(url: "https://hostname.com/1")
        request.options.sensitiveFields = [tenant]
        request.options.sensitiveQueryItems = ["app_id"]
        request.options.isAuthenticationExempt = true
        let response = try await client.execute(request)
        let sent = transport.requests[0]
        #expect(sent.url == "https://hostname.com/other")
        #expect(sent.options.sensitiveFields == [tenant] && sent.options.sensitiveQueryItems == ["app_id"])
        #expect(sent.options.isAuthenticationExempt)
        #expect(response.exchange.attempts.count == 1)
    }

    @Test(
        arguments: [
            (NetworkClientError(.connectionLost, "x"), .connectionLost, false),
            (NetworkClientError(.cannotConnect, "x"), .cannotConnect, false), (CancellationError(), nil, true),
            (POSIXError(.EIO), .internalFailure, false),
        ] as [(any Error, NetworkClientError.Code?, Bool)])
    func anAttemptSaysHowItFailed(error: any Error, code: NetworkClientError.Code?, isCancelled: Bool) async throws {
        struct Failing: NetworkTransport {
            let capabilities = TransportCapabilities(name: "failing/1")
            let error: any Error
            func send(_ request: TransportRequest) async throws -> TransportResponse { throw error }
        }
        let record = Mutex<ExchangeRecord?>(nil)
        let layer = Around { request, next in
            do { return try await next(request) } catch {
                record.withLock { $0 = request.call?.record }
                throw error
            }
        }
        let client = makeClient(ScriptedTransport(), middleware: [layer]) { $0.transport = Failing(error: error) }
        let thrown = await #expect(throws: (any Error).self) {
            try await client.execute(TransportRequest(url: "https://a.example/1"))
        }
        #expect((thrown as? NetworkClientError)?.code == (error as? NetworkClientError)?.code)
        let attempt = try #require(record.withLock { $0 }?.attempts.first)
        #expect(attempt.error == code && attempt.isCancelled == isCancelled && attempt.status == nil)
        #expect(attempt.duration == .zero && attempt.started == .zero && attempt.transport == "failing/1")
        let outcome = isCancelled ? "cancelled" : code?.description ?? ""
        #expect("\(attempt)" == "first: GET https://a.example/1 -> \(outcome) in 0 ms")
        let summary = (thrown as? NetworkClientError)?.exchange?.summary
        #expect(summary == (error is NetworkClientError ? "GET https://a.example/1" : nil))
    }

    @Test func aRecordHasALineForEachAttemptAndWhatElseThereWas() async throws {
        let again = Around { request, next in
            for wait in 1...2 {
                _ = try await next(request)
                request.call?.nextAttempt(.retry(cause: "503", waited: .milliseconds(wait * 1500)))
            }
            request.call?.noteWait(.rateLimit, since: request.call?.clock.now ?? .zero)
            _ = try await next(request)
            let response = try await next(request)
            request.call?.noteServed(.cache(.stale))
            return response
        }
        let transport = ScriptedTransport(.status(503), .status(503), .status(500), .status(200))
        let response = try await makeClient(transport, middleware: [again]).execute(
            TransportRequest(method: .put, url: "http://a.example/1?q", headerFields: [.authorization: "Basic x"]))
        let record = response.exchange
        #expect(
            record.attempts.map(\.reason) == [
                .first, .retry(cause: "503", waited: .milliseconds(1500)), .retry(cause: "503", waited: .seconds(3)),
                .other("again"),
            ])
        let url = "PUT http://a.example/1 with credentials in clear"
        let waits = record.waits.map(\.description).joined(separator: ", ")
        #expect(
            "\(record)" == """
                #1 first: \(url) -> 503 in 0 ms
                #2 retry(503, waited 1.5 s): \(url) -> 503 in 0 ms
                #3 retry(503, waited 3 s): \(url) -> 500 in 0 ms
                #4 again: \(url) -> 200 in 0 ms
                waited: \(waits)
                served: cache(stale)
                """)
        #expect(record.waits.count == 1)
        #expect(record.summary == "PUT http://a.example/1, 4 attempts")
    }

    @Test(
        arguments: [
            ("http", "a.example", "Basic x", true), ("https", "a.example", "Basic x", false),
            ("http", "localhost", "Basic x", false), ("http", "a.example", "Digest x", false),
            ("http", "a.example", "DIGEST x", false), ("http", "a.example", "Digestx y", true),
            ("http", "a.example", nil, false),
        ] as [(String, String, String?, Bool)])
    func credentialsInClearAreNoted(scheme: String, host: String, credentials: String?, isNoted: Bool) async throws {
        var request = try TransportRequest(url: "\(scheme)://\(host)/")
        request.head.headerFields[.authorization] = credentials
        let attempt = try await makeClient(ScriptedTransport()).execute(request).exchange.attempts[0]
        #expect(attempt.hasCredentialsInClear == isNoted)
        #expect("\(attempt)".contains("with credentials in clear") == isNoted)
    }

    @Test func reasonsAndAnswersAreDescribed() {
        let reasons: [(ExchangeRecord.Reason, String)] = [
            (.first, "first"), (.refresh, "refresh"), (.other("mine"), "mine"),
            (.retry(cause: "timedOut", waited: .zero), "retry(timedOut, waited 0 s)"),
            (.redirect(status: 302, dropped: []), "redirect(302)"),
            (.redirect(status: 307, dropped: ["a", "b"]), "redirect(307, dropped: a, b)"),
        ]
        for (reason, text) in reasons { #expect("\(reason)" == text) }
        let answers: [(ExchangeRecord.Served, String)] = [
            (.network, "network"), (.cache(.hit), "cache(hit)"), (.cache(.revalidated), "cache(revalidated)"),
            (.cache(.stale), "cache(stale)"), (.cache(.collapsed), "cache(collapsed)"),
            (.cache(.unsatisfied), "cache(unsatisfied)"),
        ]
        for (answer, text) in answers { #expect("\(answer)" == text) }
    }

    @Test func whyThereIsNoFurtherAttemptIsSaid() async throws {
        let texts: [(ExchangeRecord.NoRetry, String)] = [
            (.attemptsUsedUp, "attempts used up"), (.budgetUsedUp, "budget used up"),
            (.circuitOpen, "the circuit is open"), (.bodyNotReplayable, "the body cannot be produced again"),
            (.deadline, "the wait would not fit in the deadline"),
            (.retryAfter, "Retry-After asks for too long a wait"),
            (.notIdempotent(.post), "POST without an Idempotency-Key"), (.status(404), "status 404 is not retried"),
            (.error(.tlsFailed), "tlsFailed is not retried"), (.error(nil), "the error is not retried"),
            (.other("mine"), "mine"),
        ]
        for (reason, text) in texts { #expect("\(reason)" == text) }
        let layer = Around { request, next in
            let response = try await next(request)
            request.call?.endAttempts(.status(404))
            return response
        }
        let record = try await makeClient(ScriptedTransport(.status(404)), middleware: [layer])
            .execute(TransportRequest(url: "https://h/1")).exchange
        #expect(record.noRetry == .status(404))
        #expect(record.summary == "GET https://h/1, no retry: status 404 is not retried")
        #expect("\(record)" == "#1 first: GET https://h/1 -> 404 in 0 ms\nno retry: status 404 is not retried")
    }

    /// What one layer marks stays marked, whatever the next one makes of the request.
    @Test func marksOfAllLayersAddUp() async throws {
        let names = try ["X-A", "X-B"].map { try #require(HTTPField.Name($0)) }
        let other = Around { request, next in
            var request = request
            request.options.sensitiveFields = [names[1]]
            request.options.sensitiveQueryItems = ["b"]
            return try await next(request)
        }
        let anew = Around { _, next in try await next(TransportRequest(url: "https://hostname.com/2")) }
        let transport = ScriptedTransport()
        var request = try TransportRequest(url: "https://hostname.com/1")
        request.options.sensitiveFields = [names[0]]
        request.options.sensitiveQueryItems = ["a"]
        _ = try await makeClient(transport, middleware: [other, anew]).execute(request)
        #expect(transport.requests[0].options.sensitiveFields == Set(names))
        #expect(transport.requests[0].options.sensitiveQueryItems == ["a", "b"])
    }
}
