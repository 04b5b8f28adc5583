// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataNative

struct NameCacheTests {
    @Test func knowsANameForItsTime() {
        var cache = NameCache(age: .nanoseconds(100))
        cache.note(["127.0.0.1"], of: "a.test", now: 1000)
        #expect(cache.addresses(of: "a.test", now: 1099) == ["127.0.0.1"])
        #expect(cache.addresses(of: "a.test", now: 1100) == nil)
        #expect(cache.addresses(of: "b.test", now: 1000) == nil)
    }

    @Test func knowsANameForEverWhereThatIsAsked() {
        var cache = NameCache(age: nil)
        cache.note(["::1"], of: "a.test", now: 1)
        #expect(cache.addresses(of: "a.test", now: .max - 1) == ["::1"])
    }

    @Test func knowsNothingWithoutTime() {
        var cache = NameCache(age: .zero)
        cache.note(["::1"], of: "a.test", now: 1)
        #expect(cache.addresses(of: "a.test", now: 1) == nil)
    }

    @Test func forgetsANameThatLeadsNowhere() {
        var cache = NameCache(age: nil)
        cache.note(["::1"], of: "a.test", now: 1)
        cache.forget("a.test")
        #expect(cache.addresses(of: "a.test", now: 1) == nil)
    }

    @Test func growsNotWithoutEnd() {
        var cache = NameCache(age: nil)
        for number in 0..<10_000 { cache.note(["::1"], of: "\(number).test", now: 1) }
        #expect(cache.count <= 1024)
        #expect(cache.addresses(of: "9999.test", now: 1) == ["::1"])
    }
}
