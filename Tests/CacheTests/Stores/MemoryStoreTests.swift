// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataTesting
import Testing

struct MemoryStoreTests {
    private func client(_ store: MemoryStore, bodyOf size: Int = 1000) -> CacheClient {
        CacheClient(
            ScriptedTransport(.status(200, fields: [.cacheControl: "max-age=60"], body: Data(count: size))),
            store: store)
    }

    private func urls(_ names: String) -> [String] { names.map { "https://api.example/\($0)" } }

    @Test func whatWasNotUsedForTheLongestTimeGoesFirst() async throws {
        let store = MemoryStore(limit: 5000)
        let cache = client(store)
        for url in urls("abc") { try await cache.call(.get, url) }
        try await cache.call(.get, urls("a")[0])
        for url in urls("de") { try await cache.call(.get, url) }
        #expect(store.size <= 5000)
        var kept: [String] = []
        for url in urls("abcde") {
            let entries = store.entries(for: CacheKey(url: url))
            if !entries.isEmpty { kept.append(String(url.suffix(1))) }
        }
        #expect(kept.contains("e") && kept.contains("d") && !kept.contains("b"))
        #expect(store.count == kept.count)
    }

    @Test func whatIsLargerThanTheStoreIsNotKept() async throws {
        let store = MemoryStore(limit: 5000)
        let cache = client(store)
        try await cache.call(.get, urls("a")[0])
        let large = client(store, bodyOf: 5000)
        try await large.call(.get, urls("b")[0])
        #expect(store.count == 1)
        try await client(MemoryStore(limit: 0)).call()
    }

    @Test func entriesAreRemovedByURLAndAltogether() async throws {
        let store = MemoryStore()
        let cache = client(store)
        for url in urls("ab") {
            for token in ["1", "2"] { try await cache.call(.get, url, fields: [.authorization: token]) }
        }
        #expect(store.count == 4)
        store.remove(url: urls("a")[0])
        #expect(store.count == 2)
        store.removeAll()
        #expect(store.count == 0 && store.size == 0)
        try await cache.call()
        #expect(store.count == 1)
    }

    @Test func manyTasksLeaveItsAccountRight() async throws {
        let store = MemoryStore(limit: 20_000)
        let cache = client(store)
        try await withThrowingTaskGroup { group in
            for number in 0..<400 {
                group.addTask {
                    try await cache.call(.get, "https://api.example/\(number % 40)")
                    if number.isMultiple(of: 50) { store.remove(url: "https://api.example/\(number % 7)") }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.size <= 20_000)
        var (count, cost) = (0, 0)
        for number in 0..<40 {
            let entries = store.entries(for: CacheKey(url: "https://api.example/\(number)"))
            count += entries.count
            cost += entries.reduce(0) { $0 + $1.cost }
        }
        #expect(store.count == count && store.size == cost)
    }
}
