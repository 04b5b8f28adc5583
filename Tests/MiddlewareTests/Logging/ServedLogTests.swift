// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
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
        let count = Mutex(0)
        let counting = InterceptorMiddleware { request, next in
            count.withLock { $0 += 1 }
            return try await next(request)
        }
        let retry = RetryMiddleware(backoff: .none, budget: nil)
        let client = makeClient(ScriptedTransport(), retry, counting, answering)
        #expect(try await client.call().head.status == 503)
        #expect(count.withLock { $0 } == 1)
    }

    @Test func whatALayerHasFailedAtIsTriedAgain() async throws {
        let count = Mutex(0)
        let failing = InterceptorMiddleware { request, _ in
            count.withLock { $0 += 1 }
            request.call?.noteServed(.cache(.stale))
            throw NetworkClientError(.connectionLost, "")
        }
        let client = makeClient(ScriptedTransport(), RetryMiddleware(backoff: .none, budget: nil), failing)
        await #expect(throws: NetworkClientError.self) { try await client.call() }
        #expect(count.withLock { $0 } > 1)
    }
}
