// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataTesting
import Testing

extension CacheEntry {
    fileprivate var age: Double { responseTime.timeIntervalSince(requestTime) }
}

struct CacheEntryTests {
    private func entry() async throws -> CacheEntry {
        let store = MemoryStore()
        var fields: HTTPFields = [.cacheControl: "max-age=60", .vary: "Accept, X-None", .eTag: "\"a\""]
        fields.append(HTTPField(name: .contentLanguage, value: "de"))
        fields.append(HTTPField(name: .contentLanguage, value: [0x62, 0x3D, 0xE9]))
        let cache = CacheClient(ScriptedTransport(.text("body", fields: fields)), store: store)
        try await cache.call(fields: [.accept: "é, b", .cookie: "x=1"])
        return try #require(store.entries(for: CacheKey(url: "https://api.example/x")).first)
    }

    @Test func anEntryIsWrittenAndReadAsItIs() async throws {
        let entry = try await entry()
        let copy = try #require(CacheEntry(encoded: entry.encoded, body: entry.body))
        #expect(copy.head == entry.head)
        #expect(
            copy.head.headerFields.map { $0.withUnsafeBytesOfValue { Array($0) } }
                == entry.head.headerFields.map { $0.withUnsafeBytesOfValue { Array($0) } })
        #expect(copy.requestTime == entry.requestTime && copy.responseTime == entry.responseTime)
        #expect(copy.isPersonal && copy.isReplaced(by: entry) && copy.encoded == entry.encoded)
    }

    @Test func damagedBytesAreNoEntry() async throws {
        let entry = try await entry()
        let encoded = entry.encoded
        for length in 0..<encoded.count {
            #expect(CacheEntry(encoded: encoded.prefix(length), body: entry.body) == nil)
        }
        #expect(CacheEntry(encoded: encoded + [0], body: entry.body) == nil)
        // Whatever a bit does, it is no trap.
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            var damaged = encoded
            damaged[Int.random(in: 0..<damaged.count, using: &generator)] ^=
                1 << UInt8.random(in: 0..<8, using: &generator)
            if let entry = CacheEntry(encoded: damaged, body: entry.body) { #expect(entry.age.isFinite) }
        }
    }
}
