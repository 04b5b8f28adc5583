// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// What the record and the log say of a layer that answers by itself.
struct ServedLogTests {
    private let answering = InterceptorMiddleware { request, _ in
        request.call?.noteServed(.cache(.stale))
        return TransportResponse(head: HTTPResponse(status: 503))
    }

    @Test func theLineAndTheRecordSayThatACacheHasAnswered() async throws {
        let log = LogCollector()
        let client = makeClient(ScriptedTransport(), LoggingMiddleware(log.logger()), answering)
        let response = try await client.call()
        #expect(response.exchange.served == .cache(.stale))
        #expect("\(response.exchange)" == "served: cache(stale)")
        #expect(
            log.lines.map(\.message) == ["GET https://api.example/ -> 503 in 0 ms, 0 bytes, from the cache (stale)"])
    }

    @Test func theNextAttemptTakesItBack() async throws {
        let first = InterceptorMiddleware { request, next in
            request.call?.noteServed(.cache(.hit))
            return try await next(request)
        }
        let response = try await makeClient(ScriptedTransport(), first).call()
        #expect(response.exchange.served == .network)
        #expect(!"\(response.exchange)".contains("served"))
    }

    @Test func whatNoServerHasSaidIsNotTriedAgain() async throws {
        let transport = ScriptedTransport()
        let client = makeClient(transport, RetryMiddleware(backoff: .none, budget: nil), answering)
        #expect(try await client.call().head.status == 503)
        #expect(transport.requests.isEmpty)
    }
}
