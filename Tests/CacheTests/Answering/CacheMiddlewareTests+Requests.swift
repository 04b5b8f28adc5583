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
    // MARK: What requests ask for

    @Test(arguments: [
        ("no-cache", 2, ExchangeRecord.Served.cache(.revalidated)), ("max-age=0", 2, .cache(.revalidated)),
        ("max-age=1", 2, .cache(.revalidated)), ("max-age=5", 2, .cache(.hit)),
        ("min-fresh=59", 2, .cache(.revalidated)),
        ("min-fresh=50", 2, .cache(.hit)), ("max-stale", 90, .cache(.stale)), ("max-stale=31", 90, .cache(.stale)),
        ("max-stale=29", 90, .cache(.revalidated)), ("max-stale=x", 90, .cache(.revalidated)),
        ("only-if-cached", 2, .cache(.hit)),
        ("only-if-cached", 90, .cache(.unsatisfied)), ("only-if-cached, max-stale", 90, .cache(.stale)),
        ("no-store", 2, .network), ("nonsense=1", 2, .cache(.hit)),
    ])
    func directivesOfRequestsAreFollowed(directive: String, after seconds: Int, served: ExchangeRecord.Served)
        async throws
    {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60", .eTag: "\"a\""]))
        try await cache.call()
        cache.wait(seconds)
        #expect(try await cache.call(fields: [.cacheControl: directive]).served == served)
    }

    @Test func onlyIfCachedNeverReachesTheNetwork() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]), outside: [RetryMiddleware(budget: nil)])
        let answer = try await cache.call(fields: [.cacheControl: "only-if-cached"])
        #expect(answer.status == 504 && answer.served == .cache(.unsatisfied))
        #expect(cache.sent == 0)
        let fields: [HTTPFields] = [[.range: "bytes=0-1"], [.ifNoneMatch: "\"a\""], [:]]
        for var fields in fields {
            fields[.cacheControl] = "no-store, only-if-cached"
            #expect(try await cache.call(fields: fields).status == 504)
            #expect(try await cache.call(.post, fields: fields).status == 504)
        }
        #expect(cache.sent == 0)
        // What no server has said is not asked for again.
        #expect(cache.clock.sleeps.isEmpty)
    }

    @Test func whatDoesNotChangeIsNotReloaded() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60, immutable", .eTag: "\"a\""]))
        try await cache.call()
        #expect(try await cache.call(fields: [.cacheControl: "max-age=0"]).served == .cache(.hit))
        #expect(try await cache.call(fields: [.cacheControl: "no-cache"]).served == .cache(.revalidated))
        cache.wait(61)
        #expect(try await cache.call(fields: [.cacheControl: "max-age=0"]).served == .cache(.revalidated))
    }

    @Test(
        arguments: [
            [.range: "bytes=0-1"], [.ifNoneMatch: "\"x\""], [.ifModifiedSince: "Mon, 22 Dec 2025 00:00:00 GMT"],
            [.ifMatch: "\"a\""], [.ifUnmodifiedSince: "Mon, 22 Dec 2025 00:00:00 GMT"], [.ifRange: "\"a\""],
        ] as [HTTPFields])
    func rangesAndConditionsOfOnesOwnGoPastTheCache(fields: HTTPFields) async throws {
        let store = MemoryStore()
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]), store: store)
        try await cache.call(fields: fields)
        #expect(store.count == 0)
        try await cache.call()
        #expect(try await cache.call(fields: fields).served == .network)
        #expect(cache.sent == 3)
    }

    @Test(arguments: [206, 304])
    func noPartIsStored(status: Int) async throws {
        let store = MemoryStore()
        let cache = CacheClient(
            .origin([.cacheControl: "max-age=60", .contentRange: "bytes 0-1/9"], status: status), store: store)
        try await cache.call()
        #expect(store.count == 0)
    }
}
