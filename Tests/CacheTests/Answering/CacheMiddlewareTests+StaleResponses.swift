// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

extension CacheMiddlewareTests {
    // MARK: Stale responses

    @Test(arguments: [500, 502, 503, 504])
    func aStaleResponseStandsInForAnError(status: Int) async throws {
        let transport = ScriptedTransport(
            .text("x", fields: [.cacheControl: "max-age=10, stale-if-error=60"]), .status(status),
            .failure(.connectionLost))
        let cache = CacheClient(transport)
        try await cache.call()
        cache.wait(40)
        #expect(try await cache.call().served == .cache(.stale))
        cache.wait(20)
        let answer = try await cache.call()
        #expect(answer.served == .cache(.stale) && answer.body == "x" && answer["age"] == "60")
        cache.wait(20)
        await #expect(throws: NetworkClientError.self) { try await cache.call() }
    }

    @Test(arguments: [
        ("max-age=10, stale-if-error=60, must-revalidate", 503), ("max-age=10, stale-if-error=60, no-cache", 503),
        ("max-age=10", 503), ("max-age=10, stale-if-error=60", 404), ("max-age=10, stale-if-error=60", 501),
    ])
    func notWhereItMustNot(control: String, status: Int) async throws {
        let transport = ScriptedTransport(
            .text("x", fields: [.cacheControl: control, .eTag: "\"a\""]), .status(status))
        let cache = CacheClient(transport) { if control == "max-age=10" { $0.staleIfError = .seconds(5) } }
        try await cache.call()
        cache.wait(20)
        #expect(try await cache.call().status == status)
    }

    /// A layer further in that spares the server is no reason to have nothing.
    @Test(arguments: [NetworkClientError.Code.circuitOpen, .rateLimited, .concurrencyLimited, .cannotConnect])
    func aStaleResponseStandsInForARefusalOfTheClientsOwn(code: NetworkClientError.Code) async throws {
        let transport = ScriptedTransport(
            .text("x", fields: [.cacheControl: "max-age=10, stale-if-error=60"]), .failure(code))
        let cache = CacheClient(transport)
        try await cache.call()
        cache.wait(40)
        let answer = try await cache.call()
        #expect(answer.served == .cache(.stale) && answer.body == "x")
    }

    @Test func theClientMayAllowItToo() async throws {
        let transport = ScriptedTransport(.text("x", fields: [.cacheControl: "max-age=10"]), .failure(.dnsFailed))
        let cache = CacheClient(transport) { $0.staleIfError = .seconds(3600) }
        try await cache.call()
        cache.wait(3000)
        #expect(try await cache.call().served == .cache(.stale))
        await #expect(throws: CancellationError.self) {
            let cancelled = CacheClient(
                ScriptedTransport(.text("x", fields: [.cacheControl: "max-age=10"]), .failure(CancellationError()))
            ) {
                $0.staleIfError = .seconds(3600)
            }
            try await cancelled.call()
            cancelled.wait(20)
            try await cancelled.call()
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func aStaleResponseIsConfirmedInTheBackground() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=10, stale-while-revalidate=60", .eTag: "\"a\""]))
        try await cache.call()
        cache.wait(20)
        let stale = try await cache.call()
        #expect(stale.served == .cache(.stale) && stale.body == "#0")
        await eventually { cache.sent == 2 }
        #expect(cache.transport.requests[1]["if-none-match"] == "\"a\"")
        var served = stale.served
        for _ in 0..<10_000 where served != .cache(.hit) {
            served = try await cache.call().served
            await Task.yield()
        }
        #expect(served == .cache(.hit))
        cache.wait(100)
        #expect(try await cache.call().served == .cache(.revalidated))
    }

    /// Nobody waits for it, so that nobody would end it.
    @Test(arguments: ["text/plain", "text/event-stream"])
    func aBodyWithoutEndIsGivenUpInTheBackground(type: String) async throws {
        let source = EndlessSource()
        let fields: HTTPFields = [.cacheControl: "max-age=10, stale-while-revalidate=60", .contentType: type]
        let transport = ScriptedTransport { request in
            request.number == 0
                ? .text("x", fields: [.cacheControl: fields[.cacheControl] ?? ""])
                : .source(fields: fields) { source }
        }
        let cache = CacheClient(transport) { $0.maximumBodyBytes = 10_000 }
        try await cache.call()
        cache.wait(20)
        #expect(try await cache.call().served == .cache(.stale))
        await eventually { source.isCancelled }
    }

    private final class EndlessSource: BodySource {
        private let state = Mutex(false)
        var isCancelled: Bool { state.withLock { $0 } }

        func next() async throws -> Data? {
            await Task.yield()
            return isCancelled ? nil : Data(repeating: 0x20, count: 1000)
        }

        func cancel() { state.withLock { $0 = true } }
    }

    @Test func nothingIsConfirmedForARequestThatMayNotUseTheNetwork() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=10, stale-while-revalidate=60"]))
        try await cache.call()
        cache.wait(20)
        #expect(try await cache.call(fields: [.cacheControl: "only-if-cached"]).served == .cache(.stale))
        for _ in 0..<200 { await Task.yield() }
        #expect(cache.sent == 1)
    }
}
