// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

/// The addresses of names, for as long as they may be used again. Times are in nanoseconds.
struct NameCache {
    private struct Entry {
        let addresses: [String]
        let expiry: UInt64
    }

    private let age: UInt64
    private var entries: [String: Entry] = [:]

    /// A program that visits many hosts, such as a crawler, sees few of them again.
    private static let capacity = 1024

    /// - Parameter age: `nil` for no end.
    init(age: Duration?) { self.age = age.map(UInt64.init(nanosecondsOf:)) ?? .max }

    var count: Int { entries.count }

    mutating func addresses(of name: String, now: UInt64) -> [String]? {
        guard let entry = entries[name] else { return nil }
        if now < entry.expiry { return entry.addresses }
        entries[name] = nil
        return nil
    }

    mutating func note(_ addresses: [String], of name: String, now: UInt64) {
        guard age > 0 else { return }
        if entries.count >= Self.capacity { entries = entries.filter { now < $0.value.expiry } }
        if entries.count >= Self.capacity { entries.removeAll(keepingCapacity: true) }
        entries[name] = Entry(addresses: addresses, expiry: now.saturatingAdd(age))
    }

    /// None of its addresses could be connected to: they are asked for anew.
    mutating func forget(_ name: String) { entries[name] = nil }
}
