// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct NetworkClientTests {
    // MARK: The call

    @Test func aRequestOrResponseThatALayerMakesAnewBelongsToTheCall() async throws {
        let transport = ScriptedTransport(.redirect(to: "/b"), .status(200))
        let clock = VirtualClock()
        let anew = Around { request, next in
            let response = try await next(TransportRequest(head: request.head))
            return TransportResponse(head: response.head, body: response.body)
        }
        let inner = Around { request, next in
            #expect(request.call?.clock as? VirtualClock === clock)
            return try await next(request)
        }
        let redirects = RedirectMiddleware()
        let client = makeClient(transport, middleware: [anew, redirects, inner], clock: clock) {
            $0.interceptor = { TransportRequest(head: $0.head) }
        }
        let response = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: "/a", method: .get))
        #expect(response.exchange.attempts.count == 2)
        #expect(response.request?.path == "/b")
    }

    @Test func aRequestThatALayerHasKeptBelongsToTheCallThatSendsIt() async throws {
        let kept = Mutex<TransportRequest?>(nil)
        let keeping = Around { request, next in
            let first = kept.withLock { kept in
                kept = kept ?? request
                return kept ?? request
            }
            return try await next(first)
        }
        let clock = VirtualClock()
        let client = makeClient(ScriptedTransport(.status(200)), middleware: [keeping], clock: clock)
        var request = try TransportRequest(url: "https://a.example/")
        request.options.timeouts.deadline = .seconds(5)
        _ = try await client.execute(request)
        clock.advance(by: .seconds(60))
        #expect(try await client.execute(request).exchange.attempts.count == 1)
    }

    @Test func aClientIsHandedAroundAsOneReference() {
        #expect(MemoryLayout<NetworkClient>.size == MemoryLayout<AnyObject>.size)
    }

    @Test func aValueOfTheCallMayBeMadeFromAnother() {
        enum First: RequestAttributeKey { static let defaultValue = 0 }
        enum Second: RequestAttributeKey { static let defaultValue = 0 }
        let call = CallContext()
        let value = call.value(First.self) { call.value(Second.self) { 1 } + 1 }
        #expect((value, call[First.self], call[Second.self]) == (2, 2, 1))
    }

    @Test func aSemicolonInQuotesEndsNoParameter() async throws {
        let type = #"text/plain; title="a\";charset=utf-16"; charset=utf-8"#
        let transport = ScriptedTransport(.text("é", fields: [.contentType: type]))
        let client = makeClient(transport)
        #expect(try await client.run(NetworkRequest<VoidRequest, String>(method: .get)).value == "é")
    }

    // MARK: Time and cancellation

    @Test func startsNothingAfterTheDeadline() async {
        let clock = VirtualClock()
        let transport = ScriptedTransport(.status(200))
        let wait = Around { request, next in
            try await request.call?.clock.sleep(for: .seconds(5))
            return try await next(request)
        }
        let client = makeClient(transport, middleware: [wait], clock: clock) {
            $0.options.timeouts.deadline = .seconds(3)
        }
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        } throws: {
            isFailure($0, .timedOut) && ($0 as? NetworkClientError)?.timeout == .deadline
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func aCancelledCallIsNoTimeout() async {
        let clock = VirtualClock()
        let late = Around { request, next in
            clock.advance(by: .seconds(5))
            withUnsafeCurrentTask { $0?.cancel() }
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(.status(200)), middleware: [late], clock: clock) {
            $0.options.timeouts.deadline = .seconds(3)
        }
        let call = Task { try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get)).value }
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func namesTheDeadlineAndNotWhatWasLeftOfIt() async {
        let clock = VirtualClock()
        let late = Around { request, next in
            clock.advance(by: .seconds(8))
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(.silence), middleware: [late], clock: clock) {
            $0.options.timeouts.deadline = .seconds(10)
        }
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
        #expect(error?.timeout == .deadline)
        #expect(error?.message == "the deadline timeout of 10 s passed")
    }

    @Test func handsDownTheLimitOfAnAttempt() throws {
        var request = try TransportRequest(url: "http://h/")
        #expect(request.timeLimit == nil)
        request.options.timeouts.attempt = .seconds(4)
        #expect(request.timeLimit?.kind == .attempt)
        #expect(request.timeLimit?.duration == .seconds(4))
    }

    @Test func endsACancelledCallWithCancellationError() async {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.isEmpty)
    }

    // MARK: The stack

    @Test func runsMiddlewareInOrderAndTheInterceptorLast() async throws {
        let log = Log()
        func layer(_ name: String) -> Around {
            Around { request, next in
                await log.add("\(name) down")
                let response = try await next(request)
                await log.add("\(name) up \(response.head.status.code)")
                return response
            }
        }
        let client = makeClient(ScriptedTransport(.status(404)), middleware: [layer("a"), layer("b")]) {
            $0.interceptor = { request in
                await log.add("interceptor")
                return request
            }
        }
        _ = try? await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        #expect(await log.lines == ["a down", "b down", "interceptor", "b up 404", "a up 404"])
    }

    @Test func replacesTheListForARequestThatBringsItsOwn() async throws {
        let log = Log()
        let loud = Around { request, next in
            await log.add("client")
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(.status(200)), middleware: [loud])
        _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get, middleware: []))
        #expect(await log.lines.isEmpty)
    }

    @Test func theListOfARequestDoesNotFollowItIntoAnotherClient() async throws {
        let backup = ScriptedTransport(.status(200))
        let log = Log()
        let own = Around { _, _ in
            await log.add("client")
            return TransportResponse(head: HTTPResponse(status: .accepted))
        }
        let other = makeClient(backup, middleware: [own])
        let failover = Around { request, _ in
            await log.add("request")
            return try await other.execute(request)
        }
        let client = makeClient(ScriptedTransport(.failure(.cannotConnect)))
        let response = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, middleware: [failover]))
        #expect(response.response.status == .accepted)
        #expect(await log.lines == ["request", "client"])
    }

    @Test func letsErrorsOfMiddlewarePassUnchanged() async {
        struct Mine: Error {}
        let client = makeClient(ScriptedTransport(.status(200)), middleware: [Around { _, _ in throw Mine() }])
        await #expect(throws: Mine.self) {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get))
        }
    }

    @Test func refusesWhatTheTransportCannotDoBeforeSending() async {
        let transport = ScriptedTransport([.status(200)], features: [])
        let client = makeClient(transport)
        await #expect {
            _ = try await client.run(NetworkRequest<String, VoidResponse>(method: .get, body: "x"))
        } throws: {
            isFailure($0, .unsupportedByTransport) && "\($0)".contains("CurlTransport")
        }
        await #expect {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(method: .get) { $0.httpVersion = .http2PriorKnowledge })
        } throws: {
            isFailure($0, .unsupportedByTransport)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func namesATransportThatDoesWhatThisOneDoesNot() async throws {
        let demands: [(of: String, set: (inout TransportRequest) -> Void)] = [
            ("CurlTransport", { $0.options.httpVersion = .http1 }),
            ("CurlTransport", { $0.options.httpVersion = .http2PriorKnowledge }),
            ("CurlTransport", { $0.options.httpVersion = .http3 }),
            ("CurlTransport", { $0.options.skipsInvalidFields = true }),
            ("CurlTransport", { $0.options.onInterim = { _ in } }),
            ("CurlTransport", { $0.options.expectContinue = .seconds(1) }),
            ("NativeTransport", { $0.options.upgrade = "chat" }),
            ("NativeTransport", { $0.body = .stream(from: AsyncStream { $0.finish() }, trailers: { [:] }) }),
        ]
        let transport = ScriptedTransport([.status(200)], features: [])
        let client = makeClient(transport)
        for demand in demands {
            var request = try TransportRequest(
                method: .post, url: "https://api.example.com/", body: .data(Data("x".utf8)))
            demand.set(&request)
            await #expect {
                _ = try await client.execute(request)
            } throws: {
                isFailure($0, .unsupportedByTransport) && "\($0)".contains(demand.of)
            }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func recordsEveryAttemptWithItsReason() async throws {
        let clock = VirtualClock()
        let again = Around { request, next in
            let first = try await next(request)
            await first.body.discard()
            try await request.call?.clock.sleep(for: .seconds(2))
            request.call?.nextAttempt(.retry(cause: "503", waited: .seconds(2)))
            return try await next(request)
        }
        let client = makeClient(ScriptedTransport(.status(503), .json("[]")), middleware: [again], clock: clock)
        let exchange = try await client.run(NetworkRequest<VoidRequest, [Post]>(path: "p?q=secret", method: .get))
            .exchange
        #expect(exchange.attempts.map(\.reason) == [.first, .retry(cause: "503", waited: .seconds(2))])
        #expect(exchange.attempts.map(\.status?.code) == [503, 200])
        #expect(exchange.attempts[1].started == .seconds(2))
        #expect(exchange.attempts[1].bytesReceived == 2)
        #expect(exchange.total == .seconds(2))
        #expect(!exchange.description.contains("secret"))
        #expect(exchange.description.contains("#2 retry(503, waited 2 s)"))
    }

    // MARK: Redirects that are not followed

    private static let manual: RequestOptions.Override = { $0.redirects = .manual }

    @Test(arguments: [301, 302, 303, 307, 308]) func aRedirectThatIsNotFollowedIsTheResponse(status: Int) async throws {
        let transport = ScriptedTransport(.redirect(status, to: "/b"))
        let client = makeClient(transport)
        let response = try await client.run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, options: Self.manual))
        #expect(response.status.code == status && response.headerFields[.location] == "/b")
        let text = try await client.run(NetworkRequest<VoidRequest, String?>(method: .get, options: Self.manual))
        #expect(text.value == nil)
        let opened = try await client.open(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, options: Self.manual))
        #expect(opened.head.status.code == status)
        #expect(transport.requests.count == 3)
    }

    @Test func aRedirectThatLeadsNowhereIsAFailureWhereTheyAreFollowed() async throws {
        for limit in [-1, 0, 1, 20] {
            let client = makeClient(ScriptedTransport(.status(302)))
            let request = NetworkRequest<VoidRequest, VoidResponse>(method: .get) { $0.redirects.limit = limit }
            if limit < 1 {
                #expect(try await client.run(request).status.code == 302)
            } else {
                await #expect { try await client.run(request) } throws: { isFailure($0, .unacceptableStatus) }
            }
        }
    }

    @Test func otherStatusesAreRefusedAllTheSame() async {
        for status in [300, 304, 305, 404] {
            let client = makeClient(ScriptedTransport(.redirect(status, to: "/b")))
            await #expect(throws: NetworkClientError.self) {
                try await client.run(NetworkRequest<VoidRequest, VoidResponse>(method: .get, options: Self.manual))
            }
        }
        // Where the statuses are named, no others count.
        let client = makeClient(ScriptedTransport(.redirect(to: "/b")))
        await #expect(throws: NetworkClientError.self) {
            try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(method: .get) {
                    $0.redirects = .manual
                    $0.acceptableStatus = .codes(200)
                })
        }
    }
}
