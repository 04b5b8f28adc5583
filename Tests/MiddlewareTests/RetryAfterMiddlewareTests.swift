// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

struct RetryAfterMiddlewareTests {
    private func error(_ status: Int, _ value: String, statuses: Set<Int>? = nil) async throws -> RetryAfterError? {
        let middleware = statuses.map { RetryAfterMiddleware(statuses: $0) } ?? RetryAfterMiddleware()
        let client = makeClient(ScriptedTransport(.status(status, fields: [.retryAfter: value])), middleware)
        do {
            #expect(try await client.call().head.status.code == status)
            return nil
        } catch let error as RetryAfterError {
            return error
        }
    }

    @Test(arguments: [429, 503])
    func throwsTheInstant(status: Int) async throws {
        let start = VirtualClock().date
        let seconds = try #require(try await error(status, "120"))
        #expect(seconds.date == start.addingTimeInterval(120))
        #expect(seconds.delay == .seconds(120))
        #expect(seconds.status.code == status)
        #expect(seconds.exchange.attempts.count == 1)
        #expect(seconds.localizedDescription == "\(seconds)")
        let date = try #require(try await error(status, "Thu, 01 Jan 2026 01:00:00 GMT"))
        #expect(date.date == start.addingTimeInterval(3600))
        let far = try #require(try await error(status, "Wed, 21 Oct 2026 07:28:00 GMT"))
        #expect(far.delay == .seconds(25_342_080), "to the second")
        #expect(try await error(status, "Wed, 21 Oct 2015 07:28:00 GMT")?.delay == .zero)
    }

    @Test func passesWhatSaysNothing() async throws {
        #expect(try await error(503, "soon") == nil)
        #expect(try await error(503, "-1") == nil)
        #expect(try await error(200, "5") == nil)
        #expect(try await error(404, "5") == nil)
        #expect(try await error(413, "5", statuses: [413]) != nil)
        let client = makeClient(ScriptedTransport(.status(429)), RetryAfterMiddleware())
        #expect(try await client.call().head.status.code == 429)
    }

    @Test func isCancelledWhileItReadsTheRefusedBody() async throws {
        let (reads, continuation) = AsyncStream.makeStream(of: Void.self)
        let source = HangingSource { continuation.yield() }
        let transport = ScriptedTransport(.source(status: 503, fields: [.retryAfter: "5"]) { source })
        let client = makeClient(transport, RetryAfterMiddleware())
        let call = Task { _ = try await client.call() }
        for await _ in reads { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func reachesTheCallerOfRunUnchanged() async {
        let client = makeClient(ScriptedTransport(.status(429, retryAfter: 3)), RetryAfterMiddleware())
        await #expect(throws: RetryAfterError.self) {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: "/", method: .get))
        }
    }

    @Test func recordsTheCallWhoeverMakesTheResponse() async throws {
        let anew = InterceptorMiddleware { request, next in
            let response = try await next(request)
            return TransportResponse(head: response.head, body: response.body)
        }
        let transport = ScriptedTransport(.status(503, retryAfter: 7))
        let client = makeClient(transport, RetryAfterMiddleware(), anew)
        let error = await #expect(throws: RetryAfterError.self) { _ = try await client.call() }
        #expect(error?.exchange.attempts.count == 1)
    }

    @Test(arguments: [
        ("1.5", 1500), ("0.25", 250), ("0.0001", 1), ("2.0", 2000), ("0", 0), (" 3.25 ", 3250),
        ("9999999999.5", 9_999_999_999_500),
    ])
    func aNumberMayHaveDecimals(value: String, milliseconds: Int64) async throws {
        #expect(try await error(503, value)?.delay == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        ".5", "1.", "1.5.2", "1,5", "-1.5", "+1.5", "1e3", "0x1", "1.5s", "inf", "nan", "12345678901.5", "1. 5",
    ])
    func otherNumbersSayNothing(value: String) async throws {
        #expect(try await error(503, value) == nil)
    }

    @Test func millisecondsWinOverSeconds() async throws {
        let milliseconds = try #require(HTTPField.Name("retry-after-ms"))
        let reply = ScriptedReply.status(503, fields: [.retryAfter: "9", milliseconds: "250.5"])
        let thrown = await #expect(throws: RetryAfterError.self) {
            _ = try await makeClient(ScriptedTransport(reply), RetryAfterMiddleware()).call()
        }
        #expect(thrown?.delay == .milliseconds(251))
    }
}
