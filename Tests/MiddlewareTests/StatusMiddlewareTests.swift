// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

struct StatusValidationMiddlewareTests {
    @Test(arguments: [(200, true), (204, true), (301, false), (404, false), (503, false)])
    func judgesByThePolicy(status: Int, isAccepted: Bool) async throws {
        let client = makeClient(ScriptedTransport(.text("why", status: status)), StatusValidationMiddleware())
        if isAccepted {
            #expect(try await client.call().head.status.code == status)
        } else {
            await #expect {
                _ = try await client.call()
            } throws: { error in
                guard let error = error as? NetworkClientError else { return false }
                return error.code == .unacceptableStatus && error.response?.status.code == status
                    && error.body == Data("why".utf8) && error.exchange?.attempts.count == 1
            }
        }
    }

    @Test func takesCodesAndRanges() async throws {
        let transport = ScriptedTransport { .status(Int($0.path.dropFirst()) ?? 0) }
        let codes = makeClient(transport, StatusValidationMiddleware(codes: [200, 304]))
        let ranges = makeClient(transport, StatusValidationMiddleware(ranges: 200...299, 404...404))
        #expect(try await codes.call(.get, "/304").head.status == .notModified)
        #expect(try await ranges.call(.get, "/404").head.status == .notFound)
        await #expect(throws: NetworkClientError.self) { _ = try await codes.call(.get, "/201") }
        await #expect(throws: NetworkClientError.self) { _ = try await ranges.call(.get, "/405") }
    }

    @Test func whatItAcceptsIsSuccessForTheClientToo() async throws {
        let client = makeClient(ScriptedTransport(.status(304)), StatusValidationMiddleware(codes: [200, 304]))
        let response = try await client.run(NetworkRequest<VoidRequest, String?>(path: "/", method: .get))
        #expect(response.value == nil)
        #expect(response.response.status == .notModified)
    }

    @Test func isCancelledWhileItReadsTheRefusedBody() async throws {
        let transport = ScriptedTransport(
            .source(status: 500) { HangingSource { withUnsafeCurrentTask { $0?.cancel() } } })
        let client = makeClient(transport, StatusValidationMiddleware())
        await #expect(throws: CancellationError.self) { try await Task { _ = try await client.call() }.value }
    }

    @Test func leavesRedirectsToWhoFollowsThem() async throws {
        let transport = ScriptedTransport(.redirect(to: "/2"), .status(200))
        #expect(try await makeClient(transport, StatusValidationMiddleware()).call().head.status == .ok)
        let manual = makeClient(ScriptedTransport(.redirect(to: "/2")), StatusValidationMiddleware())
        await #expect(throws: NetworkClientError.self) { _ = try await manual.call { $0.redirects = .manual } }
        let nowhere = makeClient(ScriptedTransport(.redirect(to: " ")), StatusValidationMiddleware())
        await #expect(throws: NetworkClientError.self) { _ = try await nowhere.call() }
    }
}

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
}
