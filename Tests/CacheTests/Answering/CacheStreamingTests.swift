// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// Bodies that pass through while they are stored.
struct CacheStreamingTests {
    private let fields: HTTPFields = [.cacheControl: "max-age=60"]
    private let pieces = ["one ", "two ", "three"].map { Data($0.utf8) }

    private func execute(_ cache: CacheClient) async throws -> TransportResponse {
        try await cache.client.execute(TransportRequest(url: "https://api.example/x"))
    }

    @Test func aBodyIsStoredWhenItHasArrived() async throws {
        let store = MemoryStore()
        let cache = CacheClient(ScriptedTransport(.pieces(pieces, fields: fields)), store: store)
        let response = try await execute(cache)
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == pieces[0])
        #expect(store.count == 0)
        #expect(try await iterator.next() == pieces[1])
        #expect(try await iterator.next() == pieces[2])
        #expect(try await iterator.next() == nil)
        #expect(store.count == 1)
        #expect(try await cache.call().body == "one two three")
        #expect(cache.sent == 1)
    }

    @Test func aRequestForAnUpgradePassesAStoredResponse() async throws {
        let transport = ScriptedTransport { request in
            guard request.options.upgrade != nil else { return .pieces(pieces, fields: fields) }
            return .upgrade(to: "echo") { _ in }
        }
        let cache = CacheClient(transport)
        #expect(try await cache.call().body == "one two three")
        var request = try TransportRequest(url: "https://api.example/x")
        request.options.upgrade = "echo"
        #expect(try await cache.client.execute(request).channel != nil)
        #expect(try await cache.call().body == "one two three")
        #expect(cache.sent == 2)
    }

    @Test func aReaderWhoLeavesEarlyStoresNothing() async throws {
        let store = MemoryStore()
        let cache = CacheClient(ScriptedTransport(.pieces(pieces, fields: fields)), store: store)
        for try await _ in try await execute(cache).body { break }
        let unread = try await execute(cache)
        unread.body.cancel()
        _ = try await execute(cache)
        #expect(store.count == 0)
        #expect(cache.sent == 3)
    }

    @Test(arguments: [Int64?.none, 13, 20, 9])
    func aBodyThatBreaksOffOrIsNotOfTheAnnouncedLengthIsNotStored(length: Int64?) async throws {
        let store = MemoryStore()
        let failure: NetworkClientError? =
            length == 9 || length == 20 ? nil : NetworkClientError(.connectionLost, "lost")
        let cache = CacheClient(
            ScriptedTransport(.pieces(pieces, fields: fields, length: length, failure: failure)), store: store)
        if length == 13 {
            // The failure comes behind the last byte that was announced.
            _ = try? await execute(cache).body.collect()
        } else {
            await #expect(throws: NetworkClientError.self) { try await execute(cache).body.collect() }
        }
        if length != 13 { #expect(store.count == 0) }
    }

    @Test func whatIsTooLargePassesAndIsNotStored() async throws {
        for reply in [
            ScriptedReply.pieces(pieces, fields: fields), .status(200, fields: fields, body: Data(count: 13)),
        ] {
            let store = MemoryStore()
            let cache = CacheClient(ScriptedTransport(reply), store: store) { $0.maximumBodyBytes = 12 }
            #expect(try await execute(cache).body.collect().count == 13)
            #expect(store.count == 0)
            let enough = CacheClient(ScriptedTransport(reply), store: store) { $0.maximumBodyBytes = 13 }
            _ = try await execute(enough).body.collect()
            #expect(store.count == 1)
        }
    }

    @Test func eventStreamsAreNotStored() async throws {
        let store = MemoryStore()
        let reply = ScriptedReply.pieces(
            pieces, fields: [.cacheControl: "max-age=60", .contentType: "text/event-stream"])
        let cache = CacheClient(ScriptedTransport(reply), store: store)
        try await cache.call()
        #expect(store.count == 0)
    }

    @Test func theLimitOfACallHoldsForStoredBodies() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]))
        try await cache.call()
        await #expect { try await cache.call { $0.maximumResponseBytes = 1 } } throws: { isFailure($0, .bodyTooLarge) }
        #expect(try await cache.call { $0.maximumResponseBytes = 2 }.served == .cache(.hit))
    }

    /// A store that forgets.
    private struct ForgetfulStore: CacheStore {
        func entries(for key: CacheKey) async -> [CacheEntry] { [] }
        func store(_ entry: CacheEntry, for key: CacheKey) async {}
        func remove(url: String) async {}
        func remove(_ entry: CacheEntry, for key: CacheKey) async {}
        func removeAll() async {}
    }

    @Test func aStoreOfOnesOwnMayKeepNothing() async throws {
        let cache = CacheClient(.origin([.cacheControl: "max-age=60"]), store: ForgetfulStore())
        #expect(try await cache.call().body == "#0")
        #expect(try await cache.call().body == "#1")
    }
}
